#!/bin/bash
# A manifest of many files: it finds every planted change, a second run does what changed, and it cannot be forged.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
backup() { "$GCRYPT" enc "${k[@]}" --null --files-from list --manifest M.gcm "$@"; }
check() { "$GCRYPT" verify "${k[@]}" --manifest "${1-M.gcm}" "${@:2}"; }
keep_tree() { rm -rf kept && cp -a tree kept && cp -a M.gcm kept-manifest; }
# cp -a keeps mtime but not ctime, which verify does not look at.
restore_tree() { rm -rf tree && cp -a kept tree && cp -a kept-manifest M.gcm; }

# 200 files in 4 folders, and names that are no UTF-8 and hold a newline.
mkdir -p tree/{a,b,c,d}
letters=abcd
for ((i = 0; i < 200; i++)); do
	file[i]=tree/${letters:i % 4:1}/$i
	bytes $((i * 97)) "$((i + 1))" >"${file[i]}"
done
odd=$'tree/a/odd\n\xff'
bytes 1000 300 >"$odd"
find tree -type f -print0 >list

expect 0 '201 files: 201 done, 0 failed' backup -j 2
expect_exit 0 check >out
[ ! -s err ] || give_up "$(cat err)"
grep -q '^M.gcm: verified: 201 files, manifest of 20..-..-..T..:..:..Z$' out || give_up "$(cat out)"
[ "$(stat -c %a M.gcm)" = 600 ] || give_up "mode of the manifest"
"$GCRYPT" info M.gcm | grep -qx 'content: manifest'

