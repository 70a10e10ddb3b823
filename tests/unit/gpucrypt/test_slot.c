/* Key slots of public keys, and of passphrases that are used again (gcrypt(5), "Key slots").  The
 * X25519 slot was made by tests/model/recipients.py, which shares no code with the library. */
#include "tests/unit/cmocka_all.h"

#include <fcntl.h>
#include <unistd.h>

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/header.h"

static uint8_t file_key[FILE_KEY_BYTES], file_salt[SALT_BYTES], der[2][MAX_KEY_DER_BYTES];

/* PKCS#8 around 7, 8, … and its public key (RFC 8410). */
static const char own_hex[] = "302e020100300506032b656e04220420"
                              "0708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223242526";
static const char public_hex[] = "302a300506032b656e032100"
                                 "07b8c542487686a78301855fcb6d3f6a8a911cd7f1983a9b44dc9dcd22839d23";

void program_set_up(void)
{
	count_up(file_key, sizeof file_key, 0x40);
	count_up(file_salt, sizeof file_salt, 0xc0);
}

static struct gpucrypt_secret x25519(uint8_t *bytes, const char *hex)
{
	size_t n = strlen(hex) / 2;

	from_hex(bytes, n, hex);
	return (struct gpucrypt_secret){ .type = GPUCRYPT_X25519, .bytes = bytes, .length = n };
}

static int open_slot(const struct key_slot *slot, const struct gpucrypt_secret *secret)
{
	uint8_t found[FILE_KEY_BYTES] = { 0 };
	int status;

	status = key_slot_open(found, slot, secret, file_salt, NULL);
	if (status == GPUCRYPT_OK)
		assert_memory_equal(found, file_key, sizeof found);
	return status;
}

static int make_slot(struct key_slot *slot, const struct gpucrypt_secret *secret)
{
	return key_slot_make(slot, secret, file_key, file_salt, 10);
}

/* Through its 960 bytes and back. */
static void assert_travels(const struct key_slot *slot)
{
	uint8_t bytes[KEY_SLOT_BYTES] = { 0 };
	struct key_slot again;

	key_slot_encode(bytes, slot);
	assert_ok(key_slot_decode(&again, bytes, NULL));
	assert_memory_equal(&again, slot, sizeof again);
}

TEST(x25519_known)
{
	const struct gpucrypt_secret own = x25519(der[0], own_hex), other = x25519(der[1], public_hex);
	struct key_slot slot = { .type = SLOT_X25519, .body_bytes = 40 };

	from_hex(slot.key_id, 8, "94f267564856bdc7");
	from_hex(slot.salt, 32, "358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd166254");
	from_hex(slot.body, 40, "6a22dea5cad2010e3ce9769d140347816af86258a27fda5ffcd5b69c91386a7143a948112df4ba07");
	assert_true(key_slot_fits(&slot, &own));
	assert_ok(open_slot(&slot, &own));
	assert_travels(&slot);
	assert_true(key_slot_fits(&slot, &other));
	assert_status(open_slot(&slot, &other), GPUCRYPT_USAGE); /* public */
	slot.key_id[7] ^= 1;
	assert_false(key_slot_fits(&slot, &own));
	slot.body[39] ^= 1;
	assert_status(open_slot(&slot, &own), GPUCRYPT_NO_KEY);
}

/* RFC 7748, 6.1: points of small order give zero. */
TEST(x25519_small_order)
{
	const struct gpucrypt_secret own = x25519(der[0], own_hex);
	struct gpucrypt_secret zero = x25519(der[1], public_hex);
	struct key_slot slot = { .type = SLOT_X25519, .body_bytes = 40 };

	assert_status(open_slot(&slot, &own), GPUCRYPT_NO_KEY);
	slot.salt[0] = 1;
	assert_status(open_slot(&slot, &own), GPUCRYPT_NO_KEY);
	memset(der[1] + 12, 0, 32);
	assert_status(make_slot(&slot, &zero), GPUCRYPT_USAGE);
}

