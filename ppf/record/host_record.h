/* The speeds of this machine's CPU and of its files, which are independent of the devices. */
#ifndef PPF_RECORD_HOST_RECORD_H
#define PPF_RECORD_HOST_RECORD_H

#include <stdbool.h>

#include "ppf/record/members.h"

/* Figures that were not measured are 0. */
struct host_record {
	char libcrypto[32];    /* version of libcrypto during the measurement */
	char forms[96];        /* instruction forms used during the measurement, or "none" */
	unsigned cpu_threads;  /* number of threads in the figures for all threads */
	struct cpu_speeds cpu; /* every measured_suite() as the CPU engine does it by itself, in each other instruction
	                          form of this processor, as without instruction forms (libcrypto or bitsliced), and
	                          bitsliced where the engine's choice is not constant-time */
	struct pace tag, copy; /* Poly1305; memory to memory */
	double run_s;          /* time of a run that makes an empty container with the CPU engine */
	double other_work;     /* share of the CPU that other programs used during the measurement */
	double host_spread;    /* the fastest round over the median round, less 1 */
};

extern const struct member_table host_record_members;

/* Whether other programs slowed the measurement down, so that the figures are too low. */
bool host_record_is_disturbed(const struct host_record *record);

/* Set libcrypto and forms to the versions that this process uses. */
void host_record_set_code(struct host_record *record);

/* The speeds of files on one file system, in bytes per second.  Figures that were not measured are 0. */
struct storage_record {
	unsigned cpu_threads; /* number of threads in read.all_threads */
	struct pace read;     /* includes the page cache */
	double write;         /* includes the page cache; one thread, because Linux locks the file for each write */
	double sync;          /* fsync of data that was just written */
};

extern const struct member_table storage_record_members;

#endif
