#include "gpucrypt/keys/slot.h"

#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/keys/hybrid.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/shared_slot.h"
#include "gpucrypt/status.h"

/* The result for this cost and salt, or with salt NULL for a salt that was chosen in this run; or NULL. */
static const struct scrypt_result *find_result(
        const struct gpucrypt_derived *derived, unsigned log2_n, unsigned p, const uint8_t *salt)
{
	size_t n = derived != NULL ? sizeof derived->results / sizeof *derived->results : 0;

	for (size_t i = 0; i < n; i++) {
		const struct scrypt_result *result = &derived->results[i];

		if (result->there && result->log2_n == log2_n && result->p == p &&
		        (salt != NULL ? memcmp(result->salt, salt, SALT_BYTES) == 0 : result->own_salt))
			return result;
	}
	return NULL;
}

static void store_result(
        struct gpucrypt_derived *derived, const struct key_slot *slot, const uint8_t kek[32], bool own_salt)
{
	struct scrypt_result *result;

	if (derived == NULL)
		return;
	result = &derived->results[derived->next];
	derived->next = (derived->next + 1) % (sizeof derived->results / sizeof *result);
	*result = (struct scrypt_result){ .there = true, .own_salt = own_salt, .log2_n = slot->log2_n, .p = slot->p };
	memcpy(result->salt, slot->salt, SALT_BYTES);
	memcpy(result->kek, kek, sizeof result->kek);
}

/* scrypt takes half a second: its result is used again for the same salt and cost. */
static int passphrase_kek(
        uint8_t kek[32], const struct key_slot *slot, const struct gpucrypt_secret *secret, bool own_salt)
{
	const struct scrypt_result *known = find_result(secret->derived, slot->log2_n, slot->p, slot->salt);
	int status;

	if (known != NULL) {
		memcpy(kek, known->kek, sizeof known->kek);
		return GPUCRYPT_OK;
	}
	status = kek_from_passphrase(kek, secret->bytes, secret->length, slot->salt, slot->log2_n, slot->p);
	if (status == GPUCRYPT_OK)
		store_result(secret->derived, slot, kek, own_salt);
	return status;
}

static int passphrase_slot_kek(uint8_t kek[32], const struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	(void)file_salt;
	return passphrase_kek(kek, slot, secret, false);
}

/* Files made in one run may share a salt, and then need one derivation only (gcrypt(5), "Keys"). */
static int passphrase_new_kek(uint8_t kek[32], struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	const struct scrypt_result *own = find_result(secret->derived, slot->log2_n, slot->p, NULL);
	int status = GPUCRYPT_OK;

	(void)file_salt;
	if (own != NULL)
		memcpy(slot->salt, own->salt, SALT_BYTES);
	else
		status = random_bytes(slot->salt, sizeof slot->salt);
	return status == GPUCRYPT_OK ? passphrase_kek(kek, slot, secret, true) : status;
}

static int key_file_slot_kek(uint8_t kek[32], const struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	return kek_from_key_file(kek, secret->bytes, slot->salt, file_salt);
}

static int key_file_new_kek(uint8_t kek[32], struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	int status = random_bytes(slot->salt, sizeof slot->salt);

	return status == GPUCRYPT_OK ? key_file_slot_kek(kek, slot, secret, file_salt) : status;
}

static int agreed_slot_kek(uint8_t kek[32], const struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	return agreement_receive(kek, secret, slot->salt, file_salt);
}

static int agreed_new_kek(uint8_t kek[32], struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	EVP_PKEY *own;
	int status = agreement_begin(&own, slot->salt, secret->type);

	if (status == GPUCRYPT_OK)
		status = agreement_send(kek, own, slot->salt, secret, file_salt);
	EVP_PKEY_free(own);
	return status;
}

/* Types 1 to 3 and 5: the file key in AES-256 key wrap under a KEK. */
static int unwrap(uint8_t file_key[FILE_KEY_BYTES], const struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	uint8_t kek[32];
	int status = slot_type_of(slot->type)->kek(kek, slot, secret, file_salt);

	if (status == GPUCRYPT_OK)
		status = key_unwrap(file_key, slot->body, kek);
	wipe(kek, sizeof kek);
	return status;
}

static int wrap(struct key_slot *slot, const struct gpucrypt_secret *secret, const uint8_t file_key[FILE_KEY_BYTES],
        const uint8_t file_salt[SALT_BYTES])
{
	uint8_t kek[32];
	int status = slot_type_of(slot->type)->new_kek(kek, slot, secret, file_salt);

	slot->body_bytes = WRAPPED_BYTES;
	if (status == GPUCRYPT_OK)
		status = key_wrap(slot->body, file_key, kek);
	wipe(kek, sizeof kek);
	return status;
}

