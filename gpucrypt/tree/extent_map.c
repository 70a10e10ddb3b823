#include "gpucrypt/tree/extent_map.h"

#include <stdlib.h>

#include "gpucrypt/status.h"

static int damaged(const char *what)
{
	return fail(GPUCRYPT_CORRUPT, "tree: the archive in the container is damaged: %s", what);
}

static int grow(struct extent_map *map)
{
	size_t room = map->room > 0 ? 2 * map->room : 16;
	struct extent *extents = realloc(map->extents, room * sizeof *extents);

	if (extents == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	map->extents = extents;
	map->room = room;
	return GPUCRYPT_OK;
}

static int end_number(struct extent_map *map)
{
	size_t i = map->n_numbers / 2;
	int status = GPUCRYPT_OK;

	if (map->n_digits == 0)
		return damaged("a line without a number in a map of holes");
	if (map->n_extents == UINT64_MAX) {
		map->n_extents = map->number;
	} else {
		if (i == map->room)
			status = grow(map);
		if (status != GPUCRYPT_OK)
			return status;
		*(map->n_numbers % 2 == 0 ? &map->extents[i].offset : &map->extents[i].n_bytes) = map->number;
		map->n_numbers++;
	}
	map->number = 0;
	map->n_digits = 0;
	return status;
}

bool extent_map_complete(const struct extent_map *map)
{
	return map->n_extents != UINT64_MAX && map->n_numbers / 2 == map->n_extents;
}

int extent_map_read(struct extent_map *map, const uint8_t *bytes, size_t n_bytes, size_t *used)
{
	int status = GPUCRYPT_OK;

	for (*used = 0; status == GPUCRYPT_OK && *used < n_bytes && !extent_map_complete(map); ++*used) {
		uint8_t byte = bytes[*used];

		if (byte == '\n') {
			status = end_number(map);
			continue;
		}
		if (byte < '0' || byte > '9' || map->n_digits == 18)
			return damaged("a map of holes that is no number of less than 19 digits");
		map->number = map->number * 10 + byte - '0';
		map->n_digits++;
	}
	return status;
}

int extent_map_check(const struct extent_map *map, uint64_t n_bytes, uint64_t stored_bytes)
{
	uint64_t end = 0, sum = 0;

	for (size_t i = 0; i < map->n_extents; i++) {
		const struct extent *extent = &map->extents[i];

		/* Numbers of 18 digits: no sum of two has more than 64 bits. */
		if (extent->offset < end || extent->offset + extent->n_bytes > n_bytes)
			return damaged("extents that overlap, or are behind the end of their file");
		end = extent->offset + extent->n_bytes;
		sum += extent->n_bytes;
	}
	return sum == stored_bytes ? GPUCRYPT_OK : damaged("a map of holes for more or fewer bytes than there are");
}

void extent_map_reset(struct extent_map *map)
{
	free(map->extents);
	*map = (struct extent_map){ .n_extents = UINT64_MAX };
}
