/* Keys in files, PEM or OpenSSH's: private ones of identities, public ones of recipients. */
#ifndef CLI_SECRETS_PEM_FILE_H
#define CLI_SECRETS_PEM_FILE_H

#include "gpucrypt/keys/public_key.h"
#include "cli/args/options.h"

#define MAX_TEXT_BYTES ((size_t)256 << 10) /* of a file of keys */

struct pem_key {
	struct gpucrypt_secret secret; /* over der */
	const char *file;              /* that the key was read from; not owned */
	uint8_t der[MAX_KEY_DER_BYTES];
};

/* In the order of the files, their secrets linked by next. */
struct pem_keys {
	struct pem_key *keys; /* owned; locked; `room` of them, of which n are read */
	unsigned n, room;
	bool skip_unusable;
};

/* The first of the linked secrets; NULL: there is none. */
static inline const struct gpucrypt_secret *pem_keys_first(const struct pem_keys *keys)
{
	return keys->n > 0 ? &keys->keys[0].secret : NULL;
}

/* Read every public key of the files: PEM blocks, and lines of authorized_keys, between which only comments (#) may
 * stand unless there are PEM blocks. A name that is such a line is the key itself. GPUCRYPT_USAGE: a PEM block or line
 * that is no public key, a weak key, one that is given twice, or more than a header has room for. The caller frees
 * keys, after a failure too.  skip_unusable: a line that is no key, or a key of a type or size for which there is no
 * slot, is skipped with a warning; but a file without any other key is rejected. */
int recipients_read(struct pem_keys *keys, const struct text_list *names, bool skip_unusable);

/* Allocate room for keys, which the caller frees. */
void pem_keys_start(struct pem_keys *keys, unsigned room);

/* Read a file of MAX_TEXT_BYTES at most. */
int pem_text_read(char *text, size_t *length, const char *name);

/* Add the keys of a file, at least one.  question: read private keys, and skip other PEM blocks; NULL: read public
 * keys. text NULL: the name of the file is the URI of a key.  GPUCRYPT_USAGE as above; GPUCRYPT_NO_KEY: a wrong
 * passphrase.  After a failure, pem_keys_cut(). */
int pem_keys_add(
        struct pem_keys *keys, const char *file, const char *text, size_t length, const struct pem_question *question);

/* Forget all keys but the first n. */
void pem_keys_cut(struct pem_keys *keys, unsigned n);

/* GPUCRYPT_USAGE: a key is given twice. */
int pem_keys_check_twice(const struct pem_keys *keys);

/* What the options say of the slots for these keys: --anonymous, of all; --label, of the one slot that is made for a
 * secret or for one key. n_secrets: besides the keys. GPUCRYPT_USAGE: a label for several. */
int pem_keys_mark(struct pem_keys *keys, unsigned n_secrets, const struct options *options);

/* Overwritten first. */
void pem_keys_free(struct pem_keys *keys);

#endif