static int hybrid_open(uint8_t file_key[FILE_KEY_BYTES], const struct key_slot *slot,
        const struct gpucrypt_secret *secret, const uint8_t file_salt[SALT_BYTES])
{
	uint8_t kek[32];
	int status = hybrid_receive(kek, secret, slot->salt, slot->body, file_salt);

	if (status == GPUCRYPT_OK)
		status = key_unwrap(file_key, slot->body + ML_KEM_CIPHERTEXT, kek);
	wipe(kek, sizeof kek);
	return status;
}

static int hybrid_make(struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_key[FILE_KEY_BYTES], const uint8_t file_salt[SALT_BYTES])
{
	uint8_t kek[32];
	int status = hybrid_send(kek, slot->salt, slot->body, secret, file_salt);

	slot->body_bytes = HYBRID_BODY_BYTES;
	if (status == GPUCRYPT_OK)
		status = key_wrap(slot->body + ML_KEM_CIPHERTEXT, file_key, kek);
	wipe(kek, sizeof kek);
	return status;
}

static int rsa_open(uint8_t file_key[FILE_KEY_BYTES], const struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	return rsa_decrypt(file_key, secret, slot->body, slot->body_bytes, file_salt);
}

static int rsa_make(struct key_slot *slot, const struct gpucrypt_secret *secret, const uint8_t file_key[FILE_KEY_BYTES],
        const uint8_t file_salt[SALT_BYTES])
{
	size_t n_body = sizeof slot->body;
	int status = rsa_encrypt(slot->body, &n_body, secret, file_key, file_salt);

	slot->body_bytes = (uint16_t)n_body;
	return status;
}

/* By number in the format, which is also that of the secret. */
static const struct slot_type types[] = {
	[SLOT_PASSPHRASE] = { "passphrase", "passphrase", .has_cost = true, .has_salt = true,
	        .least_body_bytes = WRAPPED_BYTES, .most_body_bytes = WRAPPED_BYTES, .open = unwrap, .make = wrap,
	        .kek = passphrase_slot_kek, .new_kek = passphrase_new_kek },
	[SLOT_KEY_FILE] = { "key file", "key file", .has_salt = true, .least_body_bytes = WRAPPED_BYTES,
	        .most_body_bytes = WRAPPED_BYTES, .open = unwrap, .make = wrap, .kek = key_file_slot_kek,
	        .new_kek = key_file_new_kek },
	[SLOT_X25519] = { "x25519", "X25519 key", .has_key_id = true, .has_salt = true,
	        .least_body_bytes = WRAPPED_BYTES, .most_body_bytes = WRAPPED_BYTES, .open = unwrap, .make = wrap,
	        .kek = agreed_slot_kek, .new_kek = agreed_new_kek },
	[SLOT_P256] = { "p-256", "P-256 key", .has_key_id = true, .has_salt = true, .least_body_bytes = WRAPPED_BYTES,
	        .most_body_bytes = WRAPPED_BYTES, .open = unwrap, .make = wrap, .kek = agreed_slot_kek,
	        .new_kek = agreed_new_kek },
	[SLOT_RSA_OAEP] = { "rsa-oaep", "RSA key", .has_key_id = true, .least_body_bytes = 256,
	        .most_body_bytes = MAX_RSA_BYTES, .open = rsa_open, .make = rsa_make },
	[SLOT_X25519_ML_KEM] = { "x25519-ml-kem-768", "X25519 and ML-KEM-768 key", .has_key_id = true, .has_salt = true,
	        .least_body_bytes = HYBRID_BODY_BYTES, .most_body_bytes = HYBRID_BODY_BYTES, .open = hybrid_open,
	        .make = hybrid_make },
	[SLOT_SHARED] = { "shared", "X25519 or P-256 key", .least_body_bytes = SHARED_GROUP_BYTES + SHARED_MEMBER_BYTES,
	        .most_body_bytes = SLOT_ROOM },
};

_Static_assert(SLOT_PASSPHRASE == (int)GPUCRYPT_PASSPHRASE && SLOT_KEY_FILE == (int)GPUCRYPT_KEY_FILE &&
                       SLOT_X25519 == (int)GPUCRYPT_X25519 && SLOT_RSA_OAEP == (int)GPUCRYPT_RSA &&
                       SLOT_P256 == (int)GPUCRYPT_P256 && SLOT_X25519_ML_KEM == (int)GPUCRYPT_X25519_ML_KEM,
        "a secret opens slots of its number");

const struct slot_type *slot_type_of(unsigned type)
{
	return type < sizeof types / sizeof *types && types[type].name != NULL ? &types[type] : NULL;
}

