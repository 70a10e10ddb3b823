/* The secret a run uses: a passphrase from where --passphrase says or the terminal, a key file,
 * private keys, or the key of raw mode. */
#ifndef SECRET_H
#define SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpucrypt/keys/slot.h"
#include "cli/args/options.h"
#include "cli/secrets/pem_file.h"

#define KEY_FILE_BYTES 32

struct secret {
	struct gpucrypt_secret secret; /* points to bytes; of several private keys the first */
	uint8_t *bytes;                /* owned; locked; wiped and freed by secret_wipe() */
	size_t capacity;
	const struct pem_keys *identities; /* in bytes; NULL: another secret */
	struct gpucrypt_derived derived;   /* of a passphrase; wiped too */
};

/* Does a variable of the environment hold it?  Programs started by this one inherit the variable until it is read. */
bool secret_in_environment(const struct secret_options *options);

/* Is there an option that names a secret, other than public keys? */
bool secret_given(const struct secret_options *options);

/* Get the passphrase, or a key: from a file one of key_bytes, from --key-hex what was given.  Asks for file, twice
 * when encrypting.  secret stays where it is. */
int secret_read(struct secret *secret, const struct options *options, const struct secret_options *from,
        size_t key_bytes, const char *file, bool encrypting);

void secret_wipe(struct secret *secret);

#endif
