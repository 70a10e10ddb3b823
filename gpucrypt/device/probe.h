/*
 * Drivers are tried in another process before this process loads them: a driver may crash, end the program or hang when
 * it is loaded, or break the set of all drivers (two copies of LLVM).  The other process is a new run of the program
 * itself, so it has no keys; decision 0001.
 */
#ifndef GPUCRYPT_DEVICE_PROBE_H
#define GPUCRYPT_DEVICE_PROBE_H

#include <stdbool.h>

#include "gpucrypt/device/device.h"

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
