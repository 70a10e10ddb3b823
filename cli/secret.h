/* The secret a run uses: a passphrase from where --passphrase says or the terminal, a key file, or
 * the key of raw mode. */
#ifndef SECRET_H
#define SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

#define KEY_FILE_BYTES 32

struct secret {
	struct gpucrypt_secret secret; /* points to bytes */
	uint8_t *bytes;                /* owned; wiped and freed by secret_wipe() */
	size_t capacity;
};

/* What can be said before any file is opened: two secrets, a descriptor that is not open (and
 * would soon be one of ours), one that is the input as well. */
int secret_check(const struct options *options);

/* Get the passphrase or key file; asks for file, twice when encrypting. */
int secret_read(
        struct secret *secret, const struct options *options, const char *file, bool encrypting);

/* Get the key of raw mode, n_bytes of them. */
int secret_read_raw(struct secret *secret, const struct options *options, size_t n_bytes);

void secret_wipe(struct secret *secret);

#endif
