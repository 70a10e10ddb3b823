/* Installed OpenCL drivers: their environment, and why there is no platform. */
#ifndef ICD_H
#define ICD_H

#include <stddef.h>

/* Set what drivers read from the environment, unless the user has set it.  For main(), before there are threads. */
void icd_environment(void);

/* Text: which installed driver cannot be loaded, and why; "" if all can.  Returns how many are installed. */
unsigned icd_fault(char *text, size_t n);

#endif
