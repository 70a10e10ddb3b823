#include "gpucrypt/keys/header.h"

#include <string.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/clock.h"
#include "gpucrypt/keys/public_key.h"
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

static int passphrase_receive(uint8_t kek[32], const struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	(void)file_salt;
	return passphrase_kek(kek, slot, secret, false);
}

/* Files made in one run may share a salt, and then need one derivation only (gcrypt(5), "Keys"). */
static int passphrase_send(uint8_t kek[32], struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	const struct scrypt_result *own = find_result(secret->derived, slot->log2_n, slot->p, NULL);
	int status = GPUCRYPT_OK;

	(void)file_salt;
	if (own != NULL)
		memcpy(slot->salt, own->salt, SALT_BYTES);
	else
		status = random_bytes(slot->salt, sizeof slot->salt);
	return status ?: passphrase_kek(kek, slot, secret, true);
}

static int key_file_receive(uint8_t kek[32], const struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	return kek_from_key_file(kek, secret->bytes, slot->salt, file_salt);
}

static int key_file_send(uint8_t kek[32], struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES])
{
	return random_bytes(slot->salt, sizeof slot->salt) ?: key_file_receive(kek, slot, secret, file_salt);
}

#define BODY_OF(least, most)     .least_body_bytes = (least), .most_body_bytes = (most)
#define KEK_BY(receiver, sender) .receive = (receiver), .send = (sender)

/* By number in the format, which is also that of the secret. */
static const struct slot_type types[] = {
	[SLOT_PASSPHRASE] = { "passphrase", "passphrase", .has_cost = true, .has_salt = true,
	        BODY_OF(WRAPPED_BYTES, WRAPPED_BYTES), KEK_BY(passphrase_receive, passphrase_send) },
	[SLOT_KEY_FILE] = { "key file", "key file", .has_salt = true, BODY_OF(WRAPPED_BYTES, WRAPPED_BYTES),
	        KEK_BY(key_file_receive, key_file_send) },
	[SLOT_X25519] = { "x25519", "X25519 key", .has_key_id = true, .has_salt = true,
	        BODY_OF(WRAPPED_BYTES, WRAPPED_BYTES), KEK_BY(agreement_receive, agreement_send) },
	[SLOT_P256] = { "p-256", "P-256 key", .has_key_id = true, .has_salt = true,
	        BODY_OF(WRAPPED_BYTES, WRAPPED_BYTES), KEK_BY(agreement_receive, agreement_send) },
	[SLOT_RSA_OAEP] = { "rsa-oaep", "RSA key", .has_key_id = true, BODY_OF(256, MAX_RSA_BYTES) },
	[SLOT_X25519_ML_KEM] = { "x25519-ml-kem-768", "X25519 and ML-KEM-768 key", .has_key_id = true, .has_salt = true,
	        BODY_OF(HYBRID_BODY_BYTES, HYBRID_BODY_BYTES), KEK_BY(hybrid_receive, hybrid_send) },
	[SLOT_SHARED] = { "shared", "X25519 or P-256 key",
	        BODY_OF(SHARED_GROUP_BYTES + SHARED_MEMBER_BYTES, SLOT_ROOM) },
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

/* The file key, wrapped, is at the end of the body. */
static size_t wrapped_at(const struct slot_type *type)
{
	return (size_t)type->least_body_bytes - WRAPPED_BYTES;
}

int key_slot_open(uint8_t file_key[FILE_KEY_BYTES], const struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES], struct last_kek *last)
{
	const struct slot_type *type = slot_type_of(slot->type);
	struct last_kek alone = { 0 };
	int status = secret_form(secret);

	if (status == GPUCRYPT_OK && slot->incomplete)
		status = key_pair_fail_closed();
	if (status == GPUCRYPT_OK && type->receive == NULL)
		return rsa_decrypt(file_key, secret, slot->body, slot->body_bytes, file_salt);
	if (last == NULL || !slot_sharable(slot->type))
		last = &alone;
	if (status == GPUCRYPT_OK && (!last->there || memcmp(last->salt, slot->salt, SALT_BYTES) != 0)) {
		last->there = true;
		memcpy(last->salt, slot->salt, SALT_BYTES);
		last->status = type->receive(last->kek, slot, secret, file_salt);
	}
	status = status ?: last->status ?: key_unwrap(file_key, slot->body + wrapped_at(type), last->kek);
	wipe(&alone, sizeof alone);
	return status;
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
	status = type->receive(kek, slot, secret, file_salt) ?: bound_key_derive(key, kek, label);
	wipe(kek, sizeof kek);
	return status;
}

