#include "pem_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/keys.h"
#include "gpucrypt/status.h"
#include "gpucrypt/stream.h"
#include "passphrase.h"

#define MAX_PEM_BYTES 16384

static int read_text(char *text, size_t *length, const char *name)
{
	struct source source = { .name = name };
	int status;

	source.fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
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

int identity_read(struct gpucrypt_secret *secret, uint8_t *der, const char *name)
{
	const struct pem_question question = { ask, (void *)(uintptr_t)name };
	char text[MAX_PEM_BYTES];
	size_t length;
	int status = read_text(text, &length, name);

	if (status != GPUCRYPT_OK)
		goto done;
	status = private_key_read(secret, der, text, length, &question);
	if (status != GPUCRYPT_OK)
		status = fail_named(name, status);
done:
	wipe(text, sizeof text);
	return status;
}

static bool same(const struct gpucrypt_secret *a, const struct gpucrypt_secret *b)
{
	return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

int recipients_read(struct recipients *recipients, const struct text_list *names)
{
	struct gpucrypt_secret *list = recipients->list;
	char text[MAX_PEM_BYTES];
	size_t length;

	for (unsigned i = 0; i < names->n; i++) {
		int status = read_text(text, &length, names->texts[i]);

		if (status != GPUCRYPT_OK)
			return status;
		status = public_key_read(&list[i], recipients->der[i], text, length);
		if (status != GPUCRYPT_OK)
			return fail_named(names->texts[i], status);
		for (unsigned j = 0; j < i; j++)
			if (same(&list[i], &list[j]))
				return fail(GPUCRYPT_USAGE, "%s: the same key as %s",
				        names->texts[i], names->texts[j]);
		if (i > 0)
			list[i - 1].next = &list[i];
	}
	return GPUCRYPT_OK;
}
