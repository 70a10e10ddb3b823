#!/bin/bash
# advise measures a record of the CPU again that other programs disturbed, and with --remeasure each record.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"
export OCL_ICD_VENDORS=/nonexistent
keep_records
export TMPDIR=$PWD
host=cache/gcrypt/host-$(uname -n).json
"$GCRYPT" advise --remeasure --size 1M >out 2>err || give_up "advise: $(cat err)"
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

# --remeasure replaces it.
expect_exit 0 "$GCRYPT" advise --remeasure --size 1M >out
says 'measuring the CPU'
[ "$(run_seconds)" != 99.0 ] || give_up "not measured again"

# Other programs used half of the CPU; repetitions differed.
for member in other_work host_spread; do
	quiet
	set_member $member 0.5
	set_member run_s 99
	expect_exit 0 "$GCRYPT" advise --size 1M >out
	says 'other programs disturbed the last measurement of the CPU: measuring again'
	[ "$(run_seconds)" != 99.0 ] || give_up "$member: not measured again"
done
