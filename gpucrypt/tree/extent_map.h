/* The parts of a file that have data, as the content of an archive's entry begins with them (GNU tar's manual, "Storing
 * Sparse Files", PAX Format, Version 1.0): decimal numbers, a line each, and zeros up to the next block. */
#ifndef EXTENT_MAP_H
#define EXTENT_MAP_H

#include "gpucrypt/tree/pax.h"

struct extent {
	uint64_t offset, n_bytes;
};

struct extent_map {
	struct extent *extents; /* owned */
	uint64_t n_extents;     /* announced; UINT64_MAX: not read yet */
	size_t n_numbers, room; /* of two for each extent */
	uint64_t number;        /* that is being read */
	unsigned n_digits;
};

/* The next bytes of a map, which starts with zeroed structs but n_extents; *used of them belong to it, without the
 * zeros behind.  It is complete when extent_map_complete().  GPUCRYPT_CORRUPT for what is no map. */
int extent_map_read(struct extent_map *map, const uint8_t *bytes, size_t n_bytes, size_t *used);

bool extent_map_complete(const struct extent_map *map);

/* GPUCRYPT_CORRUPT unless the extents are ascending parts of a file of n_bytes, and stored_bytes together. */
int extent_map_check(const struct extent_map *map, uint64_t n_bytes, uint64_t stored_bytes);

/* Free the extents and be ready for another map. */
void extent_map_reset(struct extent_map *map);

#endif
