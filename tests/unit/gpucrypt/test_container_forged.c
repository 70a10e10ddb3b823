/* Containers forged by an owner of the file key: changed and signed again, so that all MACs hold. */
#include "tests/unit/containers.h"

#include "gpucrypt/engine/engine.h"

#define GROUP      4096
#define STRIDE     (4096 + GROUP)
#define N_BYTES    (3 * GROUP)
#define CONTAINER  (16384 + 3 * STRIDE)
#define PAYLOAD(g) (16384 + (g)*STRIDE + 4096)

static uint8_t *plaintext;

void program_set_up(void)
{
	plaintext = plaintext_make(N_BYTES);
}

/* All parts are signed, but do not belong together. */
TEST(forged)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");
	struct group_keys keys, old_keys;
	struct forge forge;
	struct page page, old;

	forge_open(&forge, encrypt_bytes(&plan, plaintext, N_BYTES));
	assert_ok(verify(forge.container.bytes, CONTAINER));
	/* An older version of a group, right in itself: the root knows. */
	forge_load(&forge, 0, &old, &old_keys);
	old.salt[0] ^= 1;
	group_keys_derive(&keys, &forge.keys, 0, old.salt);
	tags_compute(old.tags, &keys, forge.container.bytes + PAYLOAD(0), GROUP, 12);
	forge_store(&forge, 0, &old, &keys);
	assert_fails_about(verify(forge.container.bytes, CONTAINER), GPUCRYPT_CORRUPT, "root");
	forge_root(&forge, 2);
	assert_ok(verify(forge.container.bytes, CONTAINER));
	/* The final flag cleared, and set too early. */
	forge_load(&forge, 2, &page, &keys);
	page.flags = 0;
	memset(page.root, 0, sizeof page.root);
	forge_store(&forge, 2, &page, &keys);
	assert_fails_about(verify(forge.container.bytes, CONTAINER), GPUCRYPT_CORRUPT, "truncated");
	forge_load(&forge, 1, &page, &keys);
	page.flags = PAGE_FINAL;
	forge_store(&forge, 1, &page, &keys);
	assert_fails_about(verify(forge.container.bytes, CONTAINER), GPUCRYPT_CORRUPT, "more bytes");
	/* A right final group, but not the length in the header. */
	forge_root(&forge, 1);
	assert_fails_about(verify(forge.container.bytes, CONTAINER - STRIDE), GPUCRYPT_CORRUPT, "length");
}

TEST(length_unknown)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");
	struct forge forge;
	struct group_keys keys;
	struct page page;

	forge_open(&forge, encrypt_bytes(&plan, plaintext, 100));
	forge.state.header.plaintext_bytes = LENGTH_UNKNOWN;
	forge_header(&forge);
	/* The header is part of every derivation: the group must be signed again. */
	assert_status(verify(forge.container.bytes, forge.container.n_bytes), GPUCRYPT_CORRUPT);
	page = (struct page){ .n_bytes = 100, .flags = PAGE_FINAL };
	group_keys_derive(&keys, &forge.keys, 0, page.salt);
	tags_compute(page.tags, &keys, forge.container.bytes + PAYLOAD(0), 100, 12);
	forge_store(&forge, 0, &page, &keys);
	forge_root(&forge, 0);
	assert_ok(verify(forge.container.bytes, forge.container.n_bytes));
}

/* XTS and ECB: the padding of the last block must be zeros, also when only verifying. */
TEST(padding)
{
	static const char *const modes_[] = { "xts", "ecb" };

	for (unsigned i = 0; i < 2; i++) {
		struct gpucrypt_plan plan = plan_make("aes", modes_[i]);
		uint8_t block[4096] = { 0 };
		struct buffer plain = buffer_make();
		struct engine *engine;
		struct suite suite;
		struct group_keys keys;
		struct page page;
		struct forge forge;

		plan.group_log2 = 13;
		forge_open(&forge, encrypt_bytes(&plan, plaintext, 4096 + 5));
		forge_load(&forge, 0, &page, &keys);
		memcpy(block, plaintext + 4096, 5);
		block[15] = 1;
		suite_of_plan(&suite, &plan, ENCRYPT);
		assert_ok(engine_open(&engine, &suite, &plan));
		assert_ok(engine_crypt(engine, 0,
		        &(struct work){ .in = block,
		                .out = forge.container.bytes + PAYLOAD(0) + 4096,
		                .n_bytes = 16,
		                .first_block = 256,
		                .key = keys.cipher,
		                .unit_log2 = 12,
		                .tweak_step = 1 }));
		engine_close(engine);
		tags_compute(page.tags, &keys, forge.container.bytes + PAYLOAD(0), 4096 + 16, 12);
		forge_store(&forge, 0, &page, &keys);
		assert_fails_about(verify(forge.container.bytes, forge.container.n_bytes), GPUCRYPT_CORRUPT, "padding");
		assert_status(decrypt(forge.container.bytes, forge.container.n_bytes, &plain), GPUCRYPT_CORRUPT);
		assert_int_equal(plain.n_bytes, 0);
	}
}

/* Chunks stored as holes: zeros stand for zeros, under no tag. */
TEST(holes)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");
	size_t n = 4 * 4096 + 20;
	struct buffer plain = buffer_make();
	struct forge forge;

	plan.group_log2 = 15;
	for (unsigned round = 0; round < 2; round++) {
		uint8_t *bytes = plaintext_make(n);

		plan.mode = round == 0 ? GPUCRYPT_CTR : GPUCRYPT_XTS;
		memset(bytes + 4096, 0, 4096);
		memset(bytes + 4 * 4096, 0, 20);
		forge_open(&forge, encrypt_bytes(&plan, bytes, n));
		forge_hole(&forge, 1, 4096);
		forge_hole(&forge, 4, round == 0 ? 20 : 32);
		assert_ok(decrypt(forge.container.bytes, forge.container.n_bytes, &plain));
		assert_bytes(&plain, bytes, n);
		assert_ok(verify(forge.container.bytes, forge.container.n_bytes));
		forge.container.bytes[PAYLOAD(0) + 4096 + 77] = 1;
		assert_status(verify(forge.container.bytes, forge.container.n_bytes), GPUCRYPT_CORRUPT);
	}
}

TEST(detached)
{
	struct gpucrypt_plan plan = plan_make("aes", "xts");
	struct forge forge;

	forge_open(&forge, encrypt_bytes(&plan, plaintext, 100));
	forge.state.header.layout = LAYOUT_DETACHED;
	forge.state.header.sector_log2 = 9;
	forge_header(&forge);
	assert_fails_about(
	        verify(forge.container.bytes, forge.container.n_bytes), GPUCRYPT_USAGE, "its image is needed");
}
