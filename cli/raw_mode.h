/* --raw: the bare cipher and mode, with the key and IV of the command line. */
#ifndef RAW_MODE_H
#define RAW_MODE_H

#include "gpucrypt/raw.h"
#include "options.h"

/* What can be said before any file is opened.  GPUCRYPT_USAGE. */
int raw_mode_check(const struct options *options);

/* Key bytes that cipher, bits and mode need: both keys of XTS. */
int raw_mode_key_bytes(size_t *n_bytes, const struct options *options);

int raw_mode_crypt(struct source *source, struct sink *sink, enum direction direction,
        const struct options *options, const struct gpucrypt_secret *key,
        const struct gpucrypt_progress *progress, struct report *report);

#endif
