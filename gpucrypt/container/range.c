#include "gpucrypt/container/container.h"

#include <inttypes.h>
#include <string.h>

#include "gpucrypt/container/group_reader.h"
#include "gpucrypt/status.h"

/* Bytes of the container: on a block device, which may be larger, the header has the length. */
static int find_size(const struct group_reader *reader, uint64_t *size_bytes)
{
	const struct header *header = &reader->header.header;
	const struct source *source = reader->source;

	*size_bytes = source->size_bytes;
	if (*size_bytes == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "%s: a part is only read from a file, not from a pipe", source->name);
	if (!source->block_device)
		return GPUCRYPT_OK;
	if (header->plaintext_bytes == LENGTH_UNKNOWN)
		return fail(GPUCRYPT_USAGE, "%s: a block device, and the header does not say where the container ends",
		        source->name);
	*size_bytes =
	        layout_container_bytes(header->group_log2, reader->suite.mode->whole_blocks, header->plaintext_bytes);
	return GPUCRYPT_OK;
}

/* The page of group `final` proves the length: it is where the size says, it is the final one, and its payload ends
 * where the container does. */
static int check_final_page(struct group_reader *reader, const struct page *page, uint64_t final, uint64_t size)
{
	const struct header *header = &reader->header.header;

	if ((page->flags & PAGE_FINAL) == 0)
		return reader_corrupt(reader, final, 0, "truncated");
	reader->plaintext_bytes = (final << header->group_log2) + page->n_bytes;
	if (layout_container_bytes(header->group_log2, reader->suite.mode->whole_blocks, reader->plaintext_bytes) !=
	        size)
		return reader_corrupt(reader, final, PAGE_BYTES, "its payload does not end where the container does");
	if (header->plaintext_bytes != LENGTH_UNKNOWN && header->plaintext_bytes != reader->plaintext_bytes)
		return reader_corrupt(reader, final, 0, "the length is not that in the header");
	return GPUCRYPT_OK;
}

/* With only one good header copy, another file key may have groups of another size here; but page 0, which is at the
 * same place for all sizes, is authentic under one key only. */
static int find_end(struct group_reader *reader)
{
	uint64_t size, final;
	uint8_t bytes[PAGE_BYTES] = { 0 };
	struct group group = { .bytes = bytes };
	int status = find_size(reader, &size);

	if (status != GPUCRYPT_OK)
		return status;
	if (size < PAGES_START + PAGE_BYTES)
		return reader_corrupt(reader, 0, size > PAGES_START ? size - PAGES_START : 0, "truncated");
	final = layout_groups_in(reader->header.header.group_log2, size) - 1;
	if (!reader->header.copies.good[0] || !reader->header.copies.good[1])
		status = reader_read_page(reader, &group, 0);
	if (status == GPUCRYPT_OK && final > 0 && (group.page.flags & PAGE_FINAL) != 0)
		status = reader_corrupt(reader, 0, 0, "more bytes after the end");
	status = status
	                 ?: reader_read_page(reader, &group, final)
	                 ?: check_final_page(reader, &group.page, final, size);
	memcpy(reader->final_mac, bytes + PAGE_MAC, MAC_BYTES);
	wipe(&group, sizeof group);
	return status;
}

int range_begin(struct group_reader *reader, const struct gpucrypt_secret *secret, struct report *report)
{
	reader->partial = true;
	return reader_begin(reader, secret, report) ?: reader_check_sizes(reader) ?: find_end(reader);
}

static int place_range(struct group_reader *reader, const struct range *range)
{
	uint64_t whole = reader->plaintext_bytes, left = range->offset <= whole ? whole - range->offset : 0;

	if (range->offset > whole || (range->n_bytes != UINT64_MAX && range->n_bytes > left))
		return fail(GPUCRYPT_USAGE, "%s: the range is not within its %" PRIu64 " bytes of plaintext",
		        reader->source->name, whole);
	reader->from = reader->origin = range->offset;
	reader->to = range->offset + (range->n_bytes < left ? range->n_bytes : left);
	return sink_admits(reader->sink, reader->to - reader->from);
}

int container_range(struct source *source, struct sink *sink, const struct range *range,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report)
{
	struct group_reader reader = reader_of(source, sink, progress);
	int status;

	*report = (struct report){ 0 };
	reader.to = 0;
	status = range_begin(&reader, secret, report) ?: place_range(&reader, range);
	if (status == GPUCRYPT_OK && reader.from < reader.to)
		status = reader_open_engine(&reader, plan, report)
		                 ?: reader_run(&reader, plan, reader.from >> reader.header.header.group_log2, report);
	report->plaintext_bytes = reader.to - reader.from;
	reader_close(&reader);
	return status;
}
