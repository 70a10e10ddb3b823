/* The translated function compiled for this processor and run in a process without rights: the expected results. */
#ifndef PPF_RUN_HOST_RUN_H
#define PPF_RUN_HOST_RUN_H

#include "ppf/run/translate.h"

/* Key and block that replace the pseudorandom ones: the first bytes of the key of the function or of --prepare, and the
 * whole first block. */
struct host_input {
	const uint8_t *key, *block; /* not owned */
	size_t n_key;               /* 0: pseudorandom */
};

struct host_results {
	uint8_t *plaintext;  /* owned; PERIOD_BLOCKS blocks */
	uint8_t *tables;     /* owned: all tables, then all keys, then PERIOD_BLOCKS blocks of ciphertext */
	uint8_t *keys;       /* in tables */
	uint8_t *ciphertext; /* in tables */
};

/*
 * Compile the host's text by cc, and run it: one process each, with limits of time and memory; the second one may only
 * read, write and exit.  The plaintext is pseudorandom and always the same, and so are keys and tables without initial
 * values, except those in *given (may be NULL).  name: the source, for messages.
 *
 * Errors: GPUCRYPT_USAGE if the function gets less random bytes than the key has, GPUCRYPT_UNKNOWN without libseccomp,
 * GPUCRYPT_OTHER if cc cannot be run, GPUCRYPT_CORRUPT if cc rejects the text or if the function crashes or takes too
 * long.
 */
int host_run(struct host_results *results, const struct translation *translation, const struct host_input *given,
        const char *name);

void host_results_free(struct host_results *results); /* zeroed is fine */

#endif
