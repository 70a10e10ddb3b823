#!/bin/bash
# Labels of key slots: given, listed, kept by rekey and change, and removed; a slot that was written by a program that
# does not know labels has none.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 32 78 >new.key
bytes 32 79 >third.key
chmod 600 new.key third.key
bytes 9000 >in
for who in anna ben carl; do "$GCRYPT" keygen --x25519 -o "$who.pem"; done
# labels FILE: "NUMBER LABEL" of each, from JSON.
labels() {
	"$GCRYPT" key list --json "$1" | python3 -c '
import json, sys
for slot in json.load(sys.stdin)["slots"]:
    print(slot["slot"], slot.get("label", "-"), end="; ")'
}
# independent FILE: the same by the independent reader.
independent() {
	python3 - "$tests" "$1" <<'TEXT'
import sys
sys.path.insert(0, sys.argv[1])
from model.reader import labels_of
copy = open(sys.argv[2], "rb").read(8192)
print(*(f"{number} {label}" for number, label in sorted(labels_of(copy).items())), sep="; ", end="; ")
TEXT
}
is() { [ "$1" = "$2" ] || give_up "'$1' instead of '$2'"; }

expect_exit 0 "$GCRYPT" enc "${small[@]}" --key-file key --label 'the safe, 2nd floor' in
is "$(labels in.gcr)" "0 the safe, 2nd floor; "
is "$(independent in.gcr)" "0 the safe, 2nd floor; "
peer dec key in.gcr out
same in out
"$GCRYPT" key list in.gcr | grep -qxF 'slot 0: key file, label "the safe, 2nd floor"' || give_up "$("$GCRYPT" key list in.gcr)"
expect_exit 0 "$GCRYPT" key add --key-file key --new-recipient anna.pem.pub --label Änna in.gcr
expect_exit 0 "$GCRYPT" key add --key-file key --new-recipient ben.pem.pub in.gcr
is "$(labels in.gcr)" "0 the safe, 2nd floor; 1 Änna; 2 -; "
is "$(independent in.gcr)" "0 the safe, 2nd floor; 1 Änna; "

# Kept by a change and by rekey, whatever the new numbers.
cp in.gcr kept
expect_exit 0 "$GCRYPT" key change -q --key-file key --new-key-file new.key in.gcr
is "$(labels in.gcr)" "0 the safe, 2nd floor; 1 Änna; 2 -; "
expect_exit 0 "$GCRYPT" key change -q --key-file new.key --new-key-file key --label other in.gcr
is "$(labels in.gcr)" "0 other; 1 Änna; 2 -; "
expect_exit 0 "$GCRYPT" rekey -q --key-file key -r ben.pem.pub -r anna.pem.pub in.gcr
is "$(labels in.gcr)" "0 other; 1 -; 2 Änna; "
expect_exit 0 "$GCRYPT" verify -i anna.pem in.gcr

# Removed by label: with the slot goes its label, and with the last label the slot that holds labels.
cp in.gcr before
refused 2 "no key slot has the label 'nobody'" key remove --key-file key --label nobody in.gcr
expect_exit 2 "$GCRYPT" key remove --key-file key --label Änna --slot 2 in.gcr
refused 2 "no key slot 7" key remove --key-file key --slot 7 in.gcr
same in.gcr before
expect 0 "slot 2 is removed" "$GCRYPT" key remove --key-file key --label Änna in.gcr
is "$(labels in.gcr)" "0 other; 1 -; "
expect_exit 0 "$GCRYPT" key remove -q -i ben.pem --label other in.gcr
is "$(labels in.gcr)" "1 -; "
part in.gcr $((480 + 7 * 960)) 960 | cmp - <(head -c 960 /dev/zero) || give_up "the labels are still there"
"$GCRYPT" key add -q -i ben.pem --new-key-file key --label twin in.gcr
"$GCRYPT" key add -q -i ben.pem --new-key-file new.key --label twin in.gcr
refused 2 "2 key slots have the label 'twin'" key remove -i ben.pem --label twin in.gcr

# Labels need a slot.
"$GCRYPT" enc -f "${small[@]}" --key-file key in
for i in {1..6}; do
	"$GCRYPT" keygen -o "$i.key"
	"$GCRYPT" key add -q --key-file key --new-key-file "$i.key" in.gcr
done
refused 2 "the last free one is needed for labels" key add --key-file key --new-recipient anna.pem.pub --label full in.gcr
expect_exit 0 "$GCRYPT" key add --key-file key --new-recipient anna.pem.pub in.gcr

# Usage.
refused 2 "names one key slot, not 2" enc -r anna.pem.pub -r ben.pem.pub --label both -o new in
refused 2 "control character" enc --key-file key --label $'a\nb' -o new in
expect_exit 2 "$GCRYPT" enc --key-file key --label "$(printf 'x%.0s' {1..97})" -o new in
expect_exit 0 "$GCRYPT" enc --key-file key --label "$(printf 'x%.0s' {1..96})" -o new in
is "$(labels new)" "0 $(printf 'x%.0s' {1..96}); "
