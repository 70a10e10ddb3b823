#!/bin/bash
# A header with the highest sequence number opens; its slots cannot be changed, but rekey makes a container that can.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
(umask 077 && bytes 32 78 >new.key)
for less in 0 1; do
	forge sequence key made.gcr "$less"
	cp made.gcr kept
	expect_exit 0 "$GCRYPT" dec --key-file key -f -o out made.gcr
	same out <(head -c 5000 /dev/zero)
	refused 2 "made.gcr: its key slots cannot be changed any more" key add --key-file key --new-key-file new.key made.gcr
	says "gcrypt rekey"
	refused 2 "gcrypt rekey" key remove --key-file key --slot 0 made.gcr
	same made.gcr kept
	expect_exit 0 "$GCRYPT" rekey --key-file key made.gcr
	[ "$("$GCRYPT" info --json made.gcr | field sequence)" = 1 ] || give_up "sequence"
	expect_exit 0 "$GCRYPT" key add --key-file key --new-key-file new.key made.gcr
	expect_exit 0 "$GCRYPT" verify --key-file new.key made.gcr
done

# The last number but one is the last that a change makes.
python3 - <<'PY'
from model.reader import read_secret
from model.writer import Draft, Random
draft = Draft(read_secret("key"), bytes(5000), Random("sequence"))
draft.copies = [{"sequence": 2**64 - 2}] * 2
open("made.gcr", "wb").write(draft.bytes())
PY
expect_exit 0 "$GCRYPT" key add --key-file key --new-key-file new.key made.gcr
expect_exit 0 "$GCRYPT" verify --key-file new.key made.gcr
expect_exit 2 "$GCRYPT" key remove --key-file key --slot 1 made.gcr
