/* Which key slots of a LUKS volume are tried: cipher and key of the area, memory, and one budget of 2^27 iterations. */
#include "tests/unit/cmocka_all.h"

#include "cli/luks/volume.h"

#define GIB (UINT64_C(1) << 30)

static const struct luks_volume volume = { .key_bytes = 64, .digest_iterations = 1000 };

static struct luks_slot pbkdf2(unsigned iterations, const char *hash)
{
	return (struct luks_slot){ .used = true,
		.kdf = "pbkdf2",
		.hash = hash,
		.iterations = iterations,
		.area_cipher = "aes-xts-plain64",
		.area_key_bytes = 64,
		.key_bytes = 64 };
}

static struct luks_slot argon2(unsigned passes, unsigned memory_kib, unsigned threads)
{
	struct luks_slot slot = pbkdf2(passes, NULL);

	slot.memory_kib = memory_kib;
	slot.threads = threads;
	return slot;
}

/* The cost of one slot; 0: it is skipped. */
static double cost_of(struct luks_slot slot, uint64_t max_bytes)
{
	struct luks_cost cost = { .max_bytes = max_bytes };
	bool tried = luks_slot_is_tried(&cost, &volume, &slot);

	assert_int_equal(cost.n_skipped, !tried);
	assert_true(!tried || cost.memory_kib == slot.memory_kib);
	return cost.iterations;
}

/* Blocks of the hash for 64 bytes, and the digest. */
TEST(costs)
{
	assert_true(cost_of(pbkdf2(100000, "sha512"), GIB) == 101000);
	assert_true(cost_of(pbkdf2(100000, "sha256"), GIB) == 201000);
	assert_true(cost_of(pbkdf2(100000, "sha1"), GIB) == 401000);
	assert_true(cost_of(pbkdf2(100000, "no such hash"), GIB) == 401000);
	assert_true(cost_of(pbkdf2((1u << 27) - 1000, "sha512"), GIB) == 1u << 27);
	assert_true(cost_of(pbkdf2((1u << 27) - 999, "sha512"), GIB) == 0);
	assert_true(cost_of(pbkdf2(UINT32_MAX, "sha512"), GIB) == 0);
	assert_true(cost_of(argon2(4, 1 << 20, 4), GIB) == (4u << 20) + 1000);
	assert_true(cost_of(argon2(4, 1 << 19, 4), GIB) == (2u << 20) + 1000);
	assert_true(cost_of(argon2(127, 1 << 20, 4), GIB) == (127u << 20) + 1000);
	assert_true(cost_of(argon2(128, 1 << 20, 4), GIB) == 0);
	assert_true(cost_of(argon2(4, (1 << 20) + 1, 4), GIB) == 0);
	assert_true(cost_of(argon2(4, 1 << 20, 5), GIB) == 0);
	assert_true(cost_of(argon2(UINT32_MAX, UINT32_MAX, 4), GIB) == 0);
	assert_true(cost_of(argon2(4, 1 << 11, 4), 1 << 20) == 0);
}

TEST(sum)
{
	struct luks_slot dear = pbkdf2(1u << 26, "sha512"), cheap = pbkdf2(1000, "sha512");
	struct luks_cost cost = { .max_bytes = GIB };

	assert_true(luks_slot_is_tried(&cost, &volume, &dear));
	assert_false(luks_slot_is_tried(&cost, &volume, &dear));
	assert_true(luks_slot_is_tried(&cost, &volume, &cheap));
	assert_true(cost.iterations == (1u << 26) + 3000 && cost.n_skipped == 1);
}

TEST(areas)
{
	static const char *const real[] = { "aes-xts-plain64", "aes-cbc-essiv:sha256", "camellia-xts-plain64",
		"serpent-xts-plain64", "twofish-cbc-plain" };
	static const char *const none[] = { "cipher_null-ecb", "cipher_null", "null", "", "aes", "aes-ecb",
		"aesx-xts-plain64", "AES-xts-plain64", "capi:ecb(cipher_null)-null", "xts-aes" };
	struct luks_slot slot = pbkdf2(1000, "sha256");

	for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
		slot.area_cipher = real[i];
		assert_true(cost_of(slot, GIB) > 0);
	}
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		slot.area_cipher = none[i];
		assert_true(cost_of(slot, GIB) == 0);
	}
	slot.area_cipher = NULL;
	assert_true(cost_of(slot, GIB) == 0);
	slot = pbkdf2(1000, "sha256");
	for (size_t n = 0; n < 100; n++) {
		slot.area_key_bytes = n;
		assert_true((cost_of(slot, GIB) > 0) == (n >= 16 && n <= 64));
	}
	slot = pbkdf2(1000, "sha256");
	slot.key_bytes = 32;
	assert_true(cost_of(slot, GIB) == 0);
}