/* A new pair in PEM, read by the library. */
static void rsa_pair(unsigned bits, struct gpucrypt_secret *own, struct gpucrypt_secret *other, int expected)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)bits);
	BIO *bio = BIO_new(BIO_s_mem());
	bool unusable;
	char *text;
	long n;

	assert_true(key != NULL && PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1);
	n = BIO_get_mem_data(bio, &text);
	assert_status(private_key_read(own, der[0], text, (size_t)n, NULL), expected);
	assert_int_equal(BIO_reset(bio), 1);
	assert_int_equal(PEM_write_bio_PUBKEY(bio, key), 1);
	n = BIO_get_mem_data(bio, &text);
	assert_status(public_key_read(other, der[1], text, (size_t)n, &unusable), expected);
	BIO_free(bio);
	EVP_PKEY_free(key);
}

TEST(rsa_both_ways)
{
	struct gpucrypt_secret own, other;
	struct key_slot slot;

	rsa_pair(2048, &own, &other, GPUCRYPT_OK);
	assert_ok(make_slot(&slot, &other));
	assert_int_equal(slot.body_bytes, 256);
	assert_true(key_slot_fits(&slot, &own));
	assert_ok(open_slot(&slot, &own));
	assert_status(open_slot(&slot, &other), GPUCRYPT_USAGE);
	assert_travels(&slot);
	file_salt[31] ^= 0x80; /* in the label */
	assert_status(open_slot(&slot, &own), GPUCRYPT_NO_KEY);
	file_salt[31] ^= 0x80;
	slot.body[100] ^= 4;
	assert_status(open_slot(&slot, &own), GPUCRYPT_NO_KEY);
	memset(slot.body, 0xff, 256); /* over the modulus */
	assert_status(open_slot(&slot, &own), GPUCRYPT_NO_KEY);
	rsa_pair(1024, &own, &other, GPUCRYPT_USAGE);
}

/* Public keys that no PEM file can hold: no reader would know the slot's form. */
TEST(rsa_too_small)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)1024);
	unsigned char *at = der[0];
	struct gpucrypt_secret secret = { .type = GPUCRYPT_RSA, .bytes = der[0] };
	struct key_slot slot;

	secret.length = (size_t)i2d_PUBKEY(key, &at);
	assert_fails_about(make_slot(&slot, &secret), GPUCRYPT_USAGE, "1024 bits");
	EVP_PKEY_free(key);
}

/* With an exponent of 3 the private key opens what there is, and no slot is made any more. */
TEST(rsa_weak)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	BIGNUM *three = BN_new();
	EVP_PKEY *key = NULL;
	unsigned char *at = der[0];
	struct gpucrypt_secret weak = { .type = GPUCRYPT_RSA, .bytes = der[0] };
	struct gpucrypt_secret own = x25519(der[1], own_hex);
	int null = open("/dev/null", O_RDWR);
	const struct gpucrypt_source from = { .fd = null };
	struct gpucrypt_sink to = { .fd = null };

	assert_true(BN_set_word(three, 3) == 1 && EVP_PKEY_keygen_init(context) == 1 &&
	            EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context, three) == 1 && EVP_PKEY_generate(context, &key) == 1);
	weak.length = (size_t)i2d_PrivateKey(key, &at);
	own.next = &weak;
	assert_fails_about(recipient_check(&weak), GPUCRYPT_USAGE, "exponent");
	assert_fails_about(gpucrypt_encrypt(&from, &to, NULL, &own, NULL), GPUCRYPT_USAGE, "exponent");
	assert_ok(recipient_check(&own));
	close(null);
	BN_free(three);
	EVP_PKEY_free(key);
	EVP_PKEY_CTX_free(context);
}

TEST(wrong_types)
{
	struct gpucrypt_secret secret = x25519(der[0], own_hex);
	struct key_slot slot;

	secret.type = GPUCRYPT_RSA;
	assert_status(make_slot(&slot, &secret), GPUCRYPT_USAGE);
	secret.type = GPUCRYPT_KEY_FILE;
	assert_status(make_slot(&slot, &secret), GPUCRYPT_USAGE);
	for (unsigned type = 5; type < 300; type += 7) {
		secret.type = type;
		assert_status(make_slot(&slot, &secret), GPUCRYPT_USAGE);
	}
}

