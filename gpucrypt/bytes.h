/* Integers in byte strings: little-endian in the container, big-endian in ciphers and counters. */
#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t load_le16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] | (unsigned)bytes[1] << 8);
}

static inline uint32_t load_le32(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline uint64_t load_le64(const uint8_t *bytes)
{
	return load_le32(bytes) | (uint64_t)load_le32(bytes + 4) << 32;
}

static inline uint32_t load_be32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline uint64_t load_be64(const uint8_t *bytes)
{
	return (uint64_t)load_be32(bytes) << 32 | load_be32(bytes + 4);
}

static inline void store_le16(uint8_t *bytes, uint16_t value)
{
	bytes[0] = (uint8_t)value;
	bytes[1] = (uint8_t)(value >> 8);
}

static inline void store_le32(uint8_t *bytes, uint32_t value)
{
	store_le16(bytes, (uint16_t)value);
	store_le16(bytes + 2, (uint16_t)(value >> 16));
}

static inline void store_le64(uint8_t *bytes, uint64_t value)
{
	store_le32(bytes, (uint32_t)value);
	store_le32(bytes + 4, (uint32_t)(value >> 32));
}

static inline void store_be32(uint8_t *bytes, uint32_t value)
{
	bytes[0] = (uint8_t)(value >> 24);
	bytes[1] = (uint8_t)(value >> 16);
	bytes[2] = (uint8_t)(value >> 8);
	bytes[3] = (uint8_t)value;
}

static inline void store_be64(uint8_t *bytes, uint64_t value)
{
	store_be32(bytes, (uint32_t)(value >> 32));
	store_be32(bytes + 4, (uint32_t)value);
}

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
