/* The OpenCL drivers that are installed, for words about why there is no platform. */
#ifndef ICD_H
#define ICD_H

#include <stddef.h>

/* Which installed driver cannot be loaded and why, as text; "" if they all can.  Returns how many
 * are installed. */
unsigned icd_fault(char *text, size_t n);

#endif
