/* Counts of a function as `ppf analyze --json` prints them and `ppf predict --counts` reads them. */
#ifndef PPF_RECORD_PROFILE_RECORD_H
#define PPF_RECORD_PROFILE_RECORD_H

#include <jansson.h>

#include "ppf/analysis/profile.h"

/* Add all counts to an object.  Errors: as members_write(). */
int profile_record_write(const struct profile *profile, json_t *object);

/* Errors: GPUCRYPT_IO; GPUCRYPT_CORRUPT: the file holds no counts. */
int profile_record_read(struct profile *profile, const char *path);

#endif
