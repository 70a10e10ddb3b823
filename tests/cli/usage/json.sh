#!/bin/bash
# What JSON says, and without --json words for people.  (That it is JSON, whatever a file is called: group 13 of
# tests/faults.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 30000 >in
k=(--key-file key)

"$GCRYPT" enc "${small[@]}" --cipher camellia --bits 192 --mode xts "${k[@]}" in
"$GCRYPT" info --json in.gcr >info.json
[ "$(field cipher bits mode authenticated <info.json)" = 'camellia 192 xts False' ] || give_up "$(cat info.json)"
"$GCRYPT" info in.gcr | grep 'not authenticated' >/dev/null
"$GCRYPT" info in.gcr | grep camellia >/dev/null
"$GCRYPT" key list in.gcr | grep 'key file' >/dev/null
"$GCRYPT" info --show-keys "${k[@]}" in.gcr | grep -i key >/dev/null

# Only what is no UTF-8 is replaced; people get no control characters either.
name=$'\xc3\xa4\xff.gcr'
cp in.gcr "$name"
[ "$("$GCRYPT" info --json "$name" | field file)" = $'\xc3\xa4?.gcr' ] || give_up "name in JSON"
# ... and its bytes are beside it, wherever JSON has a name.
hex=c3a4ff2e676372
"$GCRYPT" info --json "$name" >named.json
[ "$(field file_hex <named.json)" = $hex ] || give_up "bytes of the name: $(cat named.json)"
[ "$("$GCRYPT" key list --json "$name" | field file_hex)" = $hex ] || give_up "key list"
[ "$("$GCRYPT" verify --json "${k[@]}" "$name" | field input_hex)" = $hex ] || give_up verify
[ "$("$GCRYPT" dec --dry-run --json "${k[@]}" -o out "$name" | field input_hex)" = $hex ] || give_up plan
[ "$("$GCRYPT" dec --salvage --json "${k[@]}" -o out "$name" | field file_hex)" = $hex ] || give_up salvage
"$GCRYPT" enc --json "${k[@]}" -f -o "$name" in >named.json
[ "$(field output_hex <named.json)" = $hex ] || give_up "enc: $(cat named.json)"
[ "$(field input <named.json)" = in ] || give_up "enc: $(cat named.json)"
! grep -q input_hex named.json || give_up "bytes of a name that is UTF-8"
"$GCRYPT" enc --json --progress "${k[@]}" -f -o out "$name" 2>words >/dev/null
[ "$(head -n 1 words | field file_hex)" = $hex ] || give_up "progress: $(cat words)"
name=$'a\033[31m\xc2\x9b'
cp in.gcr "$name"
[ "$("$GCRYPT" info "$name" | head -n 1)" = 'file: a?[31m??' ] || give_up "name in info"

# Without --json, nothing on standard output; without a terminal, nothing on standard error.
for verb in "enc -f" "verify -q" "dec -f"; do
	file=in.gcr
	[ "$verb" != "enc -f" ] || file=in
	"$GCRYPT" $verb "${k[@]}" "$file" >words 2>&1
	[ ! -s words ] || give_up "$verb prints: $(cat words)"
done
"$GCRYPT" enc -f --progress "${k[@]}" in 2>words >out
[ ! -s out ] || give_up "--progress is on standard output"
[ -s words ] || give_up "--progress shows nothing"
"$GCRYPT" enc -f --progress --json "${k[@]}" --zstd in 2>words >out
! grep -q done_bytes out || give_up "--progress --json is on standard output"
python3 - words "$(stat -c %s in)" <<'END'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert lines and lines[-1]["done_bytes"] == lines[-1]["total_bytes"] == int(sys.argv[2]), lines
assert lines[-1]["bytes_per_s"] > 0 and lines[-1]["seconds_left"] == 0 and "all" not in lines[-1], lines
END
# Several files: their sum too, to which a file that is not there adds nothing.
printf '%s\n' in none named.json >list
! "$GCRYPT" enc -f --progress --json "${k[@]}" --files-from list 2>words >out || give_up "a file is missing"
python3 - "$(cat in named.json | wc -c)" <<'END'
import json, sys
shown = [json.loads(line)["all"] for line in open("words") if line.startswith("{")]
assert [(one["number"], one["files"], one["done_bytes"]) for one in shown] == [(1, 3, 30000), (3, 3, int(sys.argv[1]))]
assert shown[0]["total_bytes"] == shown[1]["total_bytes"] == int(sys.argv[1]) and shown[1]["percent"] == 100, shown
END
head -c 1000000 in | "$GCRYPT" enc --progress --json "${k[@]}" - 2>words >out
python3 -c 'import json, sys
shown = [json.loads(line) for line in open("words")]
assert shown[-1]["status"] == 0 and shown[-2]["total_bytes"] is None'
