/* A device on which kernels are built, checked and timed (variant.h): opened once, with its record. */
#ifndef SESSION_H
#define SESSION_H

#include "ppf/measure/bench.h"
#include "ppf/record/device_record.h"

struct session {
	struct inventory inventory;
	const struct device *device;  /* points into inventory; NULL: not open */
	unsigned number;              /* the device as in a plan: 1 + its number */
	struct bench bench;           /* open and warm */
	struct device_record *record; /* owned; NULL before the first session_record() */
	bool plant;                   /* kernels are built with -DPLANT and are wrong, for tests */
	double spread; /* of a kernel's runs: median over the shortest, less 1; the mean of n_spreads kernels */
	unsigned n_spreads;
};

/* number: the device's number as in a plan, or 0 for the best device.  GPUCRYPT_DEVICE: nothing is open. */
int session_open(struct session *session, unsigned number);
void session_close(struct session *session); /* session may be zeroed */

/* Get the device's record from the cache; if the cache has none, the first call measures it and stores it.  The session
 * owns *record. */
int session_record(struct session *session, const struct device_record **record);

/* Sort the times of a kernel's runs and return their robust value (robust_seconds()); their spread is added to
 * session->spread. */
double session_seconds(struct session *session, double *runs, unsigned n);

#endif
