/* How long it takes a process to open each OpenCL device. */
#ifndef START_H
#define START_H

#include "gpucrypt/device.h"

/*
 * Seconds from nothing to a context, for each device of the inventory; 0: not known.  Two children
 * are asked, of which the first one has to read the drivers from storage and does not count.  To be
 * called before this process opens OpenCL: drivers do not survive fork().
 */
void start_seconds(double start_s[MAX_DEVICES]);

#endif
