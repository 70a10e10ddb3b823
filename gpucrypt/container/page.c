#include "gpucrypt/container/layout.h"

#include <openssl/crypto.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"

/* gcrypt(5), "Page" */
#define GROUP  8
#define LENGTH 16
#define FLAGS  24
#define ZERO_A 28
#define HOLES  48
#define ROOT   64
#define ZERO_B 96
#define TAGS   128
#define ZERO_C 2176

static const uint8_t magic[8] = { 0x89, 'G', 'C', 'P', '\r', '\n', 0x1a, '\n' };

_Static_assert(TAGS + MAX_CHUNKS * TAG_BYTES == ZERO_C, "tags fill their field");

void page_encode(uint8_t bytes[PAGE_BYTES], const struct page *page)
{
	memset(bytes, 0, PAGE_BYTES);
	memcpy(bytes, magic, sizeof magic);
	store_le64(bytes + GROUP, page->group);
	store_le64(bytes + LENGTH, page->n_bytes);
	store_le32(bytes + FLAGS, page->flags);
	memcpy(bytes + PAGE_SALT, page->salt, sizeof page->salt);
	memcpy(bytes + HOLES, page->holes, sizeof page->holes);
	memcpy(bytes + ROOT, page->root, sizeof page->root);
	memcpy(bytes + TAGS, page->tags, sizeof page->tags);
}

int page_seal(uint8_t bytes[PAGE_BYTES], const struct group_keys *keys)
{
	return hmac_sha256(bytes + PAGE_MAC, keys->page, bytes, PAGE_MAC);
}

static int check_mac(const uint8_t bytes[PAGE_BYTES], const struct group_keys *keys)
{
	uint8_t mac[MAC_BYTES];
	int status = hmac_sha256(mac, keys->page, bytes, PAGE_MAC);

	if (status == GPUCRYPT_OK && CRYPTO_memcmp(mac, bytes + PAGE_MAC, sizeof mac) != 0)
		status = fail(GPUCRYPT_CORRUPT, "the page is damaged or of another container");
	wipe(mac, sizeof mac);
	return status;
}

void page_decode(struct page *page, const uint8_t bytes[PAGE_BYTES])
{
	page->group = load_le64(bytes + GROUP);
	page->n_bytes = load_le64(bytes + LENGTH);
	page->flags = load_le32(bytes + FLAGS);
	memcpy(page->salt, bytes + PAGE_SALT, sizeof page->salt);
	memcpy(page->holes, bytes + HOLES, sizeof page->holes);
	memcpy(page->root, bytes + ROOT, sizeof page->root);
	memcpy(page->tags, bytes + TAGS, sizeof page->tags);
}

static bool length_fits(const struct page *page, uint64_t group_bytes)
{
	if ((page->flags & PAGE_FINAL) == 0)
		return page->n_bytes == group_bytes;
	return page->n_bytes <= group_bytes && (page->n_bytes > 0 || page->group == 0);
}

/* Tags and holes only of existing chunks, and a zero tag for each hole. */
static bool chunks_fit(const struct page *page, unsigned chunk_log2)
{
	unsigned n_chunks = layout_chunks(chunk_log2, page->n_bytes);
	bool no_holes = all_zero(page->holes, sizeof page->holes);

	for (unsigned i = 0; i < MAX_CHUNKS; i++) {
		if (i >= n_chunks && page_hole(page, i))
			return false;
		if ((i >= n_chunks || page_hole(page, i)) && !all_zero(page->tags[i], TAG_BYTES))
			return false;
	}
	return no_holes == ((page->flags & PAGE_HOLES) == 0);
}

int page_open(struct page *page, const uint8_t bytes[PAGE_BYTES], const struct group_keys *keys, uint64_t group,
        unsigned group_log2, unsigned chunk_log2)
{
	int status = check_mac(bytes, keys);

	if (status != GPUCRYPT_OK)
		return status;
	page_decode(page, bytes);
	if (page->group != group)
		return fail(GPUCRYPT_CORRUPT, "the page is of another group");
	if (memcmp(bytes, magic, sizeof magic) != 0 || (page->flags & ~(PAGE_FINAL | PAGE_HOLES)) ||
	        !all_zero(bytes + ZERO_A, PAGE_SALT - ZERO_A) || !all_zero(bytes + ZERO_B, TAGS - ZERO_B) ||
	        !all_zero(bytes + ZERO_C, PAGE_MAC - ZERO_C))
		return fail(GPUCRYPT_CORRUPT, "the page is malformed");
	if (!length_fits(page, UINT64_C(1) << group_log2))
		return fail(GPUCRYPT_CORRUPT, "the page has an impossible length");
	if (!chunks_fit(page, chunk_log2))
		return fail(GPUCRYPT_CORRUPT, "the page has tags or holes of chunks that do not exist");
	if ((page->flags & PAGE_FINAL) == 0 && !all_zero(page->root, sizeof page->root))
		return fail(GPUCRYPT_CORRUPT, "the page has a root but is not the final one");
	return GPUCRYPT_OK;
}

int page_unlock(struct page *page, struct group_keys *keys, const uint8_t bytes[PAGE_BYTES],
        const struct file_keys *file_keys, uint64_t group, const struct header *header)
{
	return group_keys_derive(keys, file_keys, group, bytes + PAGE_SALT)
	               ?: page_open(page, bytes, keys, group, header->group_log2, header->chunk_log2);
}
