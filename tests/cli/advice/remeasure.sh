#!/bin/bash
# advise measures a record of the CPU again if other programs disturbed it; with --remeasure it measures each record.
# With GCRYPT_TEST_ONE_IN only one measurement runs to its end.  tests/unit/cli/test_machine_measured.c has the cases
# without measurements.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
export OCL_ICD_VENDORS=/nonexistent
keep_records
export TMPDIR=$PWD
cp "$machine" good.json

# forge NAME VALUE: a good record of the CPU, but for this member.
forge() {
	cp good.json "$machine"
	change_cache "cache['host'].update({'other_work': 0.01, 'host_spread': 0.01, 'run_s': 99.0, '$1': float($2)})"
}
run_seconds() { field host.run_s <"$machine"; }
again='other programs disturbed the last measurement of the CPU: measuring again'

# measures TEXT [OPTION]: advise says it and measures another figure.
measures() {
	expect 0 "$1" "$GCRYPT" advise "${@:2}" --size 1M >out
	[ "$(run_seconds)" != 99.0 ] || give_up "not measured: $*"
}

# starts TEXT [OPTION]: advise says it, and is interrupted.
starts() {
	[ -n "${GCRYPT_TEST_ONE_IN-}" ] || { measures "$@" && return; }
	"$GCRYPT" advise "${@:2}" --size 1M >out 2>err &
	soon grep -qF "$1" err || give_up "$1: not measured: $*"
	kill $!
	! wait $! || give_up "it was not interrupted"
}

# A good record is used as it is.
forge run_s 99
expect_exit 0 "$GCRYPT" advise --size 1M >out
[ ! -s err ] || give_up "messages: $(cat err)"
[ "$(run_seconds)" = 99.0 ] || give_up "measured again: $(run_seconds)"

starts 'measuring the CPU' --remeasure
# Other programs used half of the CPU; or repetitions differed.
forge other_work 0.5
measures "$again"
forge host_spread 0.5
starts "$again"
