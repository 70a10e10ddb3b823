/* Pages: round trip and every bit.  What a page with a right MAC can still break: tests/model/group_cases.py. */
#include "tests/unit/cmocka_all.h"

#include "gpucrypt/container/layout.h"

#define CHUNK_LOG2 12
#define GROUP_LOG2 15

static struct group_keys keys = { .page = { 1, 2, 3 } };

static struct page make(uint64_t group, uint64_t n_bytes, uint32_t flags)
{
	struct page page = { .group = group, .n_bytes = n_bytes, .flags = flags };

	count_up(page.salt, sizeof page.salt, 7);
	for (unsigned i = 0; i < (n_bytes + 4095) / 4096; i++)
		count_up(page.tags[i], TAG_BYTES, (uint8_t)(i + 1));
	if (flags & PAGE_FINAL)
		count_up(page.root, sizeof page.root, 100);
	return page;
}

static int sealed_then_opened(uint8_t bytes[PAGE_BYTES], uint64_t group)
{
	struct page page;

	assert_ok(page_seal(bytes, &keys));
	return page_open(&page, bytes, &keys, group, GROUP_LOG2, CHUNK_LOG2);
}

TEST(round_trip)
{
	struct page page = make(5, 20000, PAGE_FINAL), opened;
	uint8_t bytes[PAGE_BYTES], mac[MAC_BYTES];

	page_encode(bytes, &page);
	assert_ok(page_seal(bytes, &keys));
	assert_ok(page_open(&opened, bytes, &keys, 5, GROUP_LOG2, CHUNK_LOG2));
	assert_int_equal(opened.n_bytes, 20000);
	assert_memory_equal(opened.salt, page.salt, sizeof page.salt);
	assert_memory_equal(opened.root, page.root, sizeof page.root);
	assert_memory_equal(opened.tags, page.tags, sizeof page.tags);
	/* gcrypt(5), by offset */
	assert_hex(bytes, 32, "894743500d0a1a0a0500000000000000204e0000000000000100000000000000");
	assert_memory_equal(bytes + 32, page.salt, 16);
	assert_memory_equal(bytes + 64, page.root, 32);
	assert_memory_equal(bytes + 128, page.tags, sizeof page.tags);
	hmac_sha256(mac, keys.page, bytes, 4064);
	assert_memory_equal(bytes + 4064, mac, 32);
}

TEST(every_bit)
{
	struct page page = make(0, 1 << GROUP_LOG2, 0), opened;
	uint8_t bytes[PAGE_BYTES];

	page_encode(bytes, &page);
	assert_ok(sealed_then_opened(bytes, 0));
	for (unsigned bit = 0; bit < 8 * PAGE_BYTES; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_status(page_open(&opened, bytes, &keys, 0, GROUP_LOG2, CHUNK_LOG2), GPUCRYPT_CORRUPT);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_status(page_open(&opened, bytes, &keys, 1, GROUP_LOG2, CHUNK_LOG2), GPUCRYPT_CORRUPT);
}
