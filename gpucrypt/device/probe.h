/*
 * Drivers are tried in another process before this process loads them: a driver may crash, end the program or hang when
 * it is loaded, or break the set of all drivers (two copies of LLVM).  The other process is a new run of the program
 * itself, so it has no keys; decision 0001.
 */
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>

#include "gpucrypt/device/device.h"

/* For main(), before it opens files or starts threads.  In the other process this tries the drivers and ends; else it
 * allows the probes below.  Without this call there are none, and a program that uses the library has no child. */
void probe_main(void);

/*
 * Try the registered drivers, GCRYPT_DRIVER_SECONDS (10) at most each time; take the inventory of those that passed, id
 * and platform of its devices are NULL; and set the drivers of this process (loader.h).  OpenCL is not opened here.
 * False, and nothing is set, if the other process cannot be started or does not report.
 */
bool probe_drivers(struct inventory *inventory);

/* Do so unless the drivers of this process are set. */
void probe_once(void);

#endif
