
#include <stdio.h>
#include <string.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"
#include "cli/secrets/secret.h"
#include "cli/terminal/memory.h"
#include "command/message.h"

/* What all keys of a file share. */
struct reading {
	struct pem_keys *keys;
	const char *file;
	const struct pem_question *question; /* NULL: public keys */
};

int pem_text_read(char *text, size_t *length, const char *name)
{
	int status = secret_file_read(text, MAX_TEXT_BYTES, length, name);

	return status != GPUCRYPT_OK || *length < MAX_TEXT_BYTES
	               ? status
	               : fail(GPUCRYPT_USAGE, "%s: too long for a file of keys", name);
}

/* An ML-KEM-768 key belongs to the X25519 key before it in the file. */
static int complete_pair(struct reading *reading, const struct pem_key *ml_kem)
{
	struct pem_keys *keys = reading->keys;
	struct pem_key *last = keys->n > 0 ? &keys->keys[keys->n - 1] : NULL;
	int status = last != NULL && last->file == reading->file
	                     ? hybrid_join(&last->secret, last->der, &ml_kem->secret)
	                     : hybrid_join(NULL, NULL, &ml_kem->secret);

	return status == GPUCRYPT_OK ? status : fail_named(reading->file, status);
}

/* The message about a public key in a list has the key's line.  A PEM block is never skipped: it may be half a key. */
static int reject_key(const struct reading *reading, const struct key_piece *piece, int status)
{
	char why[200];

	if (reading->question != NULL || piece == NULL || piece->line == 0)
		return fail_named(reading->file, status);
	snprintf(why, sizeof why, "line %u: %s", piece->line, gpucrypt_error());
	fail_clear();
	if (!piece->unusable || piece->block)
		return fail(status, "%s: %s", reading->file, why);
	if (!reading->keys->skip_unusable)
		return fail(status, "%s: %s (to encrypt for the others: --skip-unusable)", reading->file, why);
	message_warning(reading->file, "%s: skipped", why);
	return GPUCRYPT_OK;
}

/* piece NULL: `name` is the URI of a key in a token. */
static int add_key(struct reading *reading, struct key_piece *piece)
{
	struct pem_keys *keys = reading->keys;
	struct pem_key *key = &keys->keys[keys->n];
	int status;

	if (piece == NULL)
		status = key_store_read(&key->secret, key->der, reading->file, reading->question);
	else
		status = key_piece_read(&key->secret, key->der, piece, reading->question);
	if (status == GPUCRYPT_OK && key->secret.type == KEY_PAIR_ML_KEM) {
		key_store_release(&key->secret);
		return complete_pair(reading, key);
	}
	if (status != GPUCRYPT_OK)
		return reject_key(reading, piece, status);
	if (keys->n == keys->room) {
		key_store_release(&key->secret);
		return fail(GPUCRYPT_USAGE, "%s: more than %u keys", reading->file, keys->room);
	}
	key->file = reading->file;
	if (keys->n++ > 0)
		key[-1].secret.next = &key->secret;
	return GPUCRYPT_OK;
}

static int add_keys(struct reading *reading, const char *text, size_t length)
{
	struct key_text rest = key_text_of(text, length);
	struct key_piece piece;
	unsigned before = reading->keys->n;
	int status = GPUCRYPT_OK;

	while (status == GPUCRYPT_OK && key_text_next(&piece, &rest))
		if (!reading->question || piece.private_block)
			status = add_key(reading, &piece);
	if (status == GPUCRYPT_OK && reading->keys->n == before)
		status = fail(GPUCRYPT_USAGE, "%s: not a %s key in PEM or OpenSSH's form", reading->file,
		        reading->question              ? "private"
		        : reading->keys->skip_unusable ? "usable"
		                                       : "public");
	return status;
}

void pem_keys_start(struct pem_keys *keys, unsigned room)
{
	*keys = (struct pem_keys){ .keys = memory_or_exit(locked_allocate((room + 1) * sizeof *keys->keys)),
		.room = room };
}

int pem_keys_add(
        struct pem_keys *keys, const char *file, const char *text, size_t length, const struct pem_question *question)
{
	struct reading reading = { .keys = keys, .file = file, .question = question };

	if (text != NULL)
		return add_keys(&reading, text, length);
	if (strstr(file, "pin-value=") != NULL)
		return fail(GPUCRYPT_USAGE, "pin-value=: other users could see this PIN: use --identity-passphrase, "
		                            "or pin-source=");
	return add_key(&reading, NULL);
}

void pem_keys_cut(struct pem_keys *keys, unsigned n)
{
	while (keys->n > n) {
		struct pem_key *key = &keys->keys[--keys->n];

		key_store_release(&key->secret);
		wipe(key, sizeof *key);
	}
	if (n > 0)
		keys->keys[n - 1].secret.next = NULL;
}

/* A pair is whole only behind its second block. */
int pem_keys_check_twice(const struct pem_keys *keys)
{
	for (unsigned i = 0; i < keys->n; i++)
		for (unsigned j = 0; j < i; j++)
			if (keys->keys[j].secret.length == keys->keys[i].secret.length &&
			        !memcmp(keys->keys[j].secret.bytes, keys->keys[i].secret.bytes,
			                keys->keys[i].secret.length))
				return fail(GPUCRYPT_USAGE, "%s: has a key that %s has too", keys->keys[i].file,
				        keys->keys[j].file);
	return GPUCRYPT_OK;
}

static int add_recipients(struct pem_keys *keys, const char *name, char *text)
{
	struct reading reading = { .keys = keys, .file = name };
	size_t length = strlen(name);

	if (strchr(name, ' ') && ssh_public_line(name, length))
		return add_key(&reading, &(struct key_piece){ .text = name, .n = length });
	if (key_store_uri(name))
		return pem_keys_add(keys, name, NULL, 0, NULL);
	return pem_text_read(text, &length, name) ?: pem_keys_add(keys, name, text, length, NULL);
}

int recipients_read(struct pem_keys *keys, const struct text_list *names, bool skip_unusable)
{
	char *text;
	int status = GPUCRYPT_OK;

	*keys = (struct pem_keys){ 0 };
	if (names->n == 0)
		return GPUCRYPT_OK;
	text = memory_or_exit(locked_allocate(MAX_TEXT_BYTES));
	pem_keys_start(keys, MAX_RECIPIENTS);
	keys->skip_unusable = skip_unusable;
	for (unsigned i = 0; i < names->n && status == GPUCRYPT_OK; i++)
		status = add_recipients(keys, names->texts[i], text);
	locked_free(text, MAX_TEXT_BYTES);
	return status ?: pem_keys_check_twice(keys);
}

int pem_keys_mark(struct pem_keys *keys, unsigned n_secrets, const struct options *options)
{
	if (options->label != NULL && keys->n + n_secrets > 1)
		return fail(GPUCRYPT_USAGE, "--label: names one key slot, not %u", keys->n + n_secrets);
	if (keys->n > 0)
		keys->keys[0].secret.label = options->label;
	for (unsigned i = 0; i < keys->n; i++)
		keys->keys[i].secret.anonymous = options->anonymous;
	return GPUCRYPT_OK;
}

void pem_keys_free(struct pem_keys *keys)
{
	pem_keys_cut(keys, 0);
	locked_free(keys->keys, (keys->room + 1) * sizeof *keys->keys);
	*keys = (struct pem_keys){ 0 };
}
