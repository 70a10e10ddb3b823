#!/bin/bash
# advise --luks2: the ciphers and key sizes of volumes, in XTS, and a word about dm-crypt.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
keep_records
advise=("$GCRYPT" advise --size 64M)
"${advise[@]}" --luks2 >said
grep '^64 MiB, xts, LUKS2 volume without tags' said >/dev/null || give_up "$(cat said)"
grep '^enc chooses: [a-z]*-256-xts' said >/dev/null || give_up "$(cat said)"
[ "$(tail -n 1 said | grep -c '^dm-crypt uses no device: ')" = 1 ] || give_up "$(cat said)"
! grep -E '^(sc2000|[a-z]*-192)' said || give_up "rows that no volume has"
grep -E '^camellia-128 ' said >/dev/null || give_up "$(cat said)"
"${advise[@]}" --luks2 --json >with.json
[ "$(field mode <with.json)" = xts ] || give_up mode
field dm_crypt <with.json >/dev/null
"${advise[@]}" --mode xts --json >without.json
! field dm_crypt <without.json 2>/dev/null || give_up "dm-crypt without a volume"

# Without tags less is computed; nothing but the tags differs.
python3 - <<'TEXT' || give_up "a volume is predicted to take longer than a container"
import json, sys
rows = [{(row["cipher"], row["bits"], row["engine"], row.get("device")): row for row in json.load(open(name))["rows"]}
        for name in ("with.json", "without.json")]
assert rows[0] and all(row["memory"]["seconds"] <= rows[1][key]["memory"]["seconds"] * 1.01 for key, row in rows[0].items())
TEXT
for option in --measure '--allow sc2000' '--cipher sc2000' '--bits 192' '--mode ctr'; do
	expect_exit 2 "${advise[@]}" --luks2 $option
done
