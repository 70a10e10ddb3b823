/* The secret a run uses: a passphrase from where --passphrase says or the terminal, a key file,
 * private keys, or the key of raw mode. */
#ifndef CLI_SECRETS_SECRET_H
#define CLI_SECRETS_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpucrypt/keys/header.h"
#include "cli/args/options.h"
#include "gpucrypt/keys/public_key.h"
#include "command/json.h"

#define KEY_FILE_BYTES 32
#define KEY_FILE_WHOLE 0 /* a LUKS key file: its bytes, however many, are a passphrase */

/* pem_file.c: keys in files, PEM or OpenSSH's: private ones of identities, public ones of recipients. */

#define MAX_TEXT_BYTES ((size_t)256 << 10) /* most bytes of a file of keys */

struct pem_key {
	struct gpucrypt_secret secret; /* over der */
	const char *file;              /* file from which the key was read; not owned */
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

/* Apply --anonymous to all keys, and --label to the only slot that will be made, for a secret or for a key.  n_secrets:
 * number of secrets that get a slot besides the keys.  GPUCRYPT_USAGE: a label, but several slots. */
int pem_keys_mark(struct pem_keys *keys, unsigned n_secrets, const struct options *options);

/* Overwrite and free the keys. */
void pem_keys_free(struct pem_keys *keys);

/* Bytes in locked memory, which is owned. */
struct locked_text {
	uint8_t *bytes;
	size_t length, capacity;
};

struct secret {
	struct gpucrypt_secret secret; /* points to bytes; of several private keys the first */
	uint8_t *bytes;                /* owned; locked; wiped and freed by secret_wipe() */
	size_t capacity;
	struct pem_keys identities;  /* over bytes; n is 0: another secret */
	struct identity_file *files; /* owned; of protected private keys, opened when they are needed */
	unsigned n_files;
	struct locked_text passphrase;   /* of the private keys; bytes NULL: ask the terminal */
	struct locked_secret again;      /* asks again for a passphrase that was typed; open NULL: none was typed */
	unsigned n_tries;                /* of the typed passphrase */
	bool refused;                    /* a question had no answer or a wrong one: other files would need it too */
	struct gpucrypt_derived derived; /* of a passphrase; wiped too */
	const char *file;                /* the name in the prompt for a passphrase; not owned */
};

/* Does a variable of the environment hold it?  Programs started by this one inherit the variable until it is read. */
bool secret_in_environment(const struct secret_options *options);

/* Is there an option that names a secret, other than public keys? */
bool secret_given(const struct secret_options *options);

/* Read the passphrase or the key: a key file has key_bytes bytes (or KEY_FILE_WHOLE), --key-hex is taken as given. The
 * prompt names file and asks twice when encrypting. The address of secret must not change. */
int secret_read(struct secret *secret, const struct options *options, const struct secret_options *from,
        size_t key_bytes, const char *file, bool encrypting);

/* Read a passphrase from a source, such as env:VAR, that the option names. The caller frees the text, after a failure
 * too. */
int secret_source_read(struct locked_text *text, const char *option, const char *source);

/* Read a file of at most `room` bytes; a longer one is cut. */
int secret_file_read(void *bytes, size_t room, size_t *length, const char *name);

/* Read a key of n_bytes (at most 64): as they are, or as twice as many hexadecimal digits and a newline.  Anything else
 * is GPUCRYPT_USAGE, also bytes that are all printable: that is a passphrase, which needs scrypt. */
int key_file_read(uint8_t *key, size_t n_bytes, const char *name);

/* Ask again for a passphrase that was typed and opened nothing, as header_unlock() does.  GPUCRYPT_NO_KEY: the
 * passphrase was not typed, or all tries are used. */
int secret_ask_again(struct secret *secret);

void secret_wipe(struct secret *secret);

/* Overwrite a variable of the environment where it stands (/proc/PID/environ) and remove it, so that no child inherits
 * it. */
void secret_forget_variable(const char *variable);

/* Does a token hold a private key of the secret? */
bool secret_in_token(const struct secret *secret);

/* Private keys of --identity.  The passphrase of a protected key is asked for only if no other key opens a container.
 */

/* Read the private keys of the files, of which each has at least one; other PEM blocks are skipped.  Files with a
 * protected key are opened later, when header_unlock() needs them: by secret->passphrase, or by a passphrase from the
 * terminal.  passphrase: the source of the passphrase of all protected keys; NULL: ask for each.  The caller frees the
 * secret, after a failure too.  GPUCRYPT_USAGE: a file without a private key, a malformed or weak key, a key that is
 * given twice, or too many keys. */
int identities_read(struct secret *secret, const struct text_list *names, const char *passphrase);

/* Open all files that were not opened yet, or only those whose public keys are not in the clear. */
int identities_open_all(struct secret *secret, bool unknown_only);

/* Is there a file that was not opened yet? */
bool identities_locked(const struct secret *secret);

/* Called by secret_wipe(). */
void identities_free(struct secret *secret);

/* Passphrases from the controlling terminal, whatever standard input is. */

/* Maximum length of a line from the terminal, with its end. */
#define MAX_LINE_BYTES 4096

/* Number of times that a passphrase is asked for until it opens. */
#define PASSPHRASE_TRIES 3

/* ASK_TWICE: for a new passphrase, where a typing error would lock the file for ever.  ASK_AGAIN: the previous
 * passphrase opened nothing. */
enum passphrase_question { ASK_ONCE, ASK_TWICE, ASK_AGAIN };

/* file: the name in the prompt.  The caller wipes bytes.  GPUCRYPT_USAGE when there is no terminal, nothing is typed,
 * or the two passphrases of ASK_TWICE differ. */
int passphrase_ask(uint8_t bytes[MAX_LINE_BYTES], size_t *length, const char *file, enum passphrase_question question);

/* The property of a passphrase for which another terminal or editor would give other bytes, such as "has a carriage
 * return"; NULL: none.  A terminator follows the bytes. */
const char *passphrase_oddity(const uint8_t *bytes, size_t n_bytes);

/* describe.c: a container's header in words or in JSON, for `info` and `key list`. */

/* Read both header copies of the container, and print what they say: the header and its key slots, or only those. With
 * a secret the header is authenticated, and which private key opens which slot is printed too. The name is overwritten
 * by what can be printed of it. */
int container_describe(char *name, const struct options *options, bool header);

/* "slot 2: rsa-oaep, 2048 bits, key id 0123456789abcdef, label \"Anna\"", or of a shared slot its member. */
#define SLOT_TEXT PATTERN_TEXT
void describe_recipient(char text[SLOT_TEXT], const struct recipient *recipient);

#endif
