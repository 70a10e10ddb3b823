/* A page's parser.  What opens encodes to the same bytes, and lies within its group. */
#include "tests/fuzz/compact.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	static uint8_t encoded[PAGE_BYTES], again[PAGE_BYTES];
	struct fuzz_input input = { bytes, n_bytes };
	unsigned chunk_log2 = 12 + take_byte(&input) % 9, flags;
	unsigned group_log2 = chunk_log2 + take_byte(&input) % 8;
	uint64_t group = take_byte(&input);
	const struct file_keys file_keys = { .group = { 5 } };
	struct header header = { .chunk_log2 = chunk_log2 };
	struct group_keys keys;
	struct page page;

	if (group_log2 > 26)
		group_log2 = 26;
	header.group_log2 = group_log2;
	compact_page(&input, encoded, &flags);
	MUST(group_keys_derive(&keys, &file_keys, group, encoded + PAGE_SALT) == GPUCRYPT_OK);
	if ((flags & COMPACT_SEALED) != 0)
		MUST(page_seal(encoded, &keys) == GPUCRYPT_OK);
	if (!succeeded(page_unlock(&page, &keys, encoded, &file_keys, group, &header)))
		return 0;
	MUST(page.n_bytes <= UINT64_C(1) << group_log2);
	MUST(payload_bytes(page.n_bytes, true) - payload_bytes(page.n_bytes, false) < 16);
	page_encode(again, &page);
	MUST(memcmp(again, encoded, PAGE_MAC) == 0);
	return 0;
}
