#include "cli/secrets/pem_file.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/keys/key_pair.h"
#include "gpucrypt/keys/ssh_key.h"
#include "gpucrypt/status.h"
#include "cli/secrets/secret.h"
#include "cli/terminal/memory.h"

/* What all keys of a file share. */
struct reading {
	struct pem_keys *keys;
	const char *file;
	const struct pem_question *question; /* NULL: public keys */
	bool has_blocks;
	unsigned line, stray_line; /* of a text without PEM blocks: the last one, and one that is no key; 0: none */
};

int pem_text_read(char *text, size_t *length, const char *name)
{
	int status = secret_file_read(text, MAX_TEXT_BYTES, length, name);

	return status != GPUCRYPT_OK || *length < MAX_TEXT_BYTES
	               ? status
	               : fail(GPUCRYPT_USAGE, "%s: too long for a file of keys", name);
}

static bool same(const struct gpucrypt_secret *a, const struct gpucrypt_secret *b)
{
	return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
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

/* pem NULL: the name of the file is the URI of a key. */
static int add_key(struct reading *reading, const char *pem, size_t n_pem)
{
	struct pem_keys *keys = reading->keys;
	struct pem_key *key = &keys->keys[keys->n];
	int status;

	if (pem == NULL)
		status = key_store_read(&key->secret, key->der, reading->file, reading->question);
	else
		status = reading->question ? private_key_read(&key->secret, key->der, pem, n_pem, reading->question)
		                           : public_key_read(&key->secret, key->der, pem, n_pem);
	if (status == GPUCRYPT_OK && key->secret.type == KEY_PAIR_ML_KEM) {
		key_store_release(&key->secret);
		return complete_pair(reading, key);
	}
	if (status != GPUCRYPT_OK)
		return fail_named(reading->file, status);
	if (keys->n == keys->room) {
		key_store_release(&key->secret);
		return fail(GPUCRYPT_USAGE, "%s: more than %u keys", reading->file, keys->room);
	}
	key->file = reading->file;
	if (keys->n++ > 0)
		key[-1].secret.next = &key->secret;
	return GPUCRYPT_OK;
}

/* Find the dashes at which the next PEM block begins, however many dashes there are. Text that only resembles a PEM
 * block is not skipped: parsing rejects it. */
static const char *next_block(const char *at, const char *end)
{
	const char *begin = at < end ? memmem(at, (size_t)(end - at), "-BEGIN ", 7) : NULL;

	while (begin != NULL && begin > at && begin[-1] == '-')
		begin--;
	return begin != NULL ? begin : end;
}

unsigned pem_text_blocks(const char *text, size_t length)
{
	const char *end = text + length;
	unsigned n = 0;

	for (const char *at = text; (at = next_block(at, end)) < end; at = memchr(at, 'B', (size_t)(end - at)))
		n++;
	return n;
}

static bool is_private(const char *block, const char *end)
{
	const char *line = memchr(block, '\n', (size_t)(end - block));

	return memmem(block, (size_t)((line != NULL ? line : end) - block), "PRIVATE KEY", strlen("PRIVATE KEY")) !=
	       NULL;
}

/* A block ends with its END line, if it has one, else where the next block begins. */
static const char *block_end(const char *block, const char *end)
{
	const char *next = next_block((const char *)memchr(block, 'B', (size_t)(end - block)), end);
	const char *last = memmem(block, (size_t)(next - block), "-----END ", strlen("-----END "));
	const char *line = last != NULL ? memchr(last, '\n', (size_t)(next - last)) : NULL;

	return line != NULL ? line + 1 : next;
}

/* Public keys of OpenSSH outside of PEM blocks. */
static int add_lines(struct reading *reading, const char *at, const char *end)
{
	int status = GPUCRYPT_OK;

	for (const char *after; at < end && status == GPUCRYPT_OK; at = after) {
		const char *line = memchr(at, '\n', (size_t)(end - at));

		line = line != NULL ? line : end;
		after = line < end ? line + 1 : end;
		reading->line++;
		while (at < line && (*at == ' ' || *at == '\t' || *at == '\r'))
			at++;
		if (at == line || *at == '#')
			continue;
		if (ssh_public_line(at, (size_t)(line - at)))
			status = add_key(reading, at, (size_t)(line - at));
		else if (reading->stray_line == 0)
			reading->stray_line = reading->line;
	}
	return status;
}

static int add_keys(struct reading *reading, const char *text, size_t length)
{
	const char *end = text + length, *at = text;
	unsigned before = reading->keys->n;
	int status = GPUCRYPT_OK;

	while (at < end && status == GPUCRYPT_OK) {
		const char *block = next_block(at, end);

		if (!reading->question)
			status = add_lines(reading, at, block);
		at = block < end ? block_end(block, end) : end;
		reading->has_blocks |= block < end;
		if (status == GPUCRYPT_OK && block < end && (!reading->question || is_private(block, at)))
			status = add_key(reading, block, (size_t)(at - block));
	}
	if (status == GPUCRYPT_OK && reading->keys->n == before)
		status = fail(GPUCRYPT_USAGE, "%s: not a %s key in PEM or OpenSSH's form", reading->file,
		        reading->question ? "private" : "public");
	if (status == GPUCRYPT_OK && reading->stray_line > 0 && !reading->has_blocks)
		status = fail(GPUCRYPT_USAGE, "%s: line %u is not a public key", reading->file, reading->stray_line);
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
	return add_key(&reading, NULL, 0);
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
			if (same(&keys->keys[j].secret, &keys->keys[i].secret))
				return fail(GPUCRYPT_USAGE, "%s: has a key that %s has too", keys->keys[i].file,
				        keys->keys[j].file);
	return GPUCRYPT_OK;
}

static int add_recipients(struct pem_keys *keys, const char *name, char *text)
{
	struct reading reading = { .keys = keys, .file = name };
	size_t length = strlen(name);

	if (strchr(name, ' ') && ssh_public_line(name, length))
		return add_key(&reading, name, length);
	if (key_store_uri(name))
		return pem_keys_add(keys, name, NULL, 0, NULL);
	return pem_text_read(text, &length, name) ?: pem_keys_add(keys, name, text, length, NULL);
}

int recipients_read(struct pem_keys *keys, const struct text_list *names)
{
	char *text;
	int status = GPUCRYPT_OK;

	*keys = (struct pem_keys){ 0 };
	if (names->n == 0)
		return GPUCRYPT_OK;
	text = memory_or_exit(locked_allocate(MAX_TEXT_BYTES));
	pem_keys_start(keys, MAX_RECIPIENTS);
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