# Its text by the independent reader: size and times as stat(1) prints them, digest and container as verify does.
peer dec key M.gcm text
peer bound key M.gcm || give_up "the MAC"
"$GCRYPT" dec "${k[@]}" -o same-text M.gcm
same text same-text
"$GCRYPT" verify -j 2 "${k[@]}" --json tree/?/*.gcr >verified
python3 - <<'END'
import json, os
first, *lines = [json.loads(line) for line in open("text", encoding="utf-8")]
assert first["manifest"] == 1 and first["files"] == len(lines) == 201, first
digests = {line["digest"] for line in map(json.loads, open("verified"))}
assert len(digests) == 201
def name(line, key):
    return bytes.fromhex(line[key + "_hex"]) if key + "_hex" in line else line[key].encode()
for line in lines:
    stat = os.stat(name(line, "name"))
    assert name(line, "container") == name(line, "name") + b".gcr" and os.path.exists(name(line, "container"))
    assert line["size"] == stat.st_size
    for key in ("mtime", "ctime"):
        ns = getattr(stat, f"st_{key}_ns")
        assert line[key] == f"{ns // 10**9}.{ns % 10**9:09}", line
assert digests == {line["digest"] for line in lines}
assert sum("name_hex" in line for line in lines) == 1
END

# The same digest for the same file.
digest=$(python3 -c 'import json
print(next(line["digest"] for line in map(json.loads, open("text")) if line.get("name") == "tree/b/5"))')
[ "$("$GCRYPT" verify --json "${k[@]}" tree/b/5.gcr | field digest)" = "$digest" ] || give_up "digest of tree/b/5"

# Nothing changed: nothing is written.
before=$(stat -c '%i %Z' M.gcm)
expect 0 '201 files: 0 done, 201 unchanged, 0 failed' backup
[ "$(stat -c '%i %Z' M.gcm)" = "$before" ] || give_up "the manifest was written again"

# 100 changes of six kinds, and each is found.
keep_tree
for ((i = 0; i < 20; i++)); do
	flip "${file[i]}.gcr" $((i == 0 ? 16400 : 20480)) # a chunk's first byte; an empty file has none
	echo "changed: ${file[i]}.gcr"
	rm "${file[i + 20]}.gcr"
	echo "missing: ${file[i + 20]}.gcr"
	head -c $((i * 1000 + 1)) "${file[199]}.gcr" >"${file[i + 40]}.extra.gcr"
	echo "extra: ${file[i + 40]}.extra.gcr"
	if ((i % 2)); then
		echo more >>"${file[i + 60]}"
	else
		touch -d '2001-01-01' "${file[i + 60]}"
	fi
	echo "stale: ${file[i + 60]}"
	mv "${file[i + 80]}.gcr" "${file[i + 81]}.moved.gcr"
	echo "renamed: ${file[i + 80]}.gcr"
done >planted
for ((i = 100; i < 120; i += 2)); do
	mv "${file[i]}.gcr" swap
	mv "${file[i + 1]}.gcr" "${file[i]}.gcr"
	mv swap "${file[i + 1]}.gcr"
	printf 'swapped: %s.gcr\n' "${file[i]}" "${file[i + 1]}"
done >>planted
[ "$(wc -l <planted)" -eq 120 ] || give_up "planted: $(wc -l <planted)"
expect_exit 4 check >out
cut -d : -f 1,2 out | sort >found
sort planted | diff - found || give_up "planted (<) and found (>)"
says '120 differences'
says '20 missing, 20 extra, 20 changed, 20 stale, 20 renamed, 20 swapped'
expect_exit 4 check M.gcm -j 2 --json >json
python3 - <<'END'
import json
lines = [json.loads(line) for line in open("json")]
found = sorted(f'{line["finding"]}: {line["file"]}' for line in lines if "finding" in line)
assert found == sorted(open("planted").read().split("\n")[:-1]), found
END

# The next run does what changed, and what it cannot see from file and record alone stays for verify.
restore_tree
expect 0 '201 files: 201 done, 0 failed' backup # the copies' ctime is another
keep_tree
echo more >>tree/a/4
touch -d '2001-01-01' tree/b/5
chmod 600 tree/c/6
rm tree/d/7.gcr
bytes 500 7 >tree/new
printf 'tree/new\0' >>list
rm tree/a/8
expect 3 '202 files: 5 done, 196 unchanged, 1 failed' backup -j 2
"$GCRYPT" dec "${k[@]}" -o back tree/a/4.gcr
same back tree/a/4
expect_exit 0 check >out
grep -q '; 1 of the files is not here$' out || give_up "$(cat out)"

# A file that is no longer in the list loses its record with --prune, and its container is found.
find tree -type f ! -name '*.gcr' -print0 >list
expect 0 '201 files: 0 done, 201 unchanged, 0 failed' backup
expect_exit 0 check >out
grep -q '^M.gcm: verified: 202 files' out || give_up "$(cat out)"
expect 0 '201 files: 0 done, 201 unchanged, 0 failed' backup --prune
expect_exit 4 check >out
[ "$(cat out)" = "extra: tree/a/8.gcr: has no record in the manifest" ] || give_up "$(cat out)"
rm tree/a/8.gcr
expect_exit 0 check >out

# Forged: a container of a file that holds a manifest; a damaged one; another key; what is no manifest.
peer dec key M.gcm text
"$GCRYPT" enc "${k[@]}" -o as-file.gcr text
expect 4 'content' check as-file.gcr
expect_exit 4 "$GCRYPT" enc "${k[@]}" --manifest as-file.gcr text
no_file text.gcr
cp M.gcm damaged
flip damaged 30000
expect_exit 4 check damaged
bytes 32 5 >other
chmod 600 other
expect_exit 5 "$GCRYPT" verify --key-file other --manifest M.gcm
expect_exit 5 "$GCRYPT" enc --key-file other --manifest M.gcm text
no_file text.gcr
for edit in 's/"manifest":1/"manifest":2/' '1d' '2d' 's/"digest":"../"digest":"/' 's/"mtime":"/"mtime":"x/' '3s/.$//' \
	's/"size":/"size":-/' 's/"container":"[^"]*"/"container":""/'; do
	LC_ALL=C sed "$edit" text >edited
	peer enc --content 4 key edited forged
	code=4
	[ "$edit" != 's/"manifest":1/"manifest":2/' ] || code=7
	expect_exit $code check forged
done
: >text
peer enc --content 4 key text forged
expect_exit 4 check forged
expect_exit 3 check missing.gcm
cp key plain
expect_exit 4 "$GCRYPT" enc "${k[@]}" --manifest plain text
same key plain

# An earlier release has written it: nothing is skipped, and what is there stays.
peer dec key M.gcm text
sed -i '1s/,"mac":"[0-9a-f]*"//' text
peer enc --content 4 key text old
expect 4 'old: not bound to this secret' check old
refused 6 'old: warning: not bound to this secret' enc "${k[@]}" --manifest old tree/new

# Mistakes.
expect 2 '--manifest: not with the operand tree/new.gcr' check M.gcm tree/new.gcr
"$GCRYPT" keygen --x25519 -o pair
expect_exit 0 "$GCRYPT" enc -f --recipient pair.pub "${k[@]}" --manifest N.gcm tree/new
expect_exit 0 "$GCRYPT" verify --identity pair --manifest N.gcm >out
says 'N.gcm: warning: opened with a private key: whoever has its public key could have written'
expect_exit 0 "$GCRYPT" verify "${k[@]}" --manifest N.gcm >out
[ ! -s err ] || give_up "$(cat err)"

# A container that the record does not name is not replaced.
bytes 100 9 >mine
bytes 100 10 >mine.gcr
expect_exit 6 "$GCRYPT" enc "${k[@]}" --recipient pair.pub --manifest N.gcm tree/new mine
same mine.gcr <(bytes 100 10)

# Two runs at a time: the second one is refused before it has done anything.
rm -f N.gcm mine.gcr
bytes 3000000 11 >slow
"$GCRYPT" enc -q "${k[@]}" --manifest N.gcm mine
"$GCRYPT" enc -q --bwlimit 1M "${k[@]}" --manifest N.gcm mine slow &
pid=$!
soon compgen -G '.gcrypt-*.part' >/dev/null || give_up "not begun"
bytes 100 12 >third
refused 6 'N.gcm: another run is using it' enc -q "${k[@]}" --manifest N.gcm mine third
no_file third.gcr
wait "$pid"
no_file N.gcm.lock
peer dec key N.gcm text
grep -q '"name":"slow"' text || give_up "$(cat text)"
"$GCRYPT" enc -q "${k[@]}" --manifest N.gcm third
peer dec key N.gcm text
[ "$(grep -c '"name":"\(mine\|slow\|third\)"' text)" -eq 3 ] || give_up "$(cat text)"

# A run that is killed: what a checkpoint has recorded is not done again.
mkdir small
for ((i = 0; i < 1100; i++)); do
	echo "$i" >"small/$i"
done
find small -type f >names
echo slow >>names
rm ./*.gcr
"$GCRYPT" enc -q -j 2 --bwlimit 1M "${k[@]}" --files-from names --manifest K.gcm &
pid=$!
soon compgen -G '.gcrypt-*.part' >/dev/null || give_up "not begun"
soon test -e K.gcm || give_up "no checkpoint"
kill "$pid"
wait "$pid" || true
peer dec key K.gcm text
recorded=$(sed 1d text | wc -l)
[ "$recorded" -gt 0 ] || give_up "an empty checkpoint"
expect_exit 0 "$GCRYPT" enc -f "${k[@]}" --files-from names --manifest K.gcm
n=$(sed -n 's/^1101 files: \([0-9]*\) done, .*/\1/p' err)
[ "$n" -eq $((1101 - recorded)) ] || give_up "$(cat err)"
expect_exit 0 check K.gcm >out
