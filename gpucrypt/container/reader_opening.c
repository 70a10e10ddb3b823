/* Opening a container to read, and its metadata pages. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/container/group.h"
#include "gpucrypt/status.h"

struct group_reader reader_of(struct source *source, struct sink *sink, const struct gpucrypt_progress *progress)
{
	return (struct group_reader){ .source = source,
		.sink = sink,
		.progress = progress,
		.to = UINT64_MAX,
		.input = { .source = source,
		        .limit_bytes = UINT64_MAX,
		        .expected_bytes = UINT64_MAX,
		        .end_unasked = source->block_device } };
}

void reader_close(struct group_reader *reader)
{
	running_hmac_free(&reader->root);
	lookahead_close(&reader->input);
	groups_close(&reader->groups);
	wipe(reader, sizeof *reader);
}

int reader_begin(struct group_reader *reader, const struct gpucrypt_secret *secret, struct report *report)
{
	int status = container_unlock(reader->source, &reader->header, &reader->keys, secret);

	if (status != GPUCRYPT_OK)
		return status;
	snprintf(report->header_note, sizeof report->header_note, "%s", reader->header.copies.note);
	reader->suite = header_suite(&reader->header, DECRYPT);
	return detached_source_lay(reader->source, &reader->header.header);
}

/* Without a sink only padding is decrypted, of one block or so: the CPU does that. */
int reader_open_engine(struct group_reader *reader, const struct gpucrypt_plan *plan, struct report *report)
{
	const struct gpucrypt_plan for_padding = {
		.engine = GPUCRYPT_CPU, .threads = 1, .constant_time = plan->constant_time
	};
	bool verifies = reader->sink == NULL;
	int status = GPUCRYPT_OK;

	if (!verifies || reader->suite.mode->whole_blocks)
		status = engine_open(&reader->groups.engine, &reader->suite, verifies ? &for_padding : plan);
	if (status == GPUCRYPT_OK)
		report_engine(report, reader->groups.engine);
	return status;
}

int reader_check_sizes(const struct group_reader *reader)
{
	const struct sink *sink = reader->sink;
	int status = detached_source_check(reader->source);

	if (status == GPUCRYPT_OK && sink != NULL && sink->one_content &&
	        sink->content != reader->header.header.content)
		status = fail(GPUCRYPT_CORRUPT, "%s: its content is not what the output was created for",
		        reader->source->name);
	return status;
}

int reader_corrupt(const struct group_reader *reader, uint64_t group, uint64_t offset_in_group, const char *what)
{
	uint64_t offset = reader_page_offset(reader, group) + offset_in_group;
	const char *name = detached_place(reader->source, &offset);

	return fail(GPUCRYPT_CORRUPT, "%s: corrupt at byte %" PRIu64 " of this file (group %" PRIu64 "): %s", name,
	        offset, group, what);
}

int reader_open_page(const struct group_reader *reader, struct group *group, uint64_t number)
{
	const struct header *header = &reader->header.header;
	char why[128];
	int status = page_unlock(&group->page, &group->keys, group->bytes, &reader->keys, number, header);

	if (status == GPUCRYPT_OK && header->layout == LAYOUT_DETACHED && (group->page.flags & PAGE_HOLES) != 0)
		status = fail(GPUCRYPT_CORRUPT, "an image has no holes");
	if (status != GPUCRYPT_CORRUPT)
		return status;
	snprintf(why, sizeof why, "%s", gpucrypt_error());
	fail_clear();
	return reader_corrupt(reader, number, 0, why);
}

int reader_read_page(const struct group_reader *reader, struct group *group, uint64_t number)
{
	return source_read_at(reader->source, group->bytes, PAGE_BYTES, reader_page_offset(reader, number))
	               ?: reader_open_page(reader, group, number);
}

/* Number of groups that are read at the same time from a slow source, as on a remote file system, by threads that wait
 * most of the time and are not counted with those that compute. */
#define SLOW_READERS 8
#define SLOW_SECONDS 2e-3 /* a read that has to wait for an answer or for a disk's head */

int reader_threads(struct group_reader *reader, const struct gpucrypt_plan *plan, unsigned *readers, bool *slow)
{
	unsigned group_log2 = reader->header.header.group_log2;
	struct read_threads threads = read_threads(
	        plan, engine_devices(reader->groups.engine), reader->partial ? 0 : (size_t)1 << group_log2);
	double seconds = 0;
	int status = GPUCRYPT_OK;

	*readers = reader->partial ? threads.readers : lookahead_readers(&reader->input, PAGES_START, threads);
	reader->source_has_holes = reader->input.by_position && reader->source->has_holes;
	if (reader->partial || reader->input.by_position)
		status = source_latency(reader->source, (uint64_t)SLOW_READERS << group_log2, &seconds);
	*slow = seconds > SLOW_SECONDS || reader->source->direct_fd > 0;
	if (*slow && *readers < SLOW_READERS)
		*readers = SLOW_READERS;
	return status;
}

/* Where the container ends. */

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
