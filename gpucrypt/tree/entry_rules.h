/* What an entry of a tree may be, the same for writing and reading.  A caller that begins with an empty directory and
 * creates the entries in order stays inside it: no path has "..", and none leads through a symbolic link of the tree.
 */
#ifndef ENTRY_RULES_H
#define ENTRY_RULES_H

#include "gpucrypt/gpucrypt.h"

/* The directories and symbolic links so far; zeroed at first. */
struct entry_rules {
	void *names; /* tsearch(3), owned */
};

/* Check the next entry, whose path and link may be NULL; `wrong` is the status of an entry that is not allowed.
 * GPUCRYPT_OTHER: out of memory. */
int entry_admit(struct entry_rules *rules, const struct gpucrypt_entry *entry, enum gpucrypt_status wrong);

void entry_rules_close(struct entry_rules *rules);

#endif
