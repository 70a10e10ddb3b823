/* What this machine's CPU does, by itself and for every device. */
#ifndef HOST_RECORD_H
#define HOST_RECORD_H

#include "ppf/record/members.h"

/* A number that was not measured is 0. */
struct host_record {
	char libcrypto[32];    /* the version that the speeds were measured with */
	char forms[96];        /* the instruction forms that they were measured with, or "none" */
	unsigned cpu_threads;  /* all threads: so many */
	struct cpu_speeds cpu; /* every measured_suite() as the CPU engine does it, and bitsliced where libcrypto has no
	                          constant-time code */
	struct pace tag, copy; /* Poly1305; memory to memory */
	double run_s;          /* a container of nothing, by the CPU engine */
};

extern const struct member_table host_record_members;

/* Set libcrypto and forms to what this process computes with. */
void host_record_set_code(struct host_record *record);

#endif
