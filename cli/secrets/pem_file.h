/* Keys in PEM files: private ones of identities, public ones of recipients. */
#ifndef PEM_FILE_H
#define PEM_FILE_H

#include "gpucrypt/keys/public_key.h"
#include "cli/args/options.h"

#define MAX_PEM_KEYS MAX_RECIPIENTS

/* In the order of the files, linked by next. */
struct pem_keys {
	struct gpucrypt_secret list[MAX_PEM_KEYS];
	const char *files[MAX_PEM_KEYS]; /* that each key was read from; not owned */
	uint8_t der[MAX_PEM_KEYS][MAX_KEY_DER_BYTES];
	unsigned n;
};

/* Read every public key of the files.  GPUCRYPT_USAGE: a PEM block that is none, a weak key, one
 * that is given twice, or too many. */
int recipients_read(struct pem_keys *keys, const struct text_list *names);

/* Read every private key of the files, of which each has at least one; other PEM blocks are
 * skipped. The terminal is asked for the passphrase of a protected one: GPUCRYPT_NO_KEY when that
 * is wrong.  The caller wipes keys. */
int identities_read(struct pem_keys *keys, const struct text_list *names);

#endif