/* An RSA key of any size encrypts, and not every result is the body of a slot. */
static int fill_body(struct key_slot *slot, const struct slot_type *type, const struct gpucrypt_secret *secret,
        const uint8_t file_key[FILE_KEY_BYTES], const uint8_t file_salt[SALT_BYTES])
{
	size_t n_body = sizeof slot->body;
	uint8_t kek[32];
	int status;

	if (type->send == NULL) {
		status = rsa_encrypt(slot->body, &n_body, secret, file_key, file_salt);
		slot->body_bytes = (uint16_t)n_body;
		if (status == GPUCRYPT_OK && (n_body < type->least_body_bytes || n_body > type->most_body_bytes))
			status = rsa_fail_size((int)(8 * n_body));
		return status;
	}
	slot->body_bytes = type->least_body_bytes;
	status = type->send(kek, slot, secret, file_salt) ?: key_wrap(slot->body + wrapped_at(type), file_key, kek);
	wipe(kek, sizeof kek);
	return status;
}

int key_slot_make(struct key_slot *slot, const struct gpucrypt_secret *secret, const uint8_t file_key[FILE_KEY_BYTES],
        const uint8_t file_salt[SALT_BYTES], unsigned log2_n)
{
	const struct slot_type *type = slot_type_of(secret->type);
	const char *label = secret->label != NULL ? secret->label : "";
	int status = secret_form(secret);

	if (status != GPUCRYPT_OK)
		return status;
	if (type->has_cost && (log2_n < SCRYPT_LOG2_N_MIN || log2_n > SCRYPT_LOG2_N_MAX))
		return fail(GPUCRYPT_USAGE, "scrypt cost 2^%u is outside the range 2^%d to 2^%d", log2_n,
		        SCRYPT_LOG2_N_MIN, SCRYPT_LOG2_N_MAX);
	*slot = (struct key_slot){
		.type = (uint8_t)secret->type, .log2_n = type->has_cost ? (uint8_t)log2_n : 0, .p = type->has_cost
	};
	if (strlen(label) > MAX_LABEL_BYTES)
		return fail(GPUCRYPT_USAGE, "the label has %zu bytes, of at most %d", strlen(label), MAX_LABEL_BYTES);
	strcpy(slot->label, label);
	if (type->has_key_id && !secret->anonymous)
		status = public_key_id(slot->key_id, secret);
	return status ?: fill_body(slot, type, secret, file_key, file_salt);
}

/* The cost of scrypt. */

#define TRIAL_LOG2_N 14 /* some 50 ms, 16 MiB */
#define BYTES_PER_N  (128 * SCRYPT_R)

unsigned kdf_cost_for(unsigned trial_log2_n, double trial_s, uint64_t memory_bytes)
{
	unsigned log2_n = SCRYPT_LOG2_N_MIN;
	double seconds = trial_s;

	for (unsigned i = trial_log2_n; i > log2_n; i--)
		seconds /= 2;
	/* By ratio, double the time is further from the target than the time itself if that is over 1/√2 of it. */
	while (log2_n < SCRYPT_LOG2_N_MAX && 2 * seconds * seconds < KDF_TARGET_S * KDF_TARGET_S &&
	        (uint64_t)BYTES_PER_N << (log2_n + 1) <= memory_bytes / 2) {
		log2_n++;
		seconds *= 2;
	}
	return log2_n;
}

static int measure_cost(unsigned *log2_n)
{
	static const uint8_t salt[SALT_BYTES];
	uint64_t memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	/* Use the CPU time of this thread, so that other load does not count as cost. */
	double start = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
	uint8_t kek[32];
	int status = kek_from_passphrase(kek, salt, sizeof salt, salt, TRIAL_LOG2_N, 1);

	*log2_n = kdf_cost_for(TRIAL_LOG2_N, clock_seconds(CLOCK_THREAD_CPUTIME_ID) - start, memory_bytes);
	return status;
}

int kdf_cost(unsigned *log2_n, const struct gpucrypt_secret *secret)
{
	*log2_n = secret->scrypt_log2_n != 0 ? secret->scrypt_log2_n : SCRYPT_LOG2_N_DEFAULT;
	return secret->type == GPUCRYPT_PASSPHRASE && *log2_n == KDF_AUTO ? measure_cost(log2_n) : GPUCRYPT_OK;
}

bool kdf_allowed(const struct gpucrypt_secret *secret, unsigned log2_n, unsigned p, uint64_t *spent)
{
	uint64_t bytes = secret->max_kdf_bytes != 0 ? secret->max_kdf_bytes : MAX_KDF_BYTES_DEFAULT;
	uint64_t n = UINT64_C(1) << log2_n, most = bytes / BYTES_PER_N;

	if (n > most || n * p > 2 * most - *spent)
		return false;
	*spent += n * p;
	return true;
}
