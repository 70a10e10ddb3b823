#!/bin/bash
# Runs with a manifest that go wrong: no record is lost, and no other file is touched.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
enc() { "$GCRYPT" enc "${k[@]}" --manifest M "$@"; }
check() { "$GCRYPT" verify "${k[@]}" --manifest "${1-M}" "${@:2}"; }
records() {
	peer dec key "${1-M}" text
	sed 1d text | python3 -c 'import json, sys; print(*(json.loads(line)["name"] for line in sys.stdin))'
}
mkdir p q
for ((i = 1; i <= 5; i++)); do
	bytes $((1000 * i)) "$i" >p/$i
	bytes $((1000 * i)) "$i" >q/$i
done

# A run over other inputs, or over a mistyped one, keeps all records: verify misses what is gone.
expect_exit 0 enc -q p/1 p/2 p/3
expect_exit 3 enc p/typo
[ "$(records)" = 'p/1 p/2 p/3' ] || give_up "records: $(records)"
expect_exit 0 enc q/5
[ "$(records)" = 'p/1 p/2 p/3 q/5' ] || give_up "records: $(records)"
rm p/2.gcr
expect_exit 4 check >out
[ "$(cat out)" = 'missing: p/2.gcr: the container of p/2' ] || give_up "$(cat out)"

# --prune drops the records of other files, but not after a failure.
printf 'p/1\np/typo\n' >list
expect_exit 3 enc --prune --files-from list
expect_exit 3 enc --prune p/typo
: >list
expect_exit 0 enc -q --prune --files-from list
[ "$(records)" = 'p/1 p/2 p/3 q/5' ] || give_up "records: $(records)"
expect_exit 0 enc -q --prune p/1 p/3
[ "$(records)" = 'p/1 p/3' ] || give_up "records: $(records)"
expect_exit 0 check >out
grep -q '^M: verified: 2 files' out || give_up "$(cat out)"

# A manifest without records has nothing to verify.
printf '{"manifest":1,"time":"2026-01-01T00:00:00Z","files":0,"mac":"%064d"}\n' 0 >text
peer enc --content 4 key text empty
expect 4 'empty: records no file' check empty

# Several manifests, one of each node: a difference from any manifest is found, and a copy of a manifest is rejected.
expect_exit 0 "$GCRYPT" enc -q "${k[@]}" --manifest R p/2 p/4
expect_exit 4 check
says '2 differences' # the containers of R
expect_exit 0 check M --manifest R >out
grep -q '^M and 1 more: verified: 4 files' out || give_up "$(cat out)"
rm p/2.gcr
expect_exit 4 check R --manifest M >out
[ "$(cat out)" = 'missing: p/2.gcr: the container of p/2' ] || give_up "$(cat out)"
says 'R and 1 more: 1 difference from the manifest of'
cp M copy
expect 4 'copy: records no file that the manifests before it do not record' check M --manifest copy
expect_exit 4 check M --manifest empty
expect 2 '--manifest: enc writes one manifest, not 2' enc --manifest R p/1

# An older list in the place of another one does not let an older container pass for that of the newer list.
rm p/4.gcr R copy
mkdir r
bytes 2000 1 >r/1
bytes 2000 2 >r/2
expect_exit 0 "$GCRYPT" enc -q "${k[@]}" --manifest older r/1 r/2
cp r/1.gcr r/2.gcr .
bytes 2000 3 >r/1
expect_exit 0 "$GCRYPT" enc -q -f "${k[@]}" --manifest R r/1
mv 1.gcr 2.gcr r
rm r/1 r/2
for lists in 'R older' 'older R'; do
	expect 4 "${lists#* }: records another container of r/1 than a manifest before it" check "${lists% *}" --manifest "${lists#* }"
done
rm -r r R older

# The tasks of docs/many-nodes.md, by its commands.
python3 - "$root/docs/many-nodes.md" <<'END'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
task, = [block for block in re.findall(r"```bash\n(.*?)```", text, re.S) if "--manifest" in block]
verify, = re.findall(r"`(gcrypt verify .*--manifest .*)`", text)
for name, command in ("task", task), ("all", verify):
    open(name, "w").write(command.replace("backup.key", "key"))
END
printf 'a b\nc\n' >folders
mkdir 'a b' c
cp q/1 'a b'
cp q/2 c
for task in 1 2; do
	expect_exit 0 env HOME="$PWD" PATH="$(dirname "$GCRYPT"):$PATH" SLURM_ARRAY_TASK_ID=$task bash task >out
