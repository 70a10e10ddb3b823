#include "cli/secrets/pem_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"
#include "gpucrypt/pipeline/source.h"
#include "cli/secrets/passphrase.h"

#define MAX_PEM_BYTES 16384

static int read_text(char *text, size_t *length, const char *name)
{
	struct source source = source_of_fd(open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY), name);
	int status;

	if (source.fd < 0)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", name, strerror(errno));
	status = source_read(&source, (uint8_t *)text, MAX_PEM_BYTES, length);
	close(source.fd);
	if (status == GPUCRYPT_OK && *length == MAX_PEM_BYTES)
		status = fail(GPUCRYPT_USAGE, "%s: too long for a key in PEM", name);
	return status;
}

/* A passphrase longer than what libcrypto has room for is a wrong one. */
static int ask(void *name, uint8_t *bytes, size_t room, size_t *length)
{
	uint8_t line[MAX_LINE_BYTES];
	int status = passphrase_ask(line, length, name, false);

	if (status == GPUCRYPT_OK && *length > room)
		status = fail(GPUCRYPT_NO_KEY, "its passphrase is wrong");
	if (status == GPUCRYPT_OK)
		memcpy(bytes, line, *length);
	wipe(line, sizeof line);
	return status;
}

static bool same(const struct gpucrypt_secret *a, const struct gpucrypt_secret *b)
{
	return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

static int add_key(struct pem_keys *keys, const char *name, const char *pem, size_t n_pem, bool private)
{
	const struct pem_question question = { ask, (void *)(uintptr_t)name };
	struct gpucrypt_secret *key = &keys->list[keys->n];
	int status;

	if (keys->n == MAX_PEM_KEYS)
		return fail(GPUCRYPT_USAGE, "%s: more than %d keys", name, MAX_PEM_KEYS);
	status = private ? private_key_read(key, keys->der[keys->n], pem, n_pem, &question)
	                 : public_key_read(key, keys->der[keys->n], pem, n_pem);
	if (status != GPUCRYPT_OK)
		return fail_named(name, status);
	for (unsigned i = 0; i < keys->n; i++)
		if (same(&keys->list[i], key))
			return fail(GPUCRYPT_USAGE, "%s: has a key that %s has too", name, keys->files[i]);
	keys->files[keys->n] = name;
	if (keys->n++ > 0)
		key[-1].next = key;
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

static bool is_private(const char *block, const char *end)
{
	const char *line = memchr(block, '\n', (size_t)(end - block));

	return memmem(block, (size_t)((line != NULL ? line : end) - block), "PRIVATE KEY", strlen("PRIVATE KEY")) !=
	       NULL;
}

static int add_keys(struct pem_keys *keys, const char *name, const char *text, size_t length, bool private)
{
	const char *end = text + length, *block = next_block(text, end), *after;
	unsigned before = keys->n;
	int status = GPUCRYPT_OK;

	for (; block < end && status == GPUCRYPT_OK; block = after) {
		after = next_block((const char *)memchr(block, 'B', (size_t)(end - block)), end);
		if (!private || is_private(block, after))
			status = add_key(keys, name, block, (size_t)(after - block), private);
	}
	if (status == GPUCRYPT_OK && keys->n == before)
		status = fail(GPUCRYPT_USAGE, "%s: not a %s key in PEM", name, private ? "private" : "public");
	return status;
}

static int read_files(struct pem_keys *keys, const struct text_list *names, bool private)
{
	char text[MAX_PEM_BYTES];
	size_t length;
	int status = GPUCRYPT_OK;

	keys->n = 0;
	for (unsigned i = 0; i < names->n && status == GPUCRYPT_OK; i++) {
		status = read_text(text, &length, names->texts[i]);
		if (status == GPUCRYPT_OK)
			status = add_keys(keys, names->texts[i], text, length, private);
	}
	wipe(text, sizeof text);
	return status;
}

int recipients_read(struct pem_keys *keys, const struct text_list *names)
{
	return read_files(keys, names, false);
}

int identities_read(struct pem_keys *keys, const struct text_list *names)
{
	return read_files(keys, names, true);
}
