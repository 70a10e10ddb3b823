/* The OpenCL devices of this machine. */
#ifndef GPUCRYPT_DEVICE_DEVICE_H
#define GPUCRYPT_DEVICE_DEVICE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>
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

/* OpenCL drivers: their environment, the list of registered drivers, and the ICD loader of this process, which loads
 * all drivers but the excluded ones. */

#define MAX_DRIVERS  16
#define DRIVER_FAULT 112

/* A registered driver. */
struct driver {
	char icd[512];            /* path of the ICD file, or the library itself if a variable names the library */
	char library[256];        /* the library as the ICD file names it, for dlopen(); "" if it names none */
	char fault[DRIVER_FAULT]; /* why the driver is left out, for people; "" if it is not */
};

struct drivers {
	struct driver of[MAX_DRIVERS];
	unsigned n;
};

/* Set what drivers read from the environment, unless the user has set it.  For main(), before there are threads. */
void icd_environment(void);

/* List the drivers that the environment or an ICD file in /etc/OpenCL/vendors registers, in the order of the ICD files'
 * names; faults are "".  A loader that was built with another folder finds drivers that are not listed. */
void drivers_list(struct drivers *drivers);

/* Write to text the first driver whose library cannot be loaded, and the reason.  This loads the libraries of the
 * drivers before that one for a moment.  Returns false, and leaves text unchanged, if all libraries can be loaded. */
bool drivers_unloadable(const struct drivers *drivers, char *text, size_t n);

/* The loader. */

#define VENDORS_NAME 256

/* Set the drivers of this process.  If the loader is not open yet, drivers with a fault will be left out.  Call this in
 * the main thread, before other threads open devices. */
void loader_set_drivers(const struct drivers *drivers);

/* The drivers that loader_set_drivers() got; NULL if it was not called. */
const struct drivers *loader_drivers(void);

/* The next driver after `before` that is left out; before NULL: the first one.  Returns NULL if no further driver is
 * left out. */
const struct driver *loader_left_out(const struct driver *before);

/* Write to text the first driver that is left out, and the reason.  Returns false, and leaves text unchanged, if no
 * driver is left out. */
bool loader_explain(char *text, size_t n);

/*
 * Open the loader if drivers are left out; otherwise the first call of OpenCL opens the loader, with all drivers.  If
 * every driver is left out, or no folder of ICD files can be made, this returns false, and the program must not call
 * OpenCL.  The environment changes while the loader reads it, which is not thread-safe (setenv(3)): the main thread of
 * a program that leaves out drivers calls this before it starts threads that read the environment.
 */
bool loader_open(void);

/* Make a private folder of ICD files in TMPDIR, for the drivers without a fault; the name ends with a slash.  If this
 * returns false, there is no folder, and the name is "". */
bool vendors_make(char folder[VENDORS_NAME], const struct drivers *drivers);

/* Remove the folder, if there is one, and set its name to "".  Allocates nothing: a signal handler may call it. */
void vendors_remove(char folder[VENDORS_NAME]);

/* Open the loader with the drivers of this folder only. */
void loader_open_folder(const char *folder);

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
 * Try the registered drivers, each attempt for at most GCRYPT_DRIVER_SECONDS (default: 10).  Then allow this process
 * only the drivers that passed, and fill the inventory with their devices, whose id and platform are NULL.  This
 * process does not open OpenCL.  Returns false, and sets nothing, if the other process cannot be started or does not
 * report.
 */
bool probe_drivers(struct inventory *inventory);

/* Call probe_drivers() unless the drivers of this process are already set. */
void probe_once(void);

#endif