/* One derivation for all files that are made in a run, and for all that were made in one. */
TEST(one_derivation)
{
	struct gpucrypt_derived made = { 0 }, opened = { 0 };
	struct gpucrypt_secret secret = {
		.type = GPUCRYPT_PASSPHRASE, .bytes = (const uint8_t *)"secret", .length = 6, .derived = &made
	};
	struct key_slot slots[3];

	for (int i = 0; i < 2; i++)
		assert_ok(make_slot(&slots[i], &secret));
	assert_memory_equal(slots[0].salt, slots[1].salt, SALT_BYTES);
	/* Another cost is another derivation. */
	assert_ok(key_slot_make(&slots[2], &secret, file_key, file_salt, 11));
	assert_memory_not_equal(slots[0].salt, slots[2].salt, SALT_BYTES);
	assert_ok(open_slot(&slots[2], &secret));

	secret.derived = &opened;
	assert_ok(open_slot(&slots[0], &secret));
	secret.bytes = (const uint8_t *)"forgot"; /* the cached derivation serves the same salt */
	assert_ok(open_slot(&slots[1], &secret));
	assert_status(open_slot(&slots[2], &secret), GPUCRYPT_NO_KEY);
	/* A slot of this run does not share the salt of another run. */
	secret.bytes = (const uint8_t *)"secret";
	opened = (struct gpucrypt_derived){ 0 };
	assert_ok(open_slot(&slots[0], &secret));
	assert_ok(make_slot(&slots[1], &secret));
	assert_memory_not_equal(slots[0].salt, slots[1].salt, SALT_BYTES);
	assert_ok(open_slot(&slots[1], &secret));
	secret.derived = NULL;
	assert_ok(open_slot(&slots[1], &secret));
}

/* The cost of scrypt: chosen for a new slot, limited for an existing one. */

#define MUCH (UINT64_C(64) << 30)

/* The power of 2 whose time is nearest to a second, by ratio. */
TEST(cost_nearest_to_a_second)
{
	assert_int_equal(kdf_cost_for(14, 1.0 / 16, MUCH), 18);
	assert_int_equal(kdf_cost_for(14, 1.3 / 16, MUCH), 18);
	assert_int_equal(kdf_cost_for(14, 1.5 / 16, MUCH), 17);
	assert_int_equal(kdf_cost_for(14, 1.0, MUCH), 14);
	assert_int_equal(kdf_cost_for(14, 1000, MUCH), SCRYPT_LOG2_N_MIN);
	assert_int_equal(kdf_cost_for(14, 1e-6, MUCH), SCRYPT_LOG2_N_MAX);
	/* 128 MiB of 256. */
	assert_int_equal(kdf_cost_for(14, 1e-6, UINT64_C(256) << 20), 17);
	assert_int_equal(kdf_cost_for(14, 1e-6, 0), SCRYPT_LOG2_N_MIN);
}

TEST(wanted_cost)
{
	struct gpucrypt_secret secret = { .type = GPUCRYPT_PASSPHRASE };
	unsigned log2_n;

	assert_ok(kdf_cost(&log2_n, &secret));
	assert_int_equal(log2_n, SCRYPT_LOG2_N_DEFAULT);
	secret.scrypt_log2_n = 12;
	assert_ok(kdf_cost(&log2_n, &secret));
	assert_int_equal(log2_n, 12);
	secret.scrypt_log2_n = KDF_AUTO;
	assert_ok(kdf_cost(&log2_n, &secret));
	/* No machine takes 16 seconds or less than 1/64 for what 2^17 costs. */
	assert_in_range(log2_n, 13, SCRYPT_LOG2_N_MAX);
}

static bool allowed(uint64_t bytes, unsigned log2_n, unsigned p, uint64_t *spent)
{
	const struct gpucrypt_secret secret = { .max_kdf_bytes = bytes };

	return kdf_allowed(&secret, log2_n, p, spent);
}

TEST(cost_limits)
{
	uint64_t spent = 0;

	assert_true(allowed(0, 20, 2, &spent));
	assert_int_equal(spent, 1 << 21);
	assert_false(allowed(0, 10, 1, &spent)); /* the sum is at its limit */
	spent = 0;
	assert_false(allowed(0, 21, 1, &spent));
	assert_false(allowed(0, 20, 3, &spent));
	assert_false(allowed(0, 24, 16, &spent));
	assert_int_equal(spent, 0);
	/* Both limits grow and shrink with the memory. */
	assert_true(allowed(UINT64_C(2) << 30, 21, 2, &spent));
	assert_int_equal(spent, 1 << 22);
	spent = 0;
	assert_true(allowed(1 << 20, 10, 1, &spent));
	assert_false(allowed(1 << 20, 11, 1, &spent));
	assert_false(allowed((1 << 20) - 1, 10, 1, &spent));
}
