/* Integers in byte strings: little-endian in the container, big-endian in ciphers and counters. */
#ifndef GPUCRYPT_BYTES_H
#define GPUCRYPT_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* load_le16(), store_le16(), and so on, for any alignment. */
#define LOAD_AND_STORE(order, bits)                                                  \
	static inline uint##bits##_t load_##order##bits(const uint8_t *bytes)        \
	{                                                                            \
		uint##bits##_t value;                                                \
                                                                                     \
		memcpy(&value, bytes, sizeof value);                                 \
		return order##bits##toh(value);                                      \
	}                                                                            \
                                                                                     \
	static inline void store_##order##bits(uint8_t *bytes, uint##bits##_t value) \
	{                                                                            \
		value = hto##order##bits(value);                                     \
		memcpy(bytes, &value, sizeof value);                                 \
	}
LOAD_AND_STORE(le, 16)
LOAD_AND_STORE(le, 32)
LOAD_AND_STORE(le, 64)
LOAD_AND_STORE(be, 32)
LOAD_AND_STORE(be, 64)

static inline bool all_zero(const uint8_t *bytes, size_t n_bytes)
{
	return n_bytes == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n_bytes - 1) == 0);
}

/* Returns the length of the first run of blocks that are all zero (*zero is true), or of blocks that are not.  bytes
 * are the n_bytes > 0 of a file from this offset on; blocks are those of the file. */
static inline size_t zero_run(const uint8_t *bytes, size_t n_bytes, uint64_t offset, size_t block_bytes, bool *zero)
{
	size_t done = 0, left = block_bytes - (size_t)(offset % block_bytes);

	for (bool is_zero = true; done < n_bytes; done += left, left = block_bytes) {
		left = left < n_bytes - done ? left : n_bytes - done;
		is_zero = all_zero(bytes + done, left);
		if (done > 0 && is_zero != *zero)
			break;
		*zero = is_zero;
	}
	return done;
}

#endif
