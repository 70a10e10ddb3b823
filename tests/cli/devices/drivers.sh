#!/bin/bash
# Drivers that crash, end the program, hang, or break the set of all drivers: each is named once with the reason and left
# out, the work is done by the rest, and the probe is not repeated.  A device that two drivers offer is listed once.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 300000 >in
mkdir cache tmp
unset OCL_ICD_FILENAMES OPENCL_VENDOR_PATH
export XDG_CACHE_HOME=$PWD/cache TMPDIR=$PWD/tmp GCRYPT_DRIVER_SECONDS=1 LOADED=$PWD/loaded
command -v cc >/dev/null || skip "no C compiler"
echo '#include <CL/cl_icd.h>' | cc -DCL_TARGET_OPENCL_VERSION=120 -E - >/dev/null 2>&1 || skip "no CL/cl_icd.h"

# A driver with one device, which has no compiler.  FAULT: what happens when the driver is loaded.
cat >driver.c <<'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef FAULT
#define FAULT
#endif

static cl_int answer(const void *value, size_t bytes, size_t n, void *to, size_t *got)
{
	if (got)
		*got = bytes;
	if (to && n >= bytes)
		memcpy(to, value, bytes);
	return to && n < bytes ? CL_INVALID_VALUE : CL_SUCCESS;
}
#define TEXT(text) answer(text, strlen(text) + 1, n, to, got)

static cl_int platform_info(cl_platform_id platform, cl_platform_info what, size_t n, void *to, size_t *got)
{
	return TEXT(what == CL_PLATFORM_EXTENSIONS ? "cl_khr_icd" : what == CL_PLATFORM_VERSION ? "OpenCL 1.2" : "Fake");
}

static cl_int device_info(cl_device_id device, cl_device_info what, size_t n, void *to, size_t *got)
{
	static const cl_ulong zero;
#ifdef PLACE
	static const cl_uint place[4] = { 0, PLACE, 0, 0 };
	if (what == 0x410f) /* CL_DEVICE_PCI_BUS_INFO_KHR */
		return answer(place, sizeof place, n, to, got);
#endif
#ifdef SERIAL
	static const unsigned char serial[16] = { SERIAL };
	if (what == 0x106a) /* CL_DEVICE_UUID_KHR */
		return answer(serial, sizeof serial, n, to, got);
#endif
	if (what == CL_DEVICE_NAME)
		return TEXT(NAME);
	if (what == CL_DEVICE_VENDOR || what == CL_DRIVER_VERSION || what == CL_DEVICE_VERSION)
		return TEXT("OpenCL 1.2");
	if (what == CL_DEVICE_ERROR_CORRECTION_SUPPORT)
		return answer(&(cl_bool){ CL_TRUE }, sizeof(cl_bool), n, to, got);
	return n < 16 ? answer(&zero, n, n, to, got) : CL_INVALID_VALUE;
}

static cl_int device_ids(cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id *ids, cl_uint *found);

static cl_icd_dispatch dispatch = { .clGetPlatformInfo = platform_info, .clGetDeviceIDs = device_ids,
	.clGetDeviceInfo = device_info };
static struct {
	cl_icd_dispatch *dispatch;
} platform = { &dispatch }, device = { &dispatch };

static cl_int device_ids(cl_platform_id of, cl_device_type type, cl_uint n, cl_device_id *ids, cl_uint *found)
{
	if (found)
		*found = type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT) ? 1 : 0;
	if (ids && n > 0)
		*ids = (cl_device_id)&device;
	return type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT) ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static cl_int platforms(cl_uint n, cl_platform_id *ids, cl_uint *found)
{
	if (found)
		*found = 1;
	if (ids && n > 0)
		*ids = (cl_platform_id)&platform;
	return CL_SUCCESS;
}

void *clGetExtensionFunctionAddress(const char *name)
{
	return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)platforms
	       : strcmp(name, "clGetPlatformInfo") == 0    ? (void *)platform_info
	                                                   : NULL;
}

