/* The OpenCL drivers that are installed: what they are told, and words about why there is no platform. */
#ifndef ICD_H
#define ICD_H

#include <stddef.h>

/* What drivers read from the environment, unless the user has said something else there.  For main(),
 * before there are threads. */
void icd_environment(void);

/* Which installed driver cannot be loaded and why, as text; "" if they all can.  Returns how many
 * are installed. */
unsigned icd_fault(char *text, size_t n);

#endif
