/* RSA on a device against libcrypto's BIGNUM. */
#include "tests/unit/cmocka_all.h"

#include <openssl/bn.h>
#include <stdlib.h>

#include "gpucrypt/crypto/keys.h"
#include "research/rsa.h"
#include "research/study.h"

#define N 21 /* of 16 in a work-group: the last one is not full */

static struct bench bench; /* zero: there is no device */

void program_set_up(void)
{
	static struct inventory inventory;
	const struct device *device;

	inventory_take(&inventory);
	device = inventory_choose(&inventory, 0);
	if (device == NULL)
		return;
	assert_ok(bench_open(&bench, device));
	bench.more_sources = study_sources;
}

void program_tear_down(void)
{
	bench_close(&bench);
}

/* number^exponent mod the modulus, in place. */
static void power(uint8_t *number, const struct rsa_key *key)
{
	int n_bytes = (int)key->bits / 8;
	BN_CTX *memory = BN_CTX_new();
	BIGNUM *x = BN_bin2bn(number, n_bytes, NULL), *e = BN_new();
	BIGNUM *m = BN_bin2bn(key->modulus, n_bytes, NULL);

	assert_int_equal(BN_set_word(e, key->exponent), 1);
	assert_int_equal(BN_mod_exp(x, x, e, m, memory), 1);
	assert_int_equal(BN_bn2binpad(x, number, n_bytes), n_bytes);
	BN_free(m);
	BN_free(e);
	BN_free(x);
	BN_CTX_free(memory);
}

/* Odd and with its highest bit; `ones`: 2^bits - 1, where every carry there can be is. */
static struct rsa_key random_key(unsigned bits, uint64_t exponent, bool ones)
{
	struct rsa_key key = { .bits = bits, .exponent = exponent };

	random_bytes(key.modulus, bits / 8);
	if (ones)
		memset(key.modulus, 0xff, bits / 8);
	key.modulus[0] |= 0x80;
	key.modulus[bits / 8 - 1] |= 1;
	return key;
}

/* 0, 1, the modulus less 1, 2, and random ones below the modulus. */
static void fill(uint8_t *numbers, const struct rsa_key *key)
{
	size_t n_bytes = key->bits / 8;

	memset(numbers, 0, 4 * n_bytes);
	numbers[2 * n_bytes - 1] = 1;
	memcpy(numbers + 2 * n_bytes, key->modulus, n_bytes);
	numbers[3 * n_bytes - 1]--;
	numbers[4 * n_bytes - 1] = 2;
	random_bytes(numbers + 4 * n_bytes, (N - 4) * n_bytes);
	for (size_t i = 4; i < N; i++)
		if (memcmp(numbers + i * n_bytes, key->modulus, n_bytes) >= 0)
			numbers[i * n_bytes] &= 0x7f;
}

static void check(const struct rsa_key *key, const struct rsa_shape *shape)
{
	uint8_t numbers[N * MAX_RSA_BYTES], expected[N * MAX_RSA_BYTES];
	size_t n_bytes = key->bits / 8;
	struct rsa rsa;
	double seconds = 0;

	fill(numbers, key);
	memcpy(expected, numbers, N * n_bytes);
	for (size_t i = 0; i < N; i++)
		power(expected + i * n_bytes, key);
	assert_ok(rsa_open(&rsa, &bench, key, shape, N + 3));
	assert_ok(rsa_load(&rsa, numbers, N));
	for (unsigned run = 0; run < 2; run++) { /* the numbers stay as they were loaded */
		assert_ok(rsa_run(&rsa, &seconds));
		assert_true(seconds > 0);
		assert_ok(rsa_check(&rsa, expected, N));
	}
	expected[N * n_bytes - 1] ^= 1;
	assert_status(rsa_check(&rsa, expected, N), GPUCRYPT_CORRUPT);
	rsa_close(&rsa);
}

/* Every size, both layouts, both kinds of arithmetic. */
TEST(test_sizes)
{
	static const struct {
		unsigned bits;
		bool coalesced, chains;
	} forms[] = { { 1024, true, true }, { 1024, false, false }, { 2048, true, false }, { 3072, true, true },
		{ 3072, true, false }, { 4096, false, true }, { 4096, true, false } };
	uint64_t exponents[] = { 65537, 3, 0 };

	if (bench.device == NULL)
		skip();
	random_bytes((uint8_t *)&exponents[2], sizeof exponents[2]);
	exponents[2] |= UINT64_C(1) << 63 | 1;
	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
		const struct rsa_shape shape = { .coalesced = forms[i].coalesced,
			.chains = forms[i].chains,
			.ptx = forms[i].chains && bench.device->ptx,
			.work_items = 16 };

		for (unsigned e = 0; e < (forms[i].bits == 1024 ? 3 : 2); e++) {
			struct rsa_key key = random_key(forms[i].bits, exponents[e], e == 1);
			check(&key, &shape);
		}
	}
}

TEST(test_refusals)
{
	const struct rsa_shape shape = { .coalesced = true, .work_items = 16 };
	struct rsa_key keys[5];
	struct rsa rsa;

	if (bench.device == NULL)
		skip();
	for (unsigned i = 0; i < 5; i++)
		keys[i] = random_key(1024, 65537, false);
	keys[0].bits = 1536;
	keys[1].exponent = 1;
	keys[2].exponent = 65536;
	keys[3].modulus[0] = 0x7f;
	keys[4].modulus[127] &= 0xfe;
	for (unsigned i = 0; i < 5; i++) {
		assert_status(rsa_open(&rsa, &bench, &keys[i], &shape, N), GPUCRYPT_USAGE);
		rsa_close(&rsa);
	}
}
