#!/bin/bash
# What comes back wrong from a device is noticed by the CPU: exit 8, and nothing remains.  A library
# loaded before OpenCL's loader turns a bit of one group over.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
keep_records

cat >shim.c <<'C'
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int groups;

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
        size_t n_bytes, void *to, cl_uint n_events, const cl_event *events, cl_event *event)
{
	cl_int (*next)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint,
	        const cl_event *, cl_event *) = dlsym(RTLD_NEXT, "clEnqueueReadBuffer");
	cl_int error = next(queue, buffer, blocking, offset, n_bytes, to, n_events, events, event);
	int group = atoi(getenv("GROUP"));

	if (n_bytes != 65536 || (group >= 0 && groups++ != group))
		return error;
	clFinish(queue);
	((unsigned char *)to)[12345] ^= 16;
	return error;
}
C
make_shim shim.c

bytes 600000 >in
one_chunk=(--chunk-log2 16 --group-log2 16)
secret=(--key-file key)
gpu=(--engine opencl "${secret[@]}")
"$GCRYPT" enc "${gpu[@]}" "${one_chunk[@]}" --recheck 1 in 2>err || skip "no OpenCL device: $(tail -n 1 err)"
expect_exit 0 "$GCRYPT" dec "${gpu[@]}" --recheck 1 -o out in.gcr
same in out
rm -f out err
there=$(ls -A)

# wrong GROUP COMMAND…: what was there is there, and no more.  GROUP: in order of time; -1: all.
wrong() {
	expect 8 'wrong result at byte ' env LD_PRELOAD="$PWD/shim.so" GROUP="$1" "$GCRYPT" "${@:2}"
	says ': the CPU computes another byte'
	rm err
	[ "$(ls -A)" = "$there" ] || give_up "folder holds: $(ls -A)"
}

for group in 0 3 8; do
	wrong "$group" enc "${gpu[@]}" "${one_chunk[@]}" --recheck 1 -o new in
	wrong "$group" dec "${gpu[@]}" --recheck 1 -o new in.gcr
done
wrong -1 dec "${gpu[@]}" -o new in.gcr # the first of the file is always looked at
raw=(--raw --engine opencl --cipher aes --bits 128 --mode ctr)
raw+=(--key-hex "$(printf '%032x' 5)" --iv-hex "$(printf '%032x' 6)")
wrong 0 enc "${raw[@]}" --length 65536 -o new in

# With the check switched off nothing is noticed until somebody reads the container.
expect_exit 0 env LD_PRELOAD="$PWD/shim.so" GROUP=3 "$GCRYPT" enc "${gpu[@]}" "${one_chunk[@]}" \
	--recheck 0 -o new in
expect_exit 0 "$GCRYPT" dec "${secret[@]}" --engine cpu -o out new
! cmp -s in out || give_up "the shim did nothing"