int secret_form(const struct gpucrypt_secret *secret)
{
	if (slot_type_of(secret->type) == NULL || secret->type == (int)SLOT_SHARED)
		return fail(GPUCRYPT_USAGE, "no such type of secret: %d", (int)secret->type);
	if (secret->type == GPUCRYPT_KEY_FILE && secret->length != 32)
		return fail(GPUCRYPT_USAGE, "a key file has 32 bytes, not %zu", secret->length);
	return GPUCRYPT_OK;
}

bool slot_names_key(unsigned type)
{
	return slot_type_of(type) != NULL && slot_type_of(type)->has_key_id;
}

bool key_slot_anonymous(const struct key_slot *slot)
{
	return slot_names_key(slot->type) && all_zero(slot->key_id, KEY_ID_BYTES);
}

enum slot_fit key_slot_fit(const struct key_slot *slot, unsigned type, const uint8_t key_id[KEY_ID_BYTES])
{
	if (slot->type != type)
		return FITS_NOT;
	if (!slot_names_key(type) || key_slot_anonymous(slot))
		return MAY_FIT;
	return memcmp(key_id, slot->key_id, KEY_ID_BYTES) == 0 ? FITS_KEY : FITS_NOT;
}

bool key_slot_fits(const struct key_slot *slot, const struct gpucrypt_secret *secret)
{
	uint8_t id[KEY_ID_BYTES];

	if (!slot_names_key(secret->type))
		return slot->type == (unsigned)secret->type;
	return public_key_id(id, secret) == GPUCRYPT_OK && key_slot_fit(slot, secret->type, id) == FITS_KEY;
}

int key_slot_open_next(uint8_t file_key[FILE_KEY_BYTES], const struct key_slot *slot,
        const struct gpucrypt_secret *secret, const uint8_t file_salt[SALT_BYTES], struct last_kek *last)
{
	if (!slot_sharable(slot->type))
		return key_slot_open(file_key, slot, secret, file_salt);
	if (!last->there || memcmp(last->salt, slot->salt, SALT_BYTES) != 0) {
		last->there = true;
		memcpy(last->salt, slot->salt, SALT_BYTES);
		last->status = agreement_receive(last->kek, secret, slot->salt, file_salt);
	}
	return last->status == GPUCRYPT_OK ? key_unwrap(file_key, slot->body, last->kek) : last->status;
}

int key_slot_open(uint8_t file_key[FILE_KEY_BYTES], const struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	int status = secret_form(secret);

	if (status == GPUCRYPT_OK && slot->incomplete)
		status = key_pair_fail_closed();
	return status == GPUCRYPT_OK ? slot_type_of(slot->type)->open(file_key, slot, secret, file_salt) : status;
}

int key_slot_bound_key(uint8_t key[32], const struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES], const char *label)
{
	const struct slot_type *type = slot_type_of(slot->type);
	uint8_t kek[32];
	int status;

	if (type == NULL || type->has_key_id || slot->type != (unsigned)secret->type)
		return fail(
		        GPUCRYPT_USAGE, "only a passphrase or a key file binds a manifest or an unfinished container");
	status = type->kek(kek, slot, secret, file_salt);
	if (status == GPUCRYPT_OK)
		status = bound_key_derive(key, kek, label);
	wipe(kek, sizeof kek);
	return status;
}

int key_slot_make(struct key_slot *slot, const struct gpucrypt_secret *secret, const uint8_t file_key[FILE_KEY_BYTES],
        const uint8_t file_salt[SALT_BYTES], unsigned log2_n)
{
	const struct slot_type *type = slot_type_of(secret->type);
	int status = secret_form(secret);

	if (status != GPUCRYPT_OK)
		return status;
	if (type->has_cost && (log2_n < SCRYPT_LOG2_N_MIN || log2_n > SCRYPT_LOG2_N_MAX))
		return fail(GPUCRYPT_USAGE, "scrypt cost 2^%u is not from 2^%d to 2^%d", log2_n, SCRYPT_LOG2_N_MIN,
		        SCRYPT_LOG2_N_MAX);
	*slot = (struct key_slot){
		.type = (uint8_t)secret->type, .log2_n = type->has_cost ? (uint8_t)log2_n : 0, .p = type->has_cost
	};
	if (type->has_key_id && !secret->anonymous)
		status = public_key_id(slot->key_id, secret);
	if (status == GPUCRYPT_OK)
		status = type->make(slot, secret, file_key, file_salt);
	if (status == GPUCRYPT_OK && slot->body_bytes < type->least_body_bytes)
		status = fail(GPUCRYPT_USAGE, "a key of %u bits: too few for a slot", 8u * slot->body_bytes);
	return status;
}