done
expect_exit 0 env PATH="$(dirname "$GCRYPT"):$PATH" bash all >out
grep -q '^backup-1.gcm and 1 more: verified: 2 files' out || give_up "$(cat out)"

# The lock: of a run that was killed it stays and holds nobody up; a file that holds something is no lock.
: >M.lock
expect_exit 0 enc -q p/4
no_file M.lock
echo mine >M.lock
expect 6 'M.lock: exists, and is no lock of a manifest' enc -q p/5
[ "$(cat M.lock)" = mine ] || give_up "M.lock was changed"
rm M.lock
ln -s elsewhere M.lock
expect_exit 3 enc -q p/5
no_file elsewhere p/5.gcr
rm M.lock

# The first run locks too, and a second one is refused before it has done anything.
bytes 3000000 11 >slow
"$GCRYPT" enc -q --bwlimit 1M "${k[@]}" --manifest N slow &
pid=$!
soon compgen -G '.gcrypt-*.part' >/dev/null || give_up "not begun"
refused 6 'N: another run is using it' enc "${k[@]}" --manifest N p/5
no_file p/5.gcr
wait "$pid"
[ "$(records N)" = slow ] || give_up "records: $(records N)"

# A symbolic link is refused before anything is done; verify follows it.
ln -s M link
refused 2 'link: is a symbolic link' enc "${k[@]}" --manifest link p/5
no_file p/5.gcr link.lock
expect_exit 0 check link >out

# A FIFO in the place of a file, a container or a manifest is not opened.
rm -f p/1.gcr p/4.gcr
mkfifo fifo p/1.gcr
expect 2 'fifo: --manifest takes regular files' timeout 20 "$GCRYPT" enc "${k[@]}" --manifest M fifo
expect 2 'fifo: a manifest is a regular file' timeout 20 "$GCRYPT" verify "${k[@]}" --manifest fifo
expect_exit 2 timeout 20 "$GCRYPT" enc "${k[@]}" --manifest fifo p/5

# A container that this key does not open is not called changed, and a long name leaves its reason; one is no plural.
bytes 32 5 >other
chmod 600 other
"$GCRYPT" enc -q --engine cpu --key-file other p/4
expect_exit 4 timeout 20 "$GCRYPT" verify "${k[@]}" --manifest M >out
grep -q '^unreadable: p/1.gcr: --manifest takes regular files$' out || give_up "$(cat out)"
grep -q '^unreadable: p/4.gcr: ' out || give_up "$(cat out)"
mkdir l
long=l/$(printf '%0200d' 0)
bytes 1000 9 >"$long"
"$GCRYPT" enc -q "${k[@]}" --manifest L "$long"
rm "$long.gcr"
mkfifo "$long.gcr"
expect_exit 4 timeout 20 "$GCRYPT" verify "${k[@]}" --manifest L >out
grep -q "^unreadable: $long.gcr: --manifest takes regular files\$" out || give_up "$(cat out)"
says '1 difference from the manifest of'
says 'with 1 file: 1 unreadable'

# No secret loses the manifest silently, and no container is that of two inputs.
"$GCRYPT" keygen --x25519 -o anna.pem
"$GCRYPT" key add -q --key-file key --new-recipient anna.pem.pub L
bytes 1001 9 >"$long"
refused 2 'L: opens with 2 secrets, of which this run names 1' enc -q "${k[@]}" --manifest L "$long"
rm "$long.gcr"
"$GCRYPT" enc -q "${k[@]}" -r anna.pem.pub --manifest L "$long"
expect_exit 0 timeout 20 "$GCRYPT" verify -i anna.pem --manifest L
bytes 1002 9 >"$long"
"$GCRYPT" enc -q -f "${k[@]}" --manifest L "$long"
expect_exit 5 timeout 20 "$GCRYPT" verify -i anna.pem --manifest L
mkdir x y into
bytes 10 1 >x/a
bytes 10 2 >y/a
refused 2 'into/a.gcr: would be the container of two inputs' enc -f "${k[@]}" --output-dir into --manifest none x/a y/a
no_file into/a.gcr none

# A container that was made again, whose record was lost with the manifest of that run, has the time and the size of the
# recorded one: it is not taken for that one.
mkdir gone
bytes 1000 11 >gone/again
"$GCRYPT" enc -q "${k[@]}" --manifest A gone/again
cp A first
rm gone/again.gcr
"$GCRYPT" enc -q "${k[@]}" --manifest A gone/again
mv first A
refused 6 'gone/again.gcr: exists' enc -q "${k[@]}" --manifest A gone/again
"$GCRYPT" enc -q -f "${k[@]}" --manifest A gone/again
expect_exit 0 check A >out
