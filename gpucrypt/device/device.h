/* The OpenCL devices of this machine. */
#ifndef GPUCRYPT_DEVICE_DEVICE_H
#define GPUCRYPT_DEVICE_DEVICE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdbool.h>
#include <stdint.h>

#define MAX_DEVICES 16

struct device {
	cl_device_id id;
	cl_platform_id platform;
	char name[96], vendor[64], driver[64], platform_name[64], version[48];
	bool cpu, gpu; /* the device's type; neither: an accelerator */
	bool ptx;      /* compiles NVIDIA's assembly, dp4a included */
	bool ecc;      /* the device's memory has error correction */
	unsigned compute_units, max_work_items;
	unsigned vector_words; /* 32-bit words in a register, as the driver says */
	uint64_t local_bytes, constant_bytes, global_bytes, max_buffer_bytes;
	char unusable[160]; /* why the device cannot be used; "" if it can */
};

struct inventory {
	struct device devices[MAX_DEVICES];
	unsigned n_devices;
	char failure[320]; /* why there is no device; "" if there is one */
};

/* A cl_uint, size_t or cl_ulong of a device; 0: the driver does not report it. */
uint64_t device_number(cl_device_id id, cl_device_info what);

/* The compute capability of an NVIDIA device: 90 for 9.0; 0: another vendor's device. */
unsigned nvidia_capability(const struct device *device);

/* "CL_OUT_OF_RESOURCES" and the like; text is used for errors without a name here. */
#define OPENCL_ERROR_BYTES 24
const char *opencl_error(char text[OPENCL_ERROR_BYTES], cl_int error);

/* GPUCRYPT_DEVICE, "DEVICE: WHAT: ERROR". */
int device_failure(const struct device *device, const char *what, cl_int error);

/* Ask the ICD loader for all platforms and devices, after a probe of the drivers (probe_once()).  A device that several
 * drivers offer is listed once.  Does not fail: inventory->failure has the reason. */
void inventory_take(struct inventory *inventory);

/* The device's context, which is created once and kept: NVIDIA's driver takes 0.1 s to create one and 0.05 s to release
 * it. */
cl_int device_context(cl_context *context, const struct device *device);

/* The context was lost: the next device_context() creates one.  The lost one is never released. */
void device_context_forget(const struct device *device);

/* Release all of them; a later device_context() creates one again.  No engine may be open. */
void device_contexts_release(void);

/* From a command's start to its end, by the device's clock. */
cl_int event_seconds(cl_event event, double *seconds);

/* The device of a plan: number is 1 + the index, or 0 for the best usable one (GPU before accelerator before CPU).
 * NULL: there is none, and fail() has the reason. */
const struct device *inventory_choose(const struct inventory *inventory, unsigned number);

/*
 * Drivers are tried in another process before this process loads them: a driver may crash, end the program or hang when
 * it is loaded, or break the set of all drivers (two copies of LLVM).  The other process is a new run of the program
 * itself, so it has no keys; decision 0001.
 */

/* main() calls this before it opens files or starts threads.  In the other process this call tries the drivers and ends
 * the process; otherwise it allows the functions below to start the other process.  A program that uses the library
 * does not call this, so the library starts no process. */
void probe_main(void);

/*
 * Try the registered drivers, each time for at most GCRYPT_DRIVER_SECONDS (default: 10).  Then set the inventory, which
 * has the devices of the drivers that passed, with id and platform NULL, and the drivers of this process (loader.h).
 * This process does not open OpenCL.  Returns false, and sets nothing, if the other process cannot be started or does
 * not report.
 */
bool probe_drivers(struct inventory *inventory);

/* Call probe_drivers() unless the drivers of this process are already set. */
void probe_once(void);

#endif
