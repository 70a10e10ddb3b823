#include <stdbool.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/evp.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"

#define HASH_BYTES   32
#define DIGEST_BYTES 64 /* SHA-512 */
#define P_WORDS      18
#define STATE_WORDS  (P_WORDS + 4 * 256)
#define GUARD_BITS   64
#define SCALE_BITS   (32 * STATE_WORDS + GUARD_BITS)

/* Blowfish (B. Schneier, FSE 1993): subkeys P, then the S-boxes. */
struct blowfish {
	uint32_t words[STATE_WORDS];
};

struct context {
	struct blowfish initial, state;
	uint8_t passphrase[DIGEST_BYTES], salt[DIGEST_BYTES]; /* digests */
	uint8_t hash[HASH_BYTES], sum[HASH_BYTES];
};

/* sum = atan(1/x) · 2^SCALE_BITS = 1/x - 1/(3 x^3) + 1/(5 x^5) - … */
static bool arctan(BIGNUM *sum, BN_ULONG x, BIGNUM *power, BIGNUM *term)
{
	bool good = BN_one(power) && BN_lshift(power, power, SCALE_BITS) == 1;

	BN_zero(sum);
	BN_div_word(power, x);
	for (BN_ULONG k = 1; good && !BN_is_zero(power); k += 2) {
		good = BN_copy(term, power) != NULL;
		BN_div_word(term, k);
		good = good && (k & 2 ? BN_sub(sum, sum, term) : BN_add(sum, sum, term)) == 1;
		BN_div_word(power, x * x);
	}
	return good;
}

/* Blowfish starts from the fraction of pi = 4 (4 atan(1/5) - atan(1/239)), by Machin. */
static bool start(struct blowfish *cipher, BN_CTX *numbers)
{
	BIGNUM *pi = BN_CTX_get(numbers), *other = BN_CTX_get(numbers), *power = BN_CTX_get(numbers),
	       *term = BN_CTX_get(numbers);
	uint8_t bytes[sizeof cipher->words];
	bool good = term != NULL && arctan(pi, 5, power, term) && arctan(other, 239, power, term) &&
	            BN_lshift(pi, pi, 2) == 1 && BN_sub(pi, pi, other) == 1 && BN_lshift(pi, pi, 2) == 1 &&
	            BN_mask_bits(pi, SCALE_BITS) == 1 && BN_rshift(pi, pi, GUARD_BITS) == 1 &&
	            BN_bn2binpad(pi, bytes, sizeof bytes) == sizeof bytes;

	for (size_t i = 0; good && i < STATE_WORDS; i++)
		cipher->words[i] = load_be32(bytes + 4 * i);
	return good;
}

static uint32_t round_function(const struct blowfish *cipher, uint32_t x)
{
	const uint32_t *s = cipher->words + P_WORDS;

	return ((s[x >> 24] + s[256 + (x >> 16 & 255)]) ^ s[512 + (x >> 8 & 255)]) + s[768 + (x & 255)];
}

static void encrypt(const struct blowfish *cipher, uint32_t block[2])
{
	uint32_t left = block[0] ^ cipher->words[0], right = block[1];

	for (unsigned i = 1; i < 17; i += 2) {
		right ^= round_function(cipher, left) ^ cipher->words[i];
		left ^= round_function(cipher, right) ^ cipher->words[i + 1];
	}
	block[0] = right ^ cipher->words[17];
	block[1] = left;
}

/* Provos and Mazieres, ExpandKey(state, salt, key), with digests for both; salt NULL: zeros. */
static void expand(struct blowfish *cipher, const uint8_t *salt, const uint8_t *key)
{
	uint32_t block[2] = { 0, 0 };

	for (unsigned i = 0; i < P_WORDS; i++)
		cipher->words[i] ^= load_be32(key + 4 * i % DIGEST_BYTES);
	for (unsigned i = 0; i < STATE_WORDS; i += 2) {
		for (unsigned j = 0; salt != NULL && j < 2; j++)
			block[j] ^= load_be32(salt + 4 * (i + j) % DIGEST_BYTES);
		encrypt(cipher, block);
		cipher->words[i] = block[0];
		cipher->words[i + 1] = block[1];
	}
	wipe(block, sizeof block);
}

/* bcrypt with cost 6 and a longer text; words are stored with the low byte first. */
static void bcrypt_hash(struct context *context)
{
	static const uint8_t text[HASH_BYTES + 1] = "OxychromaticBlowfishSwatDynamite";

	context->state = context->initial;
	expand(&context->state, context->salt, context->passphrase);
	for (unsigned i = 0; i < 64; i++) {
		expand(&context->state, NULL, context->salt);
		expand(&context->state, NULL, context->passphrase);
	}
	for (unsigned at = 0; at < HASH_BYTES; at += 8) {
		uint32_t block[2] = { load_be32(text + at), load_be32(text + at + 4) };

		for (unsigned i = 0; i < 64; i++)
			encrypt(&context->state, block);
		store_le32(context->hash + at, block[0]);
		store_le32(context->hash + at + 4, block[1]);
	}
}

static bool digest(uint8_t out[DIGEST_BYTES], const void *bytes, size_t n_bytes, const void *more, size_t n_more)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool good = context != NULL && EVP_DigestInit_ex(context, EVP_sha512(), NULL) == 1 &&
	            EVP_DigestUpdate(context, bytes, n_bytes) == 1 && EVP_DigestUpdate(context, more, n_more) == 1 &&
	            EVP_DigestFinal_ex(context, out, NULL) == 1;

	EVP_MD_CTX_free(context);
	return good;
}

/* Block `number`, from 1, of PBKDF2: the sum of the hashes, each salted with the one before. */
static bool sum_hashes(struct context *context, const uint8_t *salt, size_t n_salt, unsigned number, unsigned rounds)
{
	uint8_t count[4];
	bool good;

	store_be32(count, number);
	good = digest(context->salt, salt, n_salt, count, sizeof count);
	memset(context->sum, 0, HASH_BYTES);
	for (unsigned i = 0; good && i < rounds; i++) {
		bcrypt_hash(context);
		for (unsigned j = 0; j < HASH_BYTES; j++)
			context->sum[j] ^= context->hash[j];
		good = digest(context->salt, context->hash, HASH_BYTES, "", 0);
	}
	return good;
}

/* The bytes of the blocks alternate in the key: byte i of block b is byte i · blocks + b. */
int bcrypt_pbkdf(uint8_t *key, size_t n_key, const uint8_t *passphrase, size_t n_passphrase, const uint8_t *salt,
        size_t n_salt, unsigned rounds)
{
	struct context *context = locked_allocate(sizeof *context);
	BN_CTX *numbers = BN_CTX_new();
	size_t n_blocks = (n_key + HASH_BYTES - 1) / HASH_BYTES;
	bool good = context != NULL && numbers != NULL;

	if (good) {
		BN_CTX_start(numbers);
		good = start(&context->initial, numbers) &&
		       digest(context->passphrase, passphrase, n_passphrase, "", 0);
		BN_CTX_end(numbers);
	}
	for (unsigned block = 0; good && block < n_blocks; block++) {
		good = sum_hashes(context, salt, n_salt, block + 1, rounds);
		for (size_t i = 0; i * n_blocks + block < n_key; i++)
			key[i * n_blocks + block] = context->sum[i];
	}
	BN_CTX_free(numbers);
	locked_free(context, sizeof *context);
	return good ? GPUCRYPT_OK : libcrypto_failed("bcrypt_pbkdf");
}
