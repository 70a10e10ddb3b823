/* Pages: round trip, every bit, and every rule that a page with a right MAC can still break. */
#include "tests/unit/cmocka_all.h"

#include "gpucrypt/container/page.h"

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

static int open_made(const struct page *page, uint64_t group)
{
	uint8_t bytes[PAGE_BYTES];

	page_encode(bytes, page);
	return sealed_then_opened(bytes, group);
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

/* With a right MAC: one bit in any byte that must be zero, or in magic and unknown flags. */
TEST(reserved)
{
	static const struct {
		unsigned from, to;
	} zeros[] = { { 0, 8 }, { 25, 32 }, { 96, 128 }, { 128 + 5 * 16, 4064 } };
	struct page page = make(1, 20000, PAGE_FINAL);
	uint8_t bytes[PAGE_BYTES];

	for (size_t z = 0; z < N_OF(zeros); z++) {
		for (unsigned i = zeros[z].from; i < zeros[z].to; i++) {
			page_encode(bytes, &page);
			assert_ok(sealed_then_opened(bytes, 1));
			bytes[i] ^= 0x10;
			assert_status(sealed_then_opened(bytes, 1), GPUCRYPT_CORRUPT);
		}
	}
	page_encode(bytes, &page);
	bytes[24] ^= 4; /* an unknown flag */
	assert_status(sealed_then_opened(bytes, 1), GPUCRYPT_CORRUPT);
}

TEST(lengths)
{
	const uint64_t group = 1 << GROUP_LOG2;
	const struct {
		uint64_t number, n_bytes;
		uint32_t flags;
		int status;
	} cases[] = { { 0, group, 0, GPUCRYPT_OK }, { 0, group - 1, 0, GPUCRYPT_CORRUPT },
		{ 0, 0, 0, GPUCRYPT_CORRUPT }, { 0, 0, PAGE_FINAL, GPUCRYPT_OK },
		{ 1, 0, PAGE_FINAL, GPUCRYPT_CORRUPT }, { 1, 1, PAGE_FINAL, GPUCRYPT_OK },
		{ 1, group, PAGE_FINAL, GPUCRYPT_OK }, { 1, group + 1, PAGE_FINAL, GPUCRYPT_CORRUPT },
		{ 1, group + 1, 0, GPUCRYPT_CORRUPT } };

	for (size_t i = 0; i < N_OF(cases); i++) {
		struct page page = make(cases[i].number, cases[i].n_bytes, cases[i].flags);

		assert_status(open_made(&page, cases[i].number), cases[i].status);
	}
}

TEST(holes)
{
	struct page page = make(0, 1 << GROUP_LOG2, PAGE_HOLES);

	assert_status(open_made(&page, 0), GPUCRYPT_CORRUPT); /* flag, but none */
	page.holes[0] = 0x81;
	assert_status(open_made(&page, 0), GPUCRYPT_CORRUPT); /* with tags */
	memset(page.tags[0], 0, TAG_BYTES);
	memset(page.tags[7], 0, TAG_BYTES);
	assert_ok(open_made(&page, 0));
	assert_true(page_hole(&page, 0) && !page_hole(&page, 1) && page_hole(&page, 7));
	page.flags = 0;
	assert_status(open_made(&page, 0), GPUCRYPT_CORRUPT); /* holes, but no flag */
	page.flags = PAGE_HOLES;
	page.holes[1] = 1; /* of chunk 8, which is not there */
	assert_status(open_made(&page, 0), GPUCRYPT_CORRUPT);
}

TEST(root_only_in_the_final_page)
{
	struct page page = make(0, 1 << GROUP_LOG2, 0);

	assert_ok(open_made(&page, 0));
	page.root[31] = 1;
	assert_status(open_made(&page, 0), GPUCRYPT_CORRUPT);
}

TEST(payload_lengths)
{
	assert_int_equal(payload_bytes(17, false), 17);
	assert_int_equal(payload_bytes(0, true), 0);
	assert_int_equal(payload_bytes(1, true), 16);
	assert_int_equal(payload_bytes(16, true), 16);
	assert_int_equal(payload_bytes(17, true), 32);
}
