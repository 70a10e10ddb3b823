/* From the values and the memory of a function to its profile. */
#ifndef TALLY_H
#define TALLY_H

#include "ppf/analysis/count.h"

/* Decide the roles, and count what is live.  Errors: GPUCRYPT_UNKNOWN: a role is open; GPUCRYPT_OTHER: out of memory.
 */
int tally(struct profile *profile, struct memory_list *list, struct counter *counter);

#endif