/* A line for each time: what a probe must not see. */
__attribute__((constructor)) static void load(void)
{
	int log = open(getenv("LOADED"), O_WRONLY | O_CREAT | O_APPEND, 0600);

	dprintf(log, "%s%s\n", getenv("P") ? "secret " : "", fcntl(77, F_GETFD) >= 0 ? "descriptor" : "");
	close(log);
	FAULT;
}
C
driver() { cc -w -shared -fPIC -o "$1" -DNAME="\"$1\"" "${@:2}" driver.c; } # FILE OPTION…
# A second driver like this aborts, as LLVM does when its options are registered twice.
driver one.so '-DFAULT=if (getenv("LLVM")) abort(); setenv("LLVM", "", 1)'
cp one.so two.so
driver crash.so '-DFAULT=raise(SIGSEGV)'
driver exit.so '-DFAULT=exit(3)'
driver hang.so '-DFAULT=sleep(1000)'

# vendors LIBRARY…: only these are registered, as a.icd, b.icd and so on.
vendors() {
	local library names=(a b c d)
	rm -rf vendors "$LOADED"
	mkdir vendors
	for library; do
		echo "$library" >"vendors/${names[0]}.icd"
		names=("${names[@]:1}")
	done
	export OCL_ICD_VENDORS=$PWD/vendors/
}

