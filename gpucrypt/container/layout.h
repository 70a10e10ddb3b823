/* Layout of a container: number of groups, offsets and lengths (gcrypt(5), "Layout"). n_bytes is the length of the
 * plaintext. Offsets are those of the inline layout; a joined source (container.h) maps them to two files. */
#ifndef GPUCRYPT_CONTAINER_LAYOUT_H
#define GPUCRYPT_CONTAINER_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpucrypt/crypto/tag.h"
#include "gpucrypt/engine/plan.h"
#include "gpucrypt/keys/header.h"

#define PAGE_BYTES  4096
#define PAGES_START (2 * HEADER_COPY_BYTES)

#define CHUNK_LOG2_DEFAULT 17
#define GROUP_LOG2_DEFAULT 23
#define GROUP_LOG2_MIN     12
#define GROUP_LOG2_MAX     26

/* Complete chunk_log2 and group_log2 of a plan: a size that is not given follows from the other one.  GPUCRYPT_USAGE
 * for sizes that the format does not have. */
int container_sizes(struct gpucrypt_plan *plan);

/* Payload bytes as stored: whole_blocks (ECB, XTS) rounds up to 16. */
uint64_t payload_bytes(uint64_t n_bytes, bool whole_blocks);

/* Number of groups, one at least; UINT64_MAX if n_bytes is, because it is not known. */
uint64_t layout_groups(unsigned group_log2, uint64_t n_bytes);

/* Plaintext bytes in a group: 2^group_log2, fewer in the last one. */
size_t layout_group_bytes(unsigned group_log2, uint64_t n_bytes, uint64_t group);

/* Offset of a group's metadata page, which is followed by the group's payload; and the page's offset in a detached
 * header. */
uint64_t layout_page_offset(unsigned group_log2, uint64_t group);
uint64_t layout_detached_page_offset(uint64_t group);

/* The first group of a part, from 0, of a container of n_groups; the number of parts gives n_groups.  Equal parts, but
 * each page at a start is at a multiple of `align`, a power of 2; so a part may be empty. */
uint64_t layout_part_start(unsigned group_log2, uint64_t n_groups, uint64_t part, uint64_t n_parts, uint64_t align);

/* Map an offset of the inline layout to one of the two files of the detached layout: whether the byte is in the image,
 * its offset there, and how many of n_bytes follow in that file. group_log2 0: the header is not known yet, and only
 * header copies can be mapped. */
bool layout_in_image(unsigned group_log2, uint64_t *offset, size_t *n_bytes);

/* Length of the container; UINT64_MAX if n_bytes is. */
uint64_t layout_container_bytes(unsigned group_log2, bool whole_blocks, uint64_t n_bytes);

/* Groups and payload bytes in a file of size_bytes, which may end within a page or a payload. */
uint64_t layout_groups_in(unsigned group_log2, uint64_t size_bytes);
uint64_t layout_payload_in(unsigned group_log2, uint64_t size_bytes);

/* Chunks of a payload as stored, and the bytes of one of them: the last may be short. */
unsigned layout_chunks(unsigned chunk_log2, size_t stored);
size_t layout_chunk_bytes(unsigned chunk_log2, size_t stored, unsigned chunk);

/* A group's page, the 4096 bytes of metadata before its payload: length, salt and chunk tags (gcrypt(5), "Page"). */

#define PAGE_SALT  32                       /* offset of the group salt, needed before the MAC can be checked */
#define PAGE_MAC   (PAGE_BYTES - MAC_BYTES) /* offset of the MAC, of all bytes before it */
#define PAGE_FINAL 1u
#define PAGE_HOLES 2u

struct page {
	uint64_t group, n_bytes;
	uint32_t flags;
	uint8_t salt[GROUP_SALT_BYTES], holes[MAX_CHUNKS / 8], root[MAC_BYTES];
	uint8_t tags[MAX_CHUNKS][TAG_BYTES];
};

/* Encode without the MAC; page_seal writes it. */
void page_encode(uint8_t bytes[PAGE_BYTES], const struct page *page);
int page_seal(uint8_t bytes[PAGE_BYTES], const struct group_keys *keys);

/* Check the MAC, then the form: index, zero fields, flags against n_bytes and hole bitmap, tags and holes only of
 * chunks. GPUCRYPT_CORRUPT; the caller adds the offset. */
int page_open(struct page *page, const uint8_t bytes[PAGE_BYTES], const struct group_keys *keys, uint64_t group,
        unsigned group_log2, unsigned chunk_log2);

/* Derive the group's keys, and use them to open the page. */
int page_unlock(struct page *page, struct group_keys *keys, const uint8_t bytes[PAGE_BYTES],
        const struct file_keys *file_keys, uint64_t group, const struct header *header);

/* Decode a page without any check. */
void page_decode(struct page *page, const uint8_t bytes[PAGE_BYTES]);

static inline bool page_hole(const struct page *page, unsigned chunk)
{
	return page->holes[chunk / 8] >> chunk % 8 & 1;
}

#endif
