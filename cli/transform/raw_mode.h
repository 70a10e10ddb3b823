/* --raw: the bare cipher and mode, with the key and IV of the command line. */
#ifndef RAW_MODE_H
#define RAW_MODE_H

#include "gpucrypt/container/raw.h"
#include "cli/args/options.h"

/* sink NULL: only check what can be checked before anything is read or written. */
int raw_mode_crypt(struct source *source, struct sink *sink, const struct suite *suite,
        const struct gpucrypt_plan *plan, const struct options *options, const struct gpucrypt_secret *key,
        const struct gpucrypt_progress *progress, struct report *report);

#endif
