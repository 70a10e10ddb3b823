/* OpenCL drivers: their environment, the list of registered drivers, and the ICD loader of this process, which loads
 * all drivers but the excluded ones. */
#ifndef GPUCRYPT_DEVICE_LOADER_H
#define GPUCRYPT_DEVICE_LOADER_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
