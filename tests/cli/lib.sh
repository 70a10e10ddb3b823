# Functions shared by the scenarios; each scenario sources this first.
# shellcheck shell=bash
# shellcheck disable=SC2034 # variables are used by the scenarios
set -euo pipefail

here=${BASH_SOURCE[1]%/*} # the folder of the scenario
tests=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
root=${tests%/*}
: "${GCRYPT:=build/gcrypt}"
ppf=${GCRYPT%/*}/ppf
export PYTHONPATH=$tests PATH=$PATH:/usr/sbin:/sbin # python3 finds the package model

peer() { python3 -S "$tests/model/peer.py" "$@"; }
forge() { python3 "$tests/model/forge.py" "$@"; }

# Small containers: chunks of 4 KiB, groups of 8 KiB.  make_key makes the key file key.
small=(--chunk-log2 12 --group-log2 13)
group_bytes=8192
page() { echo $((16384 + $1 * (4096 + group_bytes))); } # offset of the page of group $1

give_up() {
	echo "FAILED (line ${BASH_LINENO[-2]}): $*"
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

# needs PROGRAM: skip the scenario without it.
needs() { command -v "$1" >/dev/null || skip "no $1"; }

# make_shim FILE.c: make FILE.so here, to be preloaded.  Skips without a compiler; what does not compile is a failure.
make_shim() {
	local name=${1##*/}
	command -v cc >/dev/null || skip "no C compiler"
	cc -shared -fPIC -o "${name%.c}.so" "$1" -ldl 2>err || give_up "$(head -n 3 err)"
}

# faulty FAULT COMMAND…: system calls of the command on files of this folder go wrong: CALL:N:HOW, see tests/faults/shim.c.
faulty() { env LD_PRELOAD="$GCRYPT_TEST_SHIM" FAULT_UNDER="$PWD" FAULT="$1" "${@:2}"; }

# bytes N [SEED]: N bytes that look random and are always the same.
bytes() { "$GCRYPT_TEST_TOOL" bytes - "$1" "${2:-1}"; }

make_key() {
	bytes 32 77 >key
	chmod 600 key
}

# soon COMMAND…: it succeeds now, or within a minute, or longer on a busy machine.
soon() {
	for _ in {1..1200}; do
		if "$@"; then
			return
		fi
		sleep 0.05
	done
	return 1
}

# count_failures: in n_failures, how many lines in err begin with the program's name and are no warning.  Without
# another process, as it is called after most commands.
count_failures() {
	local line
	n_failures=0
	while IFS= read -r line || [ -n "$line" ]; do
		[[ ! $line =~ ^gcrypt:\  || $line =~ ^gcrypt:\ (.*:\ )?warning:\  ]] || n_failures=$((n_failures + 1))
	done <err
}

# failures: that number, as text.
failures() { count_failures && echo "$n_failures"; }

# expect_exit CODE COMMAND…: its standard error is left in the file err.  A failure is reported in
# one line.
expect_exit() {
	local want=$1 code=0
	shift
	"$@" 2>err || code=$?
	if [ "$code" -ne "$want" ]; then
		cat err
		give_up "exit $code instead of $want: $*"
	fi
	if [ "$want" -eq 0 ] || [ "$want" -ge 128 ]; then
		return
	fi
	count_failures
	[ "$n_failures" -eq 1 ] || give_up "$n_failures messages: $*: $(cat err)"
}

# expect CODE TEXT COMMAND…: the same, and a message contains the text.
expect() {
	expect_exit "$1" "${@:3}"
	says "$2"
}

# refused CODE TEXT WORDS…: gcrypt fails with this message.
refused() { expect "$1" "$2" "$GCRYPT" "${@:3}"; }

# says TEXT: a line of the last expect_exit's messages contains it.
says() {
	local line
	while IFS= read -r line || [ -n "$line" ]; do
		[[ $line != *"$1"* ]] || return 0
	done <err
	give_up "message without '$1': $(cat err)"
}

no_file() {
	local name
	for name; do
		if [ -e "$name" ] || [ -L "$name" ]; then
			give_up "$name is there"
		fi
	done
}

# only FILE…: the folder holds these and nothing else (err, and hidden temporaries, count too).
only() {
	local there
	rm -f err
	there=$(find . -mindepth 1 -printf '%P\n' | sort | tr '\n' ' ')
	[ "$there" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] || give_up "folder holds: $there"
}

same() { cmp "$1" "$2" || give_up "$1 and $2 differ"; }

# flip FILE OFFSET [BIT]: turn one bit over.
flip() { "$GCRYPT_TEST_TOOL" flip "$1" "$2" "${3:-0}"; }

# put FILE OFFSET: overwrite with standard input.
put() { "$GCRYPT_TEST_TOOL" put "$1" "$2" 0; }

# put_byte FILE OFFSET HEX
put_byte() { printf '%b' "\\x$3" | put "$1" "$2"; }

# part FILE OFFSET LENGTH
part() { "$GCRYPT_TEST_TOOL" part "$1" "$2" "$3"; }