# lists N TEXT…: N devices, and a row for each driver that is left out, which has the text.
lists() {
	local n=$1 text
	expect_exit 0 "$GCRYPT" devices >listed
	[ ! -s err ] || give_up "$(cat err)"
	[ "$(grep -c '^device' listed)" -eq "$n" ] || give_up "not $n devices: $(cat listed)"
	[ "$(grep -c '^driver' listed)" -eq $(($# - 1)) ] || give_up "not $(($# - 1)) drivers: $(cat listed)"
	for text in "${@:2}"; do
		grep -q "^driver $PWD/vendors/$text" listed || give_up "no '$text': $(cat listed)"
	done
	[ -z "$(ls -A tmp)" ] || give_up "folders stay: $(ls -A tmp)"
}

vendors "$PWD/one.so"
lists 1
grep -q 'memory with ECC' listed || give_up "$(cat listed)"
vendors "$PWD/one.so" "$PWD/two.so"
lists 1 'b.icd: left out: it crashes when it is loaded beside the drivers before it (Aborted)'
vendors "$PWD/crash.so" "$PWD/one.so" "$PWD/exit.so" "$PWD/hang.so"
lists 1 'a.icd: left out: it crashes when it is loaded (Segmentation fault)' \
	'c.icd: left out: it ends the program when it is loaded (exit code 3)' \
	'd.icd: left out: it hangs when it is loaded (no answer within 1 s)'
"$GCRYPT" devices --json | field left_out.2.icd >icd
[ "$(cat icd)" = "$PWD/vendors/d.icd" ] || give_up "$(cat icd)"

# Processes that a driver starts end with the probe.
driver forks.so '-DFAULT=int child = fork(); if (child == 0) sleep(1000); dprintf(creat("child", 0600), "%d", child)'
vendors "$PWD/forks.so"
lists 1
gone() { ! grep -q '^State:[[:space:]]*[^Z]' "/proc/$(cat child)/status" 2>/dev/null; }
soon gone || give_up "a process of the driver stays"

# A driver that writes into the descriptors of the program: its child gives no list of devices.
driver writes.so '-DFAULT=static char text[99999]; memset(text, 65, sizeof text); for (int i = 4; i < 20; i++) write(i, text, sizeof text)'
vendors "$PWD/one.so" "$PWD/writes.so"
lists 1 'b.icd: left out: it '

# Experiments probe the drivers too.
vendors "$PWD/crash.so"
code=0
"$(dirname "$GCRYPT")/ppf-study" --figure 4.8 2>err || code=$?
[ "$code" -eq 8 ] || give_up "ppf-study: exit $code: $(cat err)"
says 'a.icd is left out: it crashes when it is loaded'

# Where no folder can be made, drivers that work together are loaded; if one fails, none can be tried alone.
vendors "$PWD/one.so" "$PWD/forks.so"
TMPDIR=/nonexistent lists 2
vendors "$PWD/one.so" "$PWD/crash.so"
TMPDIR=/nonexistent lists 0 'a.icd: left out: it cannot be tried' 'b.icd: left out: it cannot be tried'

# A device is listed once if one driver is registered twice, or if two drivers report one PCI address or UUID.
vendors "$PWD/one.so" "$PWD/one.so"
lists 1
driver place4.so -DPLACE=4
driver place4-too.so -DPLACE=4 -DSERIAL=4
driver place5.so -DPLACE=5 -DSERIAL=5
driver serial5.so -DSERIAL=5
vendors "$PWD/place4.so" "$PWD/place4-too.so" "$PWD/place5.so" "$PWD/serial5.so"
lists 2
cp place5.so same-name.so
vendors "$PWD/place5.so" "$PWD/same-name.so" "$PWD/serial5.so" "$PWD/one.so"
lists 2

# The result of a run is cached until a library changes. The child has no descriptor and no variable of a secret.
n_loaded() { wc -l <"$LOADED"; }
vendors "$PWD/hang.so"
P=secret expect_exit 8 "$GCRYPT" enc --engine opencl --passphrase env:P --kdf-cost 10 in 77<key
says "driver $PWD/vendors/a.icd is left out: it hangs when it is loaded (no answer within 1 s)"
[ -z "$(cat "$LOADED")" ] || give_up "the child has a secret: $(cat "$LOADED")"
expect_exit 8 "$GCRYPT" enc --engine opencl --key-file key in
expect 0 "warning: OpenCL driver $PWD/vendors/a.icd is left out: it hangs" "$GCRYPT" enc --key-file key in
[ "$(wc -l <err)" -eq 1 ] || give_up "$(cat err)"
expect_exit 0 "$GCRYPT" enc -f -q --key-file key in
[ ! -s err ] || give_up "$(cat err)"
expect_exit 0 "$GCRYPT" dec --engine cpu --key-file key -o out in.gcr
same in out
[ "$(n_loaded)" -eq 1 ] || give_up "probed again"
touch hang.so
expect_exit 8 "$GCRYPT" enc -f --engine opencl --device 0 --key-file key in
[ "$(n_loaded)" -eq 2 ] || give_up "not probed again"

# The program is ended while it waits for a driver alone: the other process ends too, and no folder stays.
vendors "$PWD/one.so" "$PWD/hang.so"
GCRYPT_DRIVER_SECONDS=3 "$GCRYPT" devices >listed &
disown
empty() { [ -z "$(ls -A tmp)" ]; }
in_use() { ! empty; }
soon in_use || give_up "no folder of drivers"
kill -KILL $!
soon empty || give_up "a folder stays: $(ls -A tmp)"

# What the self-test has found is listed with the device, for its driver's version.
vendors "$PWD/one.so"
lists 1
! grep 'table forms' listed || give_up "$(cat listed)"
python3 - cache/gcrypt/machine-*.json <<'P'
import json, sys
cache = json.load(open(sys.argv[1]))
cache["forms of one.so, driver OpenCL 1.2"] = "aes 4 rejected, 1 passed"
cache["forms of one.so, driver OpenCL 1.3"] = "aes 1 rejected"
json.dump(cache, open(sys.argv[1], "w"))
P
lists 1
grep -q '^  table forms by gcrypt selftest: aes 4 rejected, 1 passed$' listed || give_up "$(cat listed)"

# Beside a driver that works.
unset OCL_ICD_VENDORS
pocl=$(sed -n '1p;1q' /etc/OpenCL/vendors/pocl.icd 2>/dev/null) || skip "no PoCL"
vendors "$PWD/crash.so" "$pocl"
expect 0 'engine: OpenCL' "$GCRYPT" enc -f -v --engine opencl "${small[@]}" --key-file key in
[ "$(grep -c 'a.icd is left out' err)" -eq 1 ] || give_up "$(cat err)"
expect_exit 0 "$GCRYPT" dec -f --engine cpu --key-file key -o out in.gcr
same in out
expect_exit 0 "$GCRYPT" dec -f -q --device 0 --key-file key -o out in.gcr
[ ! -s err ] || give_up "$(cat err)"
same in out
expect_exit 8 "$GCRYPT" dec -f --device 1 --engine opencl --key-file key -o out in.gcr
says "OpenCL device 1: not found (this machine has 1): driver $PWD/vendors/a.icd is left out: it crashes"

# A form that the driver compiles wrongly: the first configuration with it is number 18.
make_shim "$tests/faults/opencl_shim.c"
vendors "$pocl"
CLFAULT_FORM=4 LD_PRELOAD=$PWD/opencl_shim.so expect_exit 8 "$GCRYPT" selftest --device 0 --shard 18/400 >out
grep -q '^device 0: table forms: aes 4 rejected$' out || give_up "$(cat out)"
lists 1
! grep 'table forms' listed || give_up "a part is kept: $(cat listed)"
