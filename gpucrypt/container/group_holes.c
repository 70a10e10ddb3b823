#include "gpucrypt/container/group_holes.h"

#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"

bool group_next_stretch(const struct group *group, unsigned chunk_log2, size_t at, struct stretch *stretch)
{
	unsigned n = group_chunks(group, chunk_log2), first = (unsigned)(at >> chunk_log2), i = first;
	size_t end;

	if (at >= group->stored)
		return false;
	stretch->hole = page_hole(&group->page, first);
	while (i < n && page_hole(&group->page, i) == stretch->hole)
		i++;
	end = (size_t)i << chunk_log2;
	stretch->from = at;
	stretch->n_bytes = (end < group->stored ? end : group->stored) - at;
	return true;
}

bool group_has_holes(const struct group *group)
{
	return !all_zero(group->page.holes, sizeof group->page.holes);
}

void group_dig_holes(struct group *group, unsigned chunk_log2)
{
	for (unsigned i = 0; i < group_chunks(group, chunk_log2); i++)
		if (group->hollow ||
		        all_zero(group->payload + ((size_t)i << chunk_log2), group_chunk_bytes(group, i, chunk_log2)))
			group->page.holes[i / 8] |= (uint8_t)(1u << i % 8);
	if (group_has_holes(group))
		group->page.flags |= PAGE_HOLES;
}

int group_crypt_chunks(
        const struct recheck *recheck, unsigned lane, struct group *group, unsigned tag_chunk_log2, unsigned chunk_log2)
{
	struct stretch stretch;
	int status = GPUCRYPT_OK;

	for (size_t at = 0; status == GPUCRYPT_OK && group_next_stretch(group, chunk_log2, at, &stretch);
	        at += stretch.n_bytes)
		if (!stretch.hole)
			status = group_crypt(recheck, lane, group, at, stretch.n_bytes, tag_chunk_log2);
	return status;
}

static int write_zeros(struct sink *sink, size_t n_bytes, uint64_t offset)
{
	static const uint8_t zeros[64 << 10];
	int status = GPUCRYPT_OK;

	for (size_t done = 0, n; done < n_bytes && status == GPUCRYPT_OK; done += n) {
		n = n_bytes - done < sizeof zeros ? n_bytes - done : sizeof zeros;
		status = sink->write(sink, zeros, n, offset + done);
	}
	return status;
}

int group_write(struct sink *sink, const struct group *group, unsigned chunk_log2, size_t n_bytes, uint64_t offset)
{
	bool final = (group->page.flags & PAGE_FINAL) != 0;
	struct stretch stretch;
	int status = GPUCRYPT_OK;

	if (!group_has_holes(group))
		return sink->write(sink, group->payload, n_bytes, offset);
	for (size_t at = 0;
	        status == GPUCRYPT_OK && at < n_bytes && group_next_stretch(group, chunk_log2, at, &stretch);
	        at += stretch.n_bytes) {
		size_t n = stretch.n_bytes < n_bytes - at ? stretch.n_bytes : n_bytes - at;

		if (!stretch.hole)
			status = sink->write(sink, group->payload + at, n, offset + at);
		else if (!sink->keeps_holes)
			status = write_zeros(sink, n, offset + at);
		else if (final && at + n == n_bytes)
			status = write_zeros(sink, 1, offset + at + n - 1);
	}
	return status;
}
