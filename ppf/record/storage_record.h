/* The speeds of files on one file system of this machine, in bytes per second.  Figures that were not measured are 0.
 */
#ifndef STORAGE_RECORD_H
#define STORAGE_RECORD_H

#include "ppf/record/members.h"

struct storage_record {
	unsigned cpu_threads; /* number of threads in read.all_threads */
	struct pace read;     /* includes the page cache */
	double write;         /* includes the page cache; one thread, because Linux locks the file for each write */
	double sync;          /* fsync of data that was just written */
};

extern const struct member_table storage_record_members;

#endif
