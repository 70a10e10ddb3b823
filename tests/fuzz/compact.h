/* Containers in few bytes, so that a fuzzer has no zeros and no MACs to guess: each copy of the
 * header and each page is given by its first bytes, and what a key is needed for is filled in. */
#ifndef TESTS_FUZZ_COMPACT_H
#define TESTS_FUZZ_COMPACT_H

#include "tests/fuzz/input.h"

#include "gpucrypt/bytes.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/container/layout.h"

static const uint8_t known_file_key[FILE_KEY_BYTES] = { 7, 7, 7 }, known_key[32] = { 1, 2, 3 };
static const struct gpucrypt_secret known_secret = {
	.type = GPUCRYPT_KEY_FILE, .bytes = known_key, .length = sizeof known_key
};

/* Flags after the first bytes of a header copy or a page. */
#define COMPACT_SEALED 1 /* with the right MAC */
#define COMPACT_POKED  2 /* one byte anywhere is another */

static inline void poke(struct fuzz_input *input, uint8_t *bytes, size_t n_bytes)
{
	unsigned at = take_pair(input);

	bytes[at % n_bytes] ^= (uint8_t)take_byte(input);
}

/* A slot that the known secret opens. */
static inline void known_slot(uint8_t *slot, const uint8_t *file_salt)
{
	uint8_t kek[32];

	slot[0] = GPUCRYPT_KEY_FILE;
	store_le16(slot + 4, WRAPPED_BYTES);
	MUST(kek_from_key_file(kek, known_key, slot + 16, file_salt) == GPUCRYPT_OK);
	MUST(key_wrap(slot + 48, known_file_key, kek) == GPUCRYPT_OK);
}

/* 72 bytes, flags, the number of slots; each slot its place, and its first 49 bytes (256 if the place
 * has bit 4) or, if it has bit 3, what the known secret opens. */
static inline void compact_copy(struct fuzz_input *input, uint8_t copy[HEADER_COPY_BYTES])
{
	struct file_keys keys;
	unsigned flags, n_slots;

	memset(copy, 0, HEADER_COPY_BYTES);
	take(input, copy, 72);
	flags = take_byte(input);
	n_slots = take_byte(input) % (N_KEY_SLOTS + 1);
	for (unsigned i = 0; i < n_slots; i++) {
		unsigned place = take_byte(input);
		uint8_t *slot = copy + KEY_SLOTS_START + place % N_KEY_SLOTS * KEY_SLOT_BYTES;

		if ((place & 8) != 0)
			known_slot(slot, copy + HEADER_P_SALT);
		else
			take(input, slot, (place & 16) != 0 ? 256 : 49);
	}
	if ((flags & COMPACT_POKED) != 0)
		poke(input, copy, HEADER_COPY_BYTES);
	if ((flags & COMPACT_SEALED) != 0) {
		MUST(file_keys_derive(&keys, known_file_key, copy) == GPUCRYPT_OK);
		MUST(header_seal(copy, &keys) == GPUCRYPT_OK);
	}
}

/* 112 bytes, flags, and so many tags of chunks as they come. */
static inline void compact_page(struct fuzz_input *input, uint8_t page[PAGE_BYTES], unsigned *flags)
{
	unsigned n_tags;

	memset(page, 0, PAGE_BYTES);
	take(input, page, 112);
	*flags = take_byte(input);
	n_tags = take_byte(input) % (MAX_CHUNKS + 1);
	for (unsigned i = 0; i < n_tags; i++)
		page[128 + TAG_BYTES * i] = (uint8_t)take_byte(input);
	if ((*flags & COMPACT_POKED) != 0)
		poke(input, page, PAGE_BYTES);
}

#endif
