/* The ICD loader of this process, which loads the registered drivers except those that are left out. */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>

#include "gpucrypt/device/icd.h"

#define VENDORS_NAME 256

/* Set the drivers of this process: those with a fault are left out, if the loader is not open yet.  Call this in the
 * main thread, before other threads open devices. */
void loader_set_drivers(const struct drivers *drivers);

/* The drivers that loader_set_drivers() got; NULL if it was not called. */
const struct drivers *loader_drivers(void);

/* The next of them that is left out; before: NULL: the first one.  NULL after the last one. */
const struct driver *loader_left_out(const struct driver *before);

/* Text: the first driver that is left out, and why.  False, and the text unchanged, if none is. */
bool loader_explain(char *text, size_t n);

/*
 * Open the loader if drivers are left out; otherwise the first call of OpenCL opens it, with all drivers.  False: every
 * driver is left out, or no folder of ICD files can be made, and OpenCL must not be called.  The environment changes
 * while the loader reads it, which is not thread-safe (setenv(3)): the main thread of a program that leaves out drivers
 * calls this before it starts threads that read the environment.
 */
bool loader_open(void);

/* Make a private folder of ICD files in TMPDIR, for the drivers without a fault; the name has a slash at the end.
 * False: there is no folder, and the name is "". */
bool vendors_make(char folder[VENDORS_NAME], const struct drivers *drivers);

/* Remove the folder, if there is one, and set its name to "".  Allocates nothing: a signal handler may call it. */
void vendors_remove(char folder[VENDORS_NAME]);

/* Open the loader with the drivers of this folder only. */
void loader_open_folder(const char *folder);

#endif
