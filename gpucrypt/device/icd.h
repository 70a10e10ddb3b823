/* OpenCL drivers: their environment, the list of registered drivers, and the reason why there is no platform. */
#ifndef GPUCRYPT_DEVICE_ICD_H
#define GPUCRYPT_DEVICE_ICD_H

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

#endif
