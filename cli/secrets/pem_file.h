/* Keys in files, PEM or OpenSSH's: private ones of identities, public ones of recipients. */
#ifndef PEM_FILE_H
#define PEM_FILE_H

#include "gpucrypt/keys/public_key.h"
#include "cli/args/options.h"

struct pem_key {
	struct gpucrypt_secret secret; /* over der */
	const char *file;              /* that the key was read from; not owned */
	uint8_t der[MAX_KEY_DER_BYTES];
};

/* In the order of the files, their secrets linked by next. */
struct pem_keys {
	struct pem_key *keys; /* owned; locked; `room` of them, of which n are read */
	unsigned n, room;
};

/* The first of the linked secrets; NULL: there is none. */
static inline const struct gpucrypt_secret *pem_keys_first(const struct pem_keys *keys)
{
	return keys->n > 0 ? &keys->keys[0].secret : NULL;
}

/* Read every public key of the files: PEM blocks, and lines of authorized_keys, between which only comments (#) may
 * stand unless there are PEM blocks. A name that is such a line is the key itself. GPUCRYPT_USAGE: a PEM block or line
 * that is no public key, a weak key, one that is given twice, or more than a header has room for. The caller frees
 * keys, after a failure too. */
int recipients_read(struct pem_keys *keys, const struct text_list *names);

/* Read every private key of the files, of which each has at least one; other PEM blocks are skipped. passphrase: of all
 * protected keys; NULL: the terminal is asked for each. GPUCRYPT_NO_KEY: a wrong passphrase. The caller frees keys,
 * after a failure too. */
int identities_read(struct pem_keys *keys, const struct text_list *names, const struct gpucrypt_secret *passphrase);

/* What the options say of the slots for these keys: --anonymous, of all; --label, of the one slot that is made for a
 * secret or for one key. n_secrets: besides the keys. GPUCRYPT_USAGE: a label for several. */
int pem_keys_mark(struct pem_keys *keys, unsigned n_secrets, const struct options *options);

/* Overwritten first. */
void pem_keys_free(struct pem_keys *keys);

#endif
