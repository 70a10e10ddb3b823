#!/bin/bash
# advise measures a record of the CPU again that other programs disturbed, and with --remeasure each record.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"
export OCL_ICD_VENDORS=/nonexistent
keep_records
export TMPDIR=$PWD
host=cache/gcrypt/host-$(uname -n).json

# Records are there, and --remeasure measures nevertheless.
expect_exit 0 "$GCRYPT" advise --remeasure --size 1M >out
says 'measuring the CPU'
[ -f "$host" ] || give_up "no record: $(ls cache/gcrypt)"

# set_member NAME VALUE: in the record of the CPU.
set_member() {
	python3 - "$host" "$1" "$2" <<'TEXT'
import json, sys
record = json.load(open(sys.argv[1]))
record[sys.argv[2]] = float(sys.argv[3])
json.dump(record, open(sys.argv[1], "w"))
TEXT
}
quiet() { set_member other_work 0.01 && set_member host_spread 0.01; }
run_seconds() { field run_s <"$host"; }

# A good record is used as it is.
quiet
set_member run_s 99
expect_exit 0 "$GCRYPT" advise --size 1M >out
[ ! -s err ] || give_up "messages: $(cat err)"
[ "$(run_seconds)" = 99.0 ] || give_up "measured again: $(run_seconds)"

# Other programs used half of the CPU; or repetitions differed: of this, only that it is measured again.
again='other programs disturbed the last measurement of the CPU: measuring again'
set_member other_work 0.5
expect_exit 0 "$GCRYPT" advise --size 1M >out
says "$again"
[ "$(run_seconds)" != 99.0 ] || give_up "not measured again"
quiet
set_member host_spread 0.5
set_member run_s 99
if [ -z "${GCRYPT_TEST_ONE_IN-}" ]; then # check-long: to the end, and --remeasure over a good record
	expect_exit 0 "$GCRYPT" advise --size 1M >out
	says "$again"
	[ "$(run_seconds)" != 99.0 ] || give_up "host_spread: not measured again"
	quiet
	set_member run_s 99
	expect_exit 0 "$GCRYPT" advise --remeasure --size 1M >out
	[ "$(run_seconds)" != 99.0 ] || give_up "--remeasure: not measured again"
	exit
fi
"$GCRYPT" advise --size 1M >out 2>err &
soon grep -qF "$again" err || give_up "host_spread: not measured again"
kill $!
! wait $! || give_up "it was not interrupted"
