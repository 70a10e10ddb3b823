/* Which options of enc, dec and verify go together. */
#ifndef TRANSFORM_CHECK_H
#define TRANSFORM_CHECK_H

#include "gpucrypt/cipher.h"
#include "options.h"

/* Said before any file is opened or any question asked.  GPUCRYPT_USAGE. */
int transform_check(const struct options *options, enum direction direction);

#endif