# hex FILE|-: its bytes in hexadecimal digits.
hex() { od -An -v -tx1 "$1" | tr -d ' \n'; }

# locked FILE BYTE: another program has the lock of this byte of the file, as a run of a part, until `unlocked`.
locked() {
	coproc { python3 -S -E -c '
import fcntl, struct, sys
F_OFD_SETLK = 37
file = open(sys.argv[1], "r+b")
fcntl.fcntl(file, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, int(sys.argv[2]), 1, 0))
print("locked", flush=True)
sys.stdin.read()' "$@"; }
	read -r _ <&"${COPROC[0]}"
}
unlocked() {
	local input=${COPROC[1]} pid=$COPROC_PID
	exec {input}>&-
	wait "$pid"
}

# field NAME… <JSON: the values of paths such as groups.0.key, with blanks between them.
field() {
	python3 -S -E -c '
import json, sys
def value(of, path):
    for name in path.split("."):
        of = of[int(name)] if isinstance(of, list) else of[name]
    return of
text = json.load(sys.stdin)
print(*(value(text, path) for path in sys.argv[1:]))' "$@"
}

# The cache of this machine, if XDG_CACHE_HOME is the folder cache.
machine=cache/gcrypt/machine-$(uname -n | tr -c '[:alnum:]_.+\n-' _).json

# change_cache PYTHON: run a statement on the object `cache`.
change_cache() {
	python3 - "$machine" "$1" <<'TEXT'
import json, sys
cache = json.load(open(sys.argv[1]))
exec(sys.argv[2])
json.dump(cache, open(sys.argv[1], "w"))
TEXT
}

# keep_records: a cache with records of this machine, so that nothing is measured: the default record, or that of
# ppf/devices/$builtin.json, as if it had been measured here, and nothing was missing.  n_devices is the number of OpenCL
# devices.
keep_records() {
	export XDG_CACHE_HOME=$PWD/cache
	mkdir -p cache/gcrypt
	"$GCRYPT" devices --json >devices.json
	[ -e "$machine" ] || echo '{"format": "gcrypt machine 1"}' >"$machine"
	python3 - "$root/ppf/devices/${builtin-cpu}.json" "$machine" "$(stat -f -c %t .)" >n_devices <<'TEXT'
import json, os, re, sys
listed = json.load(open("devices.json"))
record = json.load(open(sys.argv[1]))
record["libcrypto"] = listed["cpu"]["libcrypto"].split(" ")[1]  # "OpenSSL 3.0.17 1 Jul 2025"
record["forms"] = listed["cpu"]["forms"]
costs = record["lookup_cycles"]
costs.update({cost: costs[cost] or 0.5 for cost in costs})
cache = json.load(open(sys.argv[2]))
cache["host"] = cache[f"storage-{sys.argv[3]}-{os.statvfs('.').f_fsid or os.stat('.').st_dev:x}"] = record
for device in listed["devices"]:
    name = re.sub(r"[^A-Za-z0-9._+-]", "_", f"device-{device['name']}-{device['driver']}")
    cache[name] = {**record, "name": device["name"], "driver": device["driver"]}
json.dump(cache, open(sys.argv[2], "w"))
print(len(listed["devices"]))
TEXT
	n_devices=$(cat n_devices)
	rm n_devices
}

# disk_refused CODE TEXT COMMAND…: the command fails, and disk, its detached header and its journal stay as they are.
disk_refused() {
	local code=$1 text=$2 file
	shift 2
	for file in disk disk.gcr disk.gcr.journal; do
		rm -f "before-$file"
		[ ! -e $file ] || cp $file "before-$file"
	done
	expect_exit "$code" "$@"
	says "$text"
	for file in disk disk.gcr disk.gcr.journal; do
		if [ -e "before-$file" ]; then same "before-$file" $file; else no_file $file; fi
	done
}

with_library() { grep -qaF libcryptsetup.so "$GCRYPT"; } # the name that it loads

# volume_key VOLUME PASSPHRASE-FILE: what cryptsetup prints, in hexadecimal.
volume_key() {
	rm -f volume.key
	cryptsetup luksDump -q --dump-volume-key --volume-key-file volume.key --key-file "$2" "$1" >/dev/null
	hex volume.key
}

# xts DIRECTION CIPHER KEY SECTOR IN OUT: sector by sector, by libcrypto or in Python; tweaks count sectors of 512 bytes.
xts() { peer xts "$1" "$2" "$3" "$4" 0 $(($4 / 512)) "$5" "$6"; }

# cryptsetup_opens VOLUME PASSPHRASE-FILE OPTION…: cryptsetup takes the passphrase.
cryptsetup_opens() { cryptsetup open -q --test-passphrase --key-file "$2" "${@:3}" "$1" || give_up "cryptsetup does not open $1"; }

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
	# The words by which the rank FAULT_RANK fails, by FAULT.
	rank_fails=(-x LD_PRELOAD="$GCRYPT_TEST_SHIM" -x FAULT_UNDER="$PWD" -x FAULT -x FAULT_RANK -x FAULT_RUN)
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
