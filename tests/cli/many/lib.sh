# What the scenarios with several runs share; beside tests/scenarios/lib.sh, which it sources.
# shellcheck shell=bash
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"

# need_mpi: mpi is the program gcrypt-mpi; mpirun starts more ranks than there are processors, also as root.
need_mpi() {
	mpi=$(dirname "$GCRYPT")/gcrypt-mpi
	command -v mpirun >/dev/null || skip "no mpirun"
	[ -x "$mpi" ] || skip "no gcrypt-mpi: it is built where mpicc is"
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
	export XDG_CACHE_HOME=$PWD/cache
	# Ranks of one machine need no network and no list of OpenCL devices, which take longer than the work.
	export HWLOC_COMPONENTS=-opencl OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
	# A killed rank leaves its segment of shared memory; here it goes with the folder of the scenario.
	export OMPI_MCA_btl_vader_backing_directory=$PWD OMPI_MCA_btl_sm_backing_directory=$PWD
	[[ $(mpirun --version) == *' 4.'* ]] || OMPI_MCA_btl=self,sm
	export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # the same for Open MPI 5
}

# ranks N WORDS of mpirun…
ranks() { timeout 120 mpirun --bind-to none -np "$@"; }

# ends CODE MESSAGE COMMAND…: gcrypt-mpi ends so; if it fails, with one line of its own.
ends() {
	local want=$1 text=$2 code=0
	shift 2
	"$@" >out 2>err </dev/null || code=$?
	[ "$code" = "$want" ] || give_up "exit $code instead of $want: $*: $(cat err)"
	[ "$want" = 0 ] || [ "$(grep -c '^gcrypt-mpi: ' err)" = 1 ] || give_up "messages: $(cat err)"
	[ -z "$text" ] || grep -qF -e "$text" err out || give_up "message without '$text': $(cat err)"
}

# rank_fault: faulty are the words by which mpirun lets a rank fail (rank_fault.c); false without a compiler.
rank_fault() {
	command -v cc >/dev/null || return
	make_shim "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/rank_fault.c"
	export RANK_FAULT RANK
	# shellcheck disable=SC2034 # the scenario's
	faulty=(-x LD_PRELOAD="$PWD/rank_fault.so" -x RANK_FAULT -x RANK)
}

# For dec --part: the container c of plain, by the options k; the output is out.
# shellcheck disable=SC2154 # k is the scenario's
dec_part() { "$GCRYPT" dec "${k[@]}" --part "$@"; }

# part_refused CODE TEXT WORDS…
part_refused() {
	local code=$1 text=$2
	shift 2
	expect_exit "$code" dec_part "$@"
	says "$text"
}

# decrypted [FILE…]: out is complete, and nothing but these files is beside it.
decrypted() {
	same plain out
	rm out
	only plain c key "$@"
}

fresh() { rm -f out.part*; }
