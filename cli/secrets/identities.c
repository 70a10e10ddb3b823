#include "cli/secrets/identities.h"

#include <stdlib.h>
#include <string.h>

#include "cli/secrets/passphrase.h"
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
};

/* The question of the first pass: it has no answer, so protected keys are left for later. */
static int refuse(void *self, uint8_t *bytes, size_t room, size_t *length)
{
	(void)bytes, (void)room, (void)length;
	*(bool *)self = true;
	return fail(GPUCRYPT_NO_KEY, "a passphrase is needed");
}

struct asking {
	const struct identity_file *file;
	enum passphrase_question question;
};

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
	const struct asking *asking = self;
	const struct secret *given = asking->file->owner->passphrase;
	uint8_t line[MAX_LINE_BYTES];
	size_t n;
	int status;

	if (given != NULL)
		return answer(given->bytes, given->secret.length, bytes, room, length);
	status = passphrase_ask(line, &n, asking->file->locked.name, asking->question);
	if (status == GPUCRYPT_OK)
		status = answer(line, n, bytes, room, length);
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
	secret->secret.type = first != NULL ? first->type : GPUCRYPT_X25519;
	secret->secret.bytes = first != NULL ? first->bytes : NULL;
	secret->secret.length = first != NULL ? first->length : 0;
	secret->secret.next = first != NULL ? first->next : NULL;
	secret->secret.held = first != NULL ? first->held : NULL;
	secret->secret.derived = &secret->derived;
}

/* A wrong PIN is not asked for again: tokens lock after a few wrong PINs. */
static int add_asking(struct identity_file *file)
{
	struct pem_keys *keys = &file->owner->identities;
	struct asking asking = { file, ASK_ONCE };
	const struct pem_question question = { ask, &asking };
	unsigned before = keys->n, tries = file->text != NULL && file->owner->passphrase == NULL ? PASSPHRASE_TRIES : 1;
	int status;

	do {
		fail_clear();
		status = pem_keys_add(keys, file->locked.name, file->text, file->length, &question);
		asking.question = ASK_AGAIN;
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
	int status = add_asking(file);

	self->asked = true;
	if (status == GPUCRYPT_OK)
		status = pem_keys_check_twice(keys);
	file->owner->refused |= status != GPUCRYPT_OK;
	if (status != GPUCRYPT_OK)
		return status;
	link_keys(file->owner);
	*secret = &keys->keys[before].secret;
	return GPUCRYPT_OK;
}

static int put_off(struct secret *secret, const char *name, const char *text, size_t length)
{
	struct identity_file *file = &secret->files[secret->n_files];

	*file = (struct identity_file){
		.locked = { .name = name, .open = open_file }, .owner = secret, .length = length
	};
	file->text = text != NULL ? locked_allocate(length) : NULL;
	if (text != NULL && file->text == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	if (text != NULL) {
		memcpy(file->text, text, length);
		if (pem_text_blocks(text, length) > 1 ||
		        !private_key_public(&file->locked.public, file->der, text, length))
			file->locked.public.type = 0;
	}
	if (secret->n_files++ > 0)
		file[-1].locked.next = &file->locked;
	secret->derived.locked = &secret->files[0].locked;
	return GPUCRYPT_OK;
}

static int read_file(struct secret *secret, const char *name, char *text)
{
	struct pem_keys *keys = &secret->identities;
	bool protected = false;
	const struct pem_question none = { refuse, &protected };
	unsigned before = keys->n;
	size_t length;
	int status;

	if (key_store_uri(name))
		return put_off(secret, name, NULL, 0);
	status = pem_text_read(text, &length, name);
	if (status == GPUCRYPT_OK)
		status = pem_keys_add(keys, name, text, length, &none);
	if (status == GPUCRYPT_OK || !protected)
		return status;
	fail_clear();
	pem_keys_cut(keys, before);
	return put_off(secret, name, text, length);
}

int identities_read(struct secret *secret, const struct text_list *names)
{
	char *text = locked_allocate(MAX_TEXT_BYTES);
	int status = pem_keys_start(&secret->identities, MAX_IDENTITIES);

	secret->bytes = (uint8_t *)secret->identities.keys;
	secret->capacity = (secret->identities.room + 1) * sizeof *secret->identities.keys;
	secret->files = calloc(names->n, sizeof *secret->files);
	if (text == NULL || secret->files == NULL)
		status = fail(GPUCRYPT_OTHER, "out of memory");
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
