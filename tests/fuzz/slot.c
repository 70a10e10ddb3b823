/* Key slots of all types: a new slot opens again; a changed slot does not decode, does not open, or gives the same key;
 * and a slot of a known type that decodes encodes to the same bytes. */
#include "tests/fuzz/compact.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/header.h"

#define MAX_TRY_BYTES (UINT64_C(4) << 20) /* scrypt with log2 N = 12 */

/* Of each type: what makes a slot, and what opens it. */
static struct pair {
	struct gpucrypt_secret makes, opens;
	uint8_t public_der[MAX_KEY_DER_BYTES], private_der[MAX_KEY_DER_BYTES];
} pairs[8];

static void make_pair(struct pair *pair, enum gpucrypt_secret_type type, EVP_PKEY *key)
{
	unsigned char *public = pair->public_der, *private = pair->private_der;

	MUST(key != NULL);
	pair->makes =
	        (struct gpucrypt_secret){ .type = type, .bytes = public, .length = (size_t)i2d_PUBKEY(key, &public) };
	pair->opens = (struct gpucrypt_secret){
		.type = type, .bytes = private, .length = (size_t)i2d_PrivateKey(key, &private)
	};
	EVP_PKEY_free(key);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static struct gpucrypt_derived derived;
	static struct pair weak; /* too short a key */
	struct key_slot slot;
	unsigned log2_n;
	const struct gpucrypt_secret passphrase = { .type = GPUCRYPT_PASSPHRASE,
		.bytes = (const uint8_t *)"fuzz",
		.length = 4,
		.scrypt_log2_n = KDF_AUTO,
		.max_kdf_bytes = MAX_TRY_BYTES,
		.derived = &derived };
	const struct gpucrypt_secret strange = { .type = (enum gpucrypt_secret_type)9 };
	const struct gpucrypt_secret half = { .type = GPUCRYPT_KEY_FILE, .bytes = known_key, .length = 16 };

	(void)argc, (void)argv;
	pairs[0].makes = pairs[0].opens = passphrase;
	pairs[1].makes = pairs[1].opens = known_secret;
	make_pair(&pairs[2], GPUCRYPT_X25519, EVP_PKEY_Q_keygen(NULL, NULL, "X25519"));
	make_pair(&pairs[3], GPUCRYPT_RSA, EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048));
	pairs[4].makes = pairs[4].opens = strange;
	pairs[5].makes = pairs[5].opens = half;
	make_pair(&pairs[6], GPUCRYPT_P256, EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"));
	/* libcrypto may have no ML-KEM: a private key that is none of this type. */
	pairs[7].makes = pairs[7].opens =
	        (struct gpucrypt_secret){ .type = GPUCRYPT_X25519_ML_KEM, .bytes = pairs[2].private_der, .length = 48 };
	make_pair(&weak, GPUCRYPT_RSA, EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)1024));
	MUST(!succeeded(key_slot_make(&slot, &weak.makes, known_file_key, known_key, 10)));
	MUST(kdf_cost(&log2_n, &passphrase) == GPUCRYPT_OK && log2_n >= SCRYPT_LOG2_N_MIN);
	return 0;
}

static bool cheap(const struct key_slot *slot)
{
	uint64_t spent = 0;

	return slot->type != SLOT_PASSPHRASE || kdf_allowed(&pairs[0].opens, slot->log2_n, slot->p, &spent);
}

/* A slot that takes two, of whatever bytes: it is what it was, or incomplete, and opens with nothing. */
static void two_slots(struct fuzz_input *input)
{
	uint8_t encoded[2 * KEY_SLOT_BYTES] = { 0 }, again[2 * KEY_SLOT_BYTES] = { 0 }, file_key[FILE_KEY_BYTES];
	struct key_slot slot = { .type = SLOT_X25519_ML_KEM, .body_bytes = MAX_SLOT_BODY };

	take(input, slot.body, sizeof slot.body);
	key_slot_encode(encoded, &slot);
	if (input->n_bytes > 0)
		poke(input, encoded, sizeof encoded);
	if (succeeded(key_slot_decode(&slot, encoded, encoded + KEY_SLOT_BYTES)) && slot.type == SLOT_X25519_ML_KEM) {
		key_slot_encode(again, &slot);
		MUST(memcmp(again, encoded, slot.incomplete ? KEY_SLOT_BYTES : sizeof again) == 0);
		MUST(!succeeded(key_slot_open(file_key, &slot, &pairs[7].opens, known_key, NULL)));
	}
	fail_clear();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes, n_bytes };
	const struct pair *pair = &pairs[take_byte(&input) % 8];
	unsigned choice = take_byte(&input), log2_n = 9 + choice % 3;
	struct gpucrypt_secret makes = pair->makes;
	uint8_t encoded[KEY_SLOT_BYTES] = { 0 }, again[KEY_SLOT_BYTES] = { 0 }, file_key[FILE_KEY_BYTES],
	        salt[SALT_BYTES];
	bool changed = input.n_bytes > SALT_BYTES;
	struct key_slot slots[N_KEY_SLOTS] = { 0 }, slot;
	struct recipient recipient;
	struct last_kek last = { 0 };

	if (pair == &pairs[7])
		two_slots(&input);
	take(&input, salt, sizeof salt);
	makes.anonymous = choice >> 7;
	if (!succeeded(key_slot_make(&slot, &makes, known_file_key, salt, log2_n)))
		return 0;
	if ((choice & 64) != 0 && slot_sharable(slot.type)) {
		const struct key_slot single = slot;

		slot = (struct key_slot){ .type = SLOT_UNUSED };
		shared_slot_append(&slot, &single);
	}
	key_slot_encode(encoded, &slot);
	if (changed)
		poke(&input, encoded, sizeof encoded);
	if (!succeeded(key_slot_decode(&slot, encoded, NULL))) {
		MUST(changed);
		return 0;
	}
	key_slot_encode(again, &slot);
	MUST(slot.type == SLOT_CONTINUED || memcmp(again, encoded, sizeof again) == 0);
	slots[0] = slot;
	if (!recipient_read(&recipient, slots, 0) ||
	        !(key_slot_anonymous(&recipient.key) ? recipient.key.type == (unsigned)pair->opens.type
	                                             : key_slot_fits(&recipient.key, &pair->opens)) ||
	        !cheap(&slot))
		MUST(changed);
	else if (succeeded(key_slot_open(file_key, &recipient.key, &pair->opens, salt, &last)))
		MUST(memcmp(file_key, known_file_key, sizeof file_key) == 0);
	else
		MUST(changed);
	if (cheap(&slot) && succeeded(key_slot_bound_key(file_key, &slot, &pair->opens, salt, LABEL_START)))
		MUST(slot.type == SLOT_PASSPHRASE || slot.type == SLOT_KEY_FILE);
	fail_clear();
	return 0;
}
