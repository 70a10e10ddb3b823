/* What files of one file system take, by this machine.  Bytes a second; a number that was not measured is 0. */
#ifndef STORAGE_RECORD_H
#define STORAGE_RECORD_H

#include "ppf/record/members.h"

struct storage_record {
	unsigned cpu_threads; /* that all threads of read are */
	struct pace read;     /* page cache included */
	double write;         /* the same, by one thread: Linux locks the file for each write */
	double sync;          /* fsync of what was just written */
};

extern const struct member_table storage_record_members;

#endif
