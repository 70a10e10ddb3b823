/* How long it takes a process to open each OpenCL device, and to release them. */
#ifndef START_H
#define START_H

#include "gpucrypt/device/device.h"

struct start_seconds {
	double open_s[MAX_DEVICES]; /* from nothing to a context, for each device of the inventory */
	/* From the end of its program until a process is gone that has contexts, queues and some memory of
	 * them all. */
	double close_s;
};

/*
 * 0: not known.  Two children are asked, of which the first one has to read the drivers from storage and does
 * not count.  To be called before this process opens OpenCL: drivers do not survive fork().
 */
void start_seconds(struct start_seconds *seconds);

#endif
