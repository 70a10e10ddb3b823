#include "cli/secrets/secret.h"

#include <stdlib.h>
#include <string.h>

#include "cli/terminal/memory.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"

/* A file with a protected key, or the URI of a key, which may need a PIN. */
struct identity_file {
	struct locked_secret locked; /* first member */
	struct secret *owner;
	const char *name; /* not owned */
	char *text;       /* owned; locked memory: other keys of the file may be in the clear; NULL: a URI */
	size_t length;    /* of text */
	uint8_t der[MAX_KEY_DER_BYTES]; /* of locked.public */
	enum passphrase_question question;
};

/* The question of the first pass: it has no answer, so protected keys are left for later. */
static int refuse(void *self, uint8_t *bytes, size_t room, size_t *length)
{
	(void)bytes, (void)room, (void)length;
	*(bool *)self = true;
	return fail(GPUCRYPT_NO_KEY, "a passphrase is needed");
}

/* A passphrase that is longer than libcrypto's buffer is wrong. */
static int answer(const uint8_t *passphrase, size_t n_passphrase, uint8_t *bytes, size_t room, size_t *length)
{
	if (n_passphrase > room)
		return fail(GPUCRYPT_NO_KEY, "its passphrase is wrong");
	*length = n_passphrase;
	memcpy(bytes, passphrase, n_passphrase);
	return GPUCRYPT_OK;
}

static int ask(void *self, uint8_t *bytes, size_t room, size_t *length)
{
	const struct identity_file *file = self;
	const struct locked_text *given = &file->owner->passphrase;
	uint8_t line[MAX_LINE_BYTES];
	size_t n;
	int status;

	if (given->bytes != NULL)
		return answer(given->bytes, given->length, bytes, room, length);
	status = passphrase_ask(line, &n, file->locked.name, file->question) ?: answer(line, n, bytes, room, length);
	wipe(line, sizeof line);
	return status;
}

/* The secret is the first of all keys, or a secret of no bytes while no key is open. */
static void link_keys(struct secret *secret)
{
	struct pem_keys *keys = &secret->identities;
	const struct gpucrypt_secret *first = pem_keys_first(keys);

	for (unsigned i = 0; i < keys->n; i++)
		keys->keys[i].secret.derived = &secret->derived;
	secret->secret = first != NULL ? *first : (struct gpucrypt_secret){ .type = GPUCRYPT_X25519 };
	secret->secret.derived = &secret->derived;
}

/* A wrong PIN is not asked for again: tokens lock after a few wrong PINs. */
static int add_asking(struct identity_file *file)
{
	struct pem_keys *keys = &file->owner->identities;
	const struct pem_question question = { ask, file };
	bool typed = file->text != NULL && file->owner->passphrase.bytes == NULL;
	unsigned before = keys->n, tries = typed ? PASSPHRASE_TRIES : 1;
	int status;

	do {
		fail_clear();
		status = pem_keys_add(keys, file->locked.name, file->text, file->length, &question);
		file->question = ASK_AGAIN;
		if (status != GPUCRYPT_OK)
			pem_keys_cut(keys, before);
	} while (status == GPUCRYPT_NO_KEY && --tries > 0);
	return status;
}

static int open_file(struct locked_secret *self, const struct gpucrypt_secret **secret)
{
	struct identity_file *file = (struct identity_file *)self;
	struct pem_keys *keys = &file->owner->identities;
	unsigned before = keys->n;
	int status = add_asking(file) ?: pem_keys_check_twice(keys);

	self->asked = true;
	file->owner->refused |= status != GPUCRYPT_OK;
	if (status != GPUCRYPT_OK)
		return status;
	link_keys(file->owner);
	*secret = &keys->keys[before].secret;
	return GPUCRYPT_OK;
}

static bool has_several(const char *text, size_t length)
{
	struct key_text rest = key_text_of(text, length);
	struct key_piece piece;
	unsigned n = 0;

	while (n < 2 && key_text_next(&piece, &rest))
		n++;
	return n == 2;
}

static void put_off(struct secret *secret, const char *name, const char *text, size_t length)
{
	struct identity_file *file = &secret->files[secret->n_files];

	*file = (struct identity_file){
		.locked = { .name = name, .open = open_file }, .owner = secret, .length = length
	};
	if (text != NULL) {
		file->text = memory_or_exit(locked_allocate(length));
		memcpy(file->text, text, length);
		if (has_several(text, length) || !private_key_public(&file->locked.public, file->der, text, length))
			file->locked.public.type = 0;
	}
	if (secret->n_files++ > 0)
		file[-1].locked.next = &file->locked;
	secret->derived.locked = &secret->files[0].locked;
}

static int read_file(struct secret *secret, const char *name, char *text)
{
	struct pem_keys *keys = &secret->identities;
	bool uri = key_store_uri(name), protected = uri;
	const struct pem_question none = { refuse, &protected };
	unsigned before = keys->n;
	size_t length = 0;
	int status = GPUCRYPT_OK;

	if (!uri)
		status = pem_text_read(text, &length, name) ?: pem_keys_add(keys, name, text, length, &none);
	if (!protected || (!uri && status == GPUCRYPT_OK))
		return status;
	fail_clear();
	pem_keys_cut(keys, before);
	put_off(secret, name, uri ? NULL : text, length);
	return GPUCRYPT_OK;
}

int identities_read(struct secret *secret, const struct text_list *names, const char *passphrase)
{
	char *text = memory_or_exit(locked_allocate(MAX_TEXT_BYTES));
	int status =
	        passphrase ? secret_source_read(&secret->passphrase, "--identity-passphrase", passphrase) : GPUCRYPT_OK;

	pem_keys_start(&secret->identities, MAX_IDENTITIES);
	secret->bytes = (uint8_t *)secret->identities.keys;
	secret->capacity = (secret->identities.room + 1) * sizeof *secret->identities.keys;
	secret->files = memory_or_exit(calloc(names->n, sizeof *secret->files));
	for (unsigned i = 0; i < names->n && status == GPUCRYPT_OK; i++)
		status = read_file(secret, names->texts[i], text);
	locked_free(text, MAX_TEXT_BYTES);
	if (status == GPUCRYPT_OK)
		status = pem_keys_check_twice(&secret->identities);
	link_keys(secret);
	return status;
}

int identities_open_all(struct secret *secret, bool unknown_only)
{
	const struct gpucrypt_secret *unused;
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < secret->n_files && status == GPUCRYPT_OK; i++) {
		struct locked_secret *locked = &secret->files[i].locked;

		if (!locked->asked && (!unknown_only || locked->public.type == 0))
			status = locked->open(locked, &unused);
	}
	return status;
}

bool identities_locked(const struct secret *secret)
{
	bool any = false;

	for (unsigned i = 0; i < secret->n_files; i++)
		any |= !secret->files[i].locked.asked;
	return any;
}

void identities_free(struct secret *secret)
{
	pem_keys_cut(&secret->identities, 0); /* the memory is that of secret->bytes */
	for (unsigned i = 0; i < secret->n_files; i++)
		locked_free(secret->files[i].text, secret->files[i].length);
	free(secret->files);
}
