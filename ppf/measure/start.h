/* The time that a process needs to open each OpenCL device, and to release all devices. */
#ifndef START_H
#define START_H

#include "gpucrypt/device/device.h"

struct start_seconds {
	double open_s[MAX_DEVICES]; /* from the start of OpenCL to a context, for each device of the inventory */
	/* From the end of the program to the end of the process, which holds contexts, queues and some memory of all
	 * devices. */
	double close_s;
};

/*
 * Measure both times in child processes; 0: unknown.  The first of two children reads the drivers from storage, so its
 * times are discarded.  Call this before the process opens OpenCL, because drivers do not survive fork().
 */
void start_seconds(struct start_seconds *seconds);

#endif
