#include "gpucrypt/container/layout.h"

#include "gpucrypt/status.h"

int container_sizes(struct gpucrypt_plan *plan)
{
	unsigned chunk = plan->chunk_log2, group = plan->group_log2;

	if (chunk == 0) {
		chunk = CHUNK_LOG2_DEFAULT;
		if (group > chunk + 7)
			chunk = group - 7;
		else if (group != 0 && group < chunk)
			chunk = group;
	}
	if (group == 0)
		group = chunk + 7 < GROUP_LOG2_DEFAULT ? chunk + 7 : GROUP_LOG2_DEFAULT;
	if (chunk < 12 || chunk > 20)
		return fail(GPUCRYPT_USAGE, "chunks of 2^%u bytes: it must be from 2^12 to 2^20", chunk);
	if (group < chunk || group > chunk + 7 || group > 26)
		return fail(GPUCRYPT_USAGE,
		        "groups of 2^%u bytes: with chunks of 2^%u it must be "
		        "from 2^%u to 2^%u",
		        group, chunk, chunk, chunk + 7 < 26 ? chunk + 7 : 26);
	plan->chunk_log2 = chunk;
	plan->group_log2 = group;
	return GPUCRYPT_OK;
}

uint64_t payload_bytes(uint64_t n_bytes, bool whole_blocks)
{
	return whole_blocks ? (n_bytes + 15) / 16 * 16 : n_bytes;
}

uint64_t layout_groups(unsigned group_log2, uint64_t n_bytes)
{
	if (n_bytes == UINT64_MAX)
		return UINT64_MAX;
	return n_bytes == 0 ? 1 : ((n_bytes - 1) >> group_log2) + 1;
}

size_t layout_group_bytes(unsigned group_log2, uint64_t n_bytes, uint64_t group)
{
	uint64_t left = n_bytes - (group << group_log2), whole = UINT64_C(1) << group_log2;

	return (size_t)(left < whole ? left : whole);
}

/* Bytes from one group's page to the next. */
static uint64_t group_stride(unsigned group_log2)
{
	return PAGE_BYTES + (UINT64_C(1) << group_log2);
}

uint64_t layout_page_offset(unsigned group_log2, uint64_t group)
{
	return PAGES_START + group * group_stride(group_log2);
}

uint64_t layout_detached_page_offset(uint64_t group)
{
	return PAGES_START + group * PAGE_BYTES;
}

/* With align at most 4096, each page is aligned. */
uint64_t layout_part_start(unsigned group_log2, uint64_t n_groups, uint64_t part, uint64_t n_parts, uint64_t align)
{
	uint64_t group = n_groups / n_parts * part + n_groups % n_parts * part / n_parts;

	while (part > 0 && group < n_groups && (layout_page_offset(group_log2, group) & (align - 1)) != 0)
		group++;
	return group;
}

bool layout_in_image(unsigned group_log2, uint64_t *offset, size_t *n_bytes)
{
	uint64_t left, group, rest;
	bool image = false;

	if (*offset < PAGES_START || group_log2 == 0)
		left = *offset < PAGES_START ? PAGES_START - *offset : 0;
	else {
		group = (*offset - PAGES_START) / group_stride(group_log2);
		rest = (*offset - PAGES_START) % group_stride(group_log2);
		image = rest >= PAGE_BYTES;
		left = (image ? group_stride(group_log2) : PAGE_BYTES) - rest;
		*offset = image ? (group << group_log2) + rest - PAGE_BYTES : layout_detached_page_offset(group) + rest;
	}
	if (*n_bytes > left)
		*n_bytes = (size_t)left;
	return image;
}

uint64_t layout_container_bytes(unsigned group_log2, bool whole_blocks, uint64_t n_bytes)
{
	if (n_bytes == UINT64_MAX)
		return UINT64_MAX;
	return layout_detached_page_offset(layout_groups(group_log2, n_bytes)) + payload_bytes(n_bytes, whole_blocks);
}

uint64_t layout_groups_in(unsigned group_log2, uint64_t size_bytes)
{
	return size_bytes > PAGES_START ? (size_bytes - PAGES_START - 1) / group_stride(group_log2) + 1 : 0;
}

uint64_t layout_payload_in(unsigned group_log2, uint64_t size_bytes)
{
	uint64_t area = size_bytes > PAGES_START ? size_bytes - PAGES_START : 0, rest = area % group_stride(group_log2);

	return (area / group_stride(group_log2) << group_log2) + (rest > PAGE_BYTES ? rest - PAGE_BYTES : 0);
}

unsigned layout_chunks(unsigned chunk_log2, size_t stored)
{
	return (unsigned)((stored + ((size_t)1 << chunk_log2) - 1) >> chunk_log2);
}

size_t layout_chunk_bytes(unsigned chunk_log2, size_t stored, unsigned chunk)
{
	size_t whole = (size_t)1 << chunk_log2, left = stored - ((size_t)chunk << chunk_log2);

	return left < whole ? left : whole;
}
