#!/bin/bash
# One list of files dealt out over several runs, each with a manifest of its part, and join, which makes one manifest.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"
make_key
k=(--engine cpu --key-file key)
part() { "$GCRYPT" enc "${k[@]}" --manifest M --part "$1" --null --files-from list "${@:2}"; }
join() { "$GCRYPT" join --key-file key "$@" M; }
check() { "$GCRYPT" verify "${k[@]}" --manifest M; }
all() { for i in 1 2 3; do part $i/3 "$@"; done; }
none_left() { ! compgen -G 'M?*' >/dev/null || give_up "left: $(echo M?*)"; }

mkdir tree
for ((i = 0; i < 60; i++)); do
	bytes $((i * 31)) "$i" >"tree/$i"
done
bytes 100 61 >$'tree/odd\n\xff'
find tree -type f -print0 >list

# Which part has a file: the rule of gcrypt(1), computed here.
python3 - <<'END'
def part(name, n):
    h = 0xcbf29ce484222325
    for byte in name:
        h = (h ^ byte) * 0x100000001b3 % 2**64
    return (h ^ h >> 32) % n + 1
names = open("list", "rb").read().split(b"\0")[:-1]
for i in (1, 2, 3):
    own = [name for name in names if part(name, 3) == i]
    open(f"own-{i}", "wb").write(b"\0".join(sorted(name + b".gcr" for name in own)))
    open(f"n-{i}", "w").write(str(len(own)))
    assert own, i
open("n-slow", "w").write(str(part(b"slow", 3)))
END

# Each run does its files and no others, in any order; a part that is missing is named.
expect_exit 0 part 3/3
says "$(<n-3) files: $(<n-3) done, 0 failed"
find tree -name '*.gcr' -print0 | sort -z | head -c -1 >made
same own-3 made
expect_exit 4 join
says 'M: not joined: parts 1, 2 of 3 are missing or incomplete: run them again'
expect_exit 0 part 1/3 -j 2
expect_exit 4 join
says 'M: not joined: part 2 of 3 is missing or incomplete: run it again'
no_file M

# Neither a run over all files nor one of other parts before the parts are joined.
expect_exit 2 part 2/4
says 'M: started with 3 parts: run these, then gcrypt join M'
expect_exit 2 "$GCRYPT" enc "${k[@]}" --manifest M tree/1
no_file M
expect_exit 0 part 2/3

# A part does not stand for the whole, nor for another part, whatever its name is.
cp M.files-1-of-3 whole
expect_exit 4 "$GCRYPT" verify "${k[@]}" --manifest whole
says 'whole: is only a part of a manifest'
cp M.files-2-of-3 kept
cp M.files-1-of-3 M.files-2-of-3
expect_exit 4 join
says 'M.files-2-of-3: is no manifest of this part'
cp kept M.files-2-of-3
flip M.files-3-of-3 20500
expect_exit 4 join
flip M.files-3-of-3 20500
bytes 32 5 >other
chmod 600 other
expect_exit 5 "$GCRYPT" join --key-file other M
no_file M

expect_exit 0 join
none_left
expect_exit 0 check >out
grep -q '^M: verified: 61 files' out || give_up "$(cat out)"
cp list all-list
peer dec key M text
python3 - <<'END'
import json
lines = [json.loads(line) for line in open("text", encoding="utf-8")]
assert lines[0]["files"] == 61 and "part" not in lines[0], lines[0]
names = sorted(bytes.fromhex(x["name_hex"]) if "name_hex" in x else x["name"].encode() for x in lines[1:])
assert names == sorted(open("all-list", "rb").read().split(b"\0")[:-1])
END

# The next runs do what changed: each starts from the manifest, and a new file moves no other one to another part.
echo more >>tree/5
rm tree/6.gcr
bytes 77 8 >tree/new
find tree -type f ! -name '*.gcr' -print0 >list
all 2>err
[ "$(awk '/ unchanged, 0 failed;/ { sub(/.* files: /, ""); n += $1 } END { print n }' err)" = 3 ] ||
	give_up "$(cat err)"
expect_exit 0 join
expect_exit 0 check >out
grep -q '^M: verified: 62 files' out || give_up "$(cat out)"

# --prune drops records in each part.
rm tree/7 tree/7.gcr
find tree -type f ! -name '*.gcr' -print0 >list
all -q
expect_exit 0 join
expect_exit 4 check >out
[ "$(cat out)" = 'missing: tree/7.gcr: the container of tree/7' ] || give_up "$(cat out)"
all -q --prune
all -q # what a part has dropped does not come back from M
expect_exit 0 join
expect_exit 0 check >out
grep -q '^M: verified: 61 files' out || give_up "$(cat out)"

# A manifest that another run has written since a part was started: no record of it is lost.
part 1/3 -q
part 2/3 -q
mkdir aside
mv M.files* aside
echo again >>tree/9
"$GCRYPT" enc -q "${k[@]}" --manifest M tree/9
mv aside/* .
part 3/3 -q
expect_exit 4 join
says 'M.files-1-of-3: M was written by another run since: run this part again'
all -q
expect_exit 0 join
expect_exit 0 check >out

# A run that was killed leaves its part incomplete at most; two runs of one part, or join beside it, are refused.
bytes 3000000 11 >slow
printf 'slow\0' >>list
i=$(<n-slow)
"$GCRYPT" enc -q --bwlimit 100K "${k[@]}" --manifest M --part "$i/3" --null --files-from list &
pid=$!
soon compgen -G '.gcrypt-*.part' >/dev/null || give_up "not begun"
expect_exit 6 part "$i/3"
says "M.files-$i-of-3: another run is using it"
kill -9 "$pid"
wait "$pid" || true
all -q
expect_exit 0 join
expect_exit 0 check >out
grep -q '^M: verified: 62 files' out || give_up "$(cat out)"

# Recipients: all of them at the join too, or none is lost silently.
"$GCRYPT" keygen --x25519 -o pair
echo other >>tree/1
expect_exit 2 part 1/3 -r pair.pub --align 4096
all -q -f -r pair.pub
expect_exit 2 join
says 'opens with 2 secrets, of which this run names 1'
expect_exit 2 "$GCRYPT" join -r pair.pub M
expect_exit 0 join -r pair.pub
expect_exit 0 "$GCRYPT" dec -q -i pair -o by-pair M
expect_exit 2 "$GCRYPT" join --key-file key -r pair.pub tree/1.gcr
none_left
