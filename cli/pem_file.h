/* Keys of recipients in PEM files. */
#ifndef PEM_FILE_H
#define PEM_FILE_H

#include "gpucrypt/public_key.h"
#include "options.h"

/* A private key, into der of MAX_KEY_DER_BYTES, which the caller wipes; the terminal is asked for the
 * passphrase of a protected one.  GPUCRYPT_NO_KEY when that is wrong. */
int identity_read(struct gpucrypt_secret *secret, uint8_t *der, const char *name);

/* Those a container is encrypted for, linked by next. */
struct recipients {
	struct gpucrypt_secret list[MAX_RECIPIENTS];
	uint8_t der[MAX_RECIPIENTS][MAX_KEY_DER_BYTES];
};

/* Read the public keys; one that is given twice is GPUCRYPT_USAGE. */
int recipients_read(struct recipients *recipients, const struct text_list *names);

#endif
