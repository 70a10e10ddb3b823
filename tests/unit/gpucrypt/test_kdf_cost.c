/* The cost of scrypt: chosen for a new slot, limited for an existing one. */
#include "tests/unit/cmocka_all.h"

#include "gpucrypt/keys/slot.h"

#define MUCH (UINT64_C(64) << 30)

/* The power of 2 whose time is nearest to a second, by ratio. */
TEST(nearest)
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

TEST(wishes)
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

TEST(limits)
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
