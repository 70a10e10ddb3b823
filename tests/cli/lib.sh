# Functions shared by the scenarios; each scenario sources this first.
# shellcheck shell=bash
set -euo pipefail

peer() { python3 -S "${BASH_SOURCE[0]%/*}/../peer.py" "$@"; }

# Small containers: chunks of 4 KiB, groups of 8 KiB.  make_key makes the key file key.
# shellcheck disable=SC2034 # used by the scenarios
small=(--chunk-log2 12 --group-log2 13)
group_bytes=8192
page() { echo $((16384 + $1 * (4096 + group_bytes))); } # offset of the page of group $1

give_up() {
	echo "FAILED (line ${BASH_LINENO[1]}): $*"
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

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
# shellcheck disable=SC2034 # used by the scenarios
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
	python3 - "${BASH_SOURCE[0]%/*}/../../ppf/devices/${builtin-cpu}.json" "$machine" "$(stat -f -c %t .)" >n_devices <<'TEXT'
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
	# shellcheck disable=SC2034 # used by the scenarios
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
