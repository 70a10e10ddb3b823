/* Key slots, and public keys. */
#include <string.h>
#include <sys/file.h>

#include "gpucrypt/api/internal.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"

/* The sizes of the public header are those of the format. */
_Static_assert(GPUCRYPT_SLOTS == MAX_RECIPIENT_SLOTS, "recipients of a container");
_Static_assert(GPUCRYPT_LABEL_BYTES == MAX_LABEL_BYTES, "length of a label");
_Static_assert(GPUCRYPT_KEY_ID_BYTES == KEY_ID_BYTES, "length of a key id");
_Static_assert(GPUCRYPT_KEY_BYTES == MAX_KEY_DER_BYTES, "length of a key in DER");
_Static_assert(GPUCRYPT_PEM_BYTES == MAX_PAIR_PEM_BYTES, "length of a pair's text");

/* Longer text is no key. */
#define MAX_KEY_TEXT_BYTES ((size_t)1 << 20)

/* Key slots. */

static struct gpucrypt_slot describe_slot(const struct recipient *recipient)
{
	const struct key_slot *key = &recipient->key;
	struct gpucrypt_slot described = { .number = recipient->slot, .member = (uint8_t)recipient->member };

	strcpy(described.label, key->label);
	if (slot_type_of(key->type) == NULL)
		return described;
	described.type = (enum gpucrypt_secret_type)key->type;
	described.scrypt_log2_n = key->log2_n;
	described.anonymous = key_slot_anonymous(key);
	memcpy(described.key_id, key->key_id, sizeof described.key_id);
	return described;
}

/* opened: the number of the recipient that was opened, or -1. */
static void describe_slots(struct gpucrypt_slot *slots, unsigned *n_slots, const struct header *header, int opened)
{
	struct recipient recipient;
	unsigned room = *n_slots, n = 0;

	for (; recipient_read(&recipient, header->slots, n); n++) {
		if (n >= room)
			continue;
		slots[n] = describe_slot(&recipient);
		slots[n].opened = opened == (int)n;
	}
	*n_slots = n;
}

int gpucrypt_slots_read(struct gpucrypt_slot *slots, unsigned *n_slots, const struct gpucrypt_source *source,
        const struct gpucrypt_secret *secret)
{
	struct api_input input;
	struct examined_header examined;
	struct authenticated_header header;
	struct file_keys keys = { 0 };
	int status = argument_check("n_slots", n_slots) ?: argument_check("input", source);

	if (status == GPUCRYPT_OK && *n_slots > 0)
		status = argument_check("slots", slots);
	if (status == GPUCRYPT_OK && secret != NULL)
		status = secrets_check(secret);
	status = status ?: api_input_open(&input, source, true)
	                ?: secret != NULL ? container_unlock(input.source, &header, &keys, secret)
	                                  : container_examine(input.source, &examined);
	wipe(&keys, sizeof keys);
	if (status == GPUCRYPT_OK)
		describe_slots(slots, n_slots, secret != NULL ? &header.header : &examined.unauthenticated,
		        secret != NULL ? (int)header.opened : -1);
	return status;
}

int gpucrypt_slots_change(int fd, const struct gpucrypt_secret *secret, const struct gpucrypt_secret *add, int remove)
{
	/* GPUCRYPT_SLOT_MEMBER() counts members from 1, in the bits above the number of the slot. */
	struct key_change change = { .secret = secret,
		.add = add,
		.remove = remove < 0 ? -1 : remove % 256,
		.remove_member = remove < 0 ? 0 : (unsigned)remove / 256 };
	struct source file = source_of_fd(fd, "container");
	struct authenticated_header old;
	void *locked;
	int status = secrets_check(secret);

	if (status == GPUCRYPT_OK && add != NULL)
		status = secrets_check(add);
	if (status == GPUCRYPT_OK && remove < -1)
		status = fail(GPUCRYPT_USAGE, "no key slot %d", remove);
	status = status ?: secrets_check_recipients(add) ?: source_rewind(&file);
	if (status != GPUCRYPT_OK)
		return status;
	locked = locked_stack();
	status = key_change(&file, &change, &old);
	locked_stack_release(locked);
	(void)flock(fd, LOCK_UN);
	return status;
}

/* Public keys. */

int gpucrypt_key_generate(
        char private_pem[GPUCRYPT_PEM_BYTES], char public_pem[GPUCRYPT_PEM_BYTES], enum gpucrypt_secret_type type)
{
	int status = argument_check("private_pem", private_pem) ?: argument_check("public_pem", public_pem);

	if (status != GPUCRYPT_OK)
		return status;
	if (type != GPUCRYPT_X25519 && type != GPUCRYPT_X25519_ML_KEM)
		return fail(GPUCRYPT_USAGE, "a key pair of another type than X25519 and X25519 with ML-KEM-768");
	return key_pair_generate(private_pem, public_pem, type == GPUCRYPT_X25519_ML_KEM);
}

static int answer_passphrase(void *self, uint8_t *bytes, size_t room, size_t *length)
{
	const struct gpucrypt_secret *passphrase = self;

	if (passphrase == NULL)
		return fail(GPUCRYPT_NO_KEY, "a passphrase protects the key, and none is given");
	if (passphrase->length > room)
		return fail(GPUCRYPT_USAGE, "the passphrase is too long");
	memcpy(bytes, passphrase->bytes, passphrase->length);
	*length = passphrase->length;
	return GPUCRYPT_OK;
}

int gpucrypt_key_read(struct gpucrypt_secret *secret, uint8_t der[GPUCRYPT_KEY_BYTES], const char *text, size_t length,
        const struct gpucrypt_secret *passphrase)
{
	const struct pem_question question = { answer_passphrase, (void *)passphrase };
	struct gpucrypt_secret ml_kem = { 0 };
	uint8_t second_der[MAX_KEY_DER_BYTES];
	struct key_piece piece;
	struct key_text rest;
	int status = argument_check("secret", secret) ?: argument_check("der", der) ?: argument_check("text", text);

	if (status != GPUCRYPT_OK)
		return status;
	if (length > MAX_KEY_TEXT_BYTES)
		return fail(GPUCRYPT_USAGE, "not a key: it has %zu bytes", length);
	rest = key_text_of(text, length);
	status = key_text_next(&piece, &rest) ? key_piece_read(secret, der, &piece, &question)
	                                      : fail(GPUCRYPT_USAGE, "not a key in PEM or OpenSSH's form");
	if (status == GPUCRYPT_OK && !key_text_next(&piece, &rest))
		return secret->type != KEY_PAIR_ML_KEM
		               ? GPUCRYPT_OK
		               : fail(GPUCRYPT_USAGE, "an ML-KEM key without its X25519 key before it");
	status = status ?: key_piece_read(&ml_kem, second_der, &piece, &question);
	if (status == GPUCRYPT_OK)
		status = ml_kem.type == KEY_PAIR_ML_KEM && !key_text_next(&piece, &rest)
		                 ? hybrid_join(secret, der, &ml_kem)
		                 : fail(GPUCRYPT_USAGE, "more than one key");
	wipe(second_der, sizeof second_der);
	return status;
}

int gpucrypt_key_id(uint8_t id[GPUCRYPT_KEY_ID_BYTES], const struct gpucrypt_secret *secret)
{
	return secrets_check(secret) ?: argument_check("id", id) ?: public_key_id(id, secret);
}
