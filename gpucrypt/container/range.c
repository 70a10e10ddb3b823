#include "gpucrypt/container/range.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/container/group.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/status.h"

struct reader {
	struct source *source;
	struct sink *sink;
	const struct gpucrypt_progress *progress; /* or NULL */
	uint64_t from, to;                        /* of the plaintext */
	uint64_t plaintext_bytes, final;          /* of the whole; number of its last group */
	struct authenticated_header header;
	struct file_keys keys;
	struct suite suite;
	struct engine *engine; /* owned */
	struct recheck recheck;
	struct groups groups;
};

/* The part of a group that the range touches: plaintext bytes, and the chunks around them. */
struct part {
	uint64_t group, first_byte; /* of the group in the plaintext */
	size_t from, to;            /* plaintext, in the group */
	unsigned first_chunk, n_chunks;
	size_t start, end; /* of the chunks in the payload */
};

static uint64_t group_bytes(const struct reader *reader)
{
	return UINT64_C(1) << reader->header.header.group_log2;
}

static size_t stored_bytes(const struct reader *reader, uint64_t group)
{
	uint64_t left = reader->plaintext_bytes - group * group_bytes(reader);

	return (size_t)payload_bytes(
	        left < group_bytes(reader) ? left : group_bytes(reader), reader->suite.mode->whole_blocks);
}

static struct part part_of(const struct reader *reader, uint64_t item)
{
	uint64_t group = (reader->from >> reader->header.header.group_log2) + item;
	uint64_t first_byte = group * group_bytes(reader), left = reader->to - first_byte;
	unsigned chunk_log2 = reader->header.header.chunk_log2;
	struct part part = { .group = group,
		.first_byte = first_byte,
		.from = item == 0 ? (size_t)(reader->from - first_byte) : 0,
		.to = (size_t)(left < group_bytes(reader) ? left : group_bytes(reader)) };
	size_t stored = stored_bytes(reader, group);

	part.first_chunk = (unsigned)(part.from >> chunk_log2);
	part.n_chunks = (unsigned)((part.to - 1) >> chunk_log2) + 1;
	part.start = (size_t)part.first_chunk << chunk_log2;
	part.end = (size_t)part.n_chunks << chunk_log2;
	if (part.end > stored)
		part.end = stored;
	return part;
}

static int corrupt(const struct reader *reader, uint64_t group, uint64_t in_group, const char *what)
{
	return group_corrupt(reader->source, &reader->header.header, group, in_group, what);
}

static int read_part(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct reader *reader = job;
	struct group *group = &reader->groups.group[slot];
	struct part part = part_of(reader, item);
	uint64_t offset = group_offset(&reader->header.header, part.group);
	int status = groups_take(&reader->groups, slot);

	(void)worker;
	if (status != GPUCRYPT_OK)
		return status;
	group->stored = stored_bytes(reader, part.group);
	ring_use(&reader->groups.ring, slot, PAGE_BYTES + part.end + BLOCK_BYTES);
	status = source_read_at(reader->source, group->bytes, PAGE_BYTES, offset);
	if (status == GPUCRYPT_OK)
		status = source_read_at(reader->source, group->payload + part.start, part.end - part.start,
		        offset + PAGE_BYTES + part.start);
	if (status != GPUCRYPT_OK)
		return status;
	return part.first_byte + part.to == reader->to ? PIPELINE_LAST : GPUCRYPT_OK;
}

/* A page at its place; final and length are what the final page has proven. */
static int check_page(const struct reader *reader, struct group *group, uint64_t number)
{
	int status = group_open_page(group, reader->source, &reader->header.header, &reader->keys, number);
	bool final;

	final = (group->page.flags & PAGE_FINAL) != 0;
	if (status == GPUCRYPT_OK && final != (number == reader->final))
		status = corrupt(reader, number, 0, final ? "more bytes after the end" : "truncated");
	return status;
}

/* The chunks of the part: tags, and holes against zeros. */
static int check_chunks(const struct reader *reader, struct group *group, const struct part *part)
{
	unsigned chunk_log2 = reader->header.header.chunk_log2;
	int status = GPUCRYPT_OK;

	for (unsigned i = part->first_chunk; i < part->n_chunks && status == GPUCRYPT_OK; i++)
		status = chunk_tag(group->tags[i], group->keys.r, group->payload + ((size_t)i << chunk_log2),
		        group_chunk_bytes(group, i, chunk_log2));
	if (status == GPUCRYPT_OK)
		status = tags_finish(group->tags, &group->keys, part->n_chunks);
	for (unsigned i = part->first_chunk; i < part->n_chunks && status == GPUCRYPT_OK; i++) {
		size_t start = (size_t)i << chunk_log2;
		bool good = page_hole(&group->page, i)
		                    ? all_zero(group->payload + start, group_chunk_bytes(group, i, chunk_log2))
		                    : CRYPTO_memcmp(group->tags[i], group->page.tags[i], TAG_BYTES) == 0;

		if (!good)
			status = corrupt(reader, part->group, PAGE_BYTES + start, "a chunk is damaged");
	}
	return status;
}

static int authenticate_part(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct reader *reader = job;
	struct group *group = &reader->groups.group[slot];
	struct part part = part_of(reader, item);
	int status = check_page(reader, group, part.group);

	(void)worker;
	if (status != GPUCRYPT_OK)
		return status;
	if (payload_bytes(group->page.n_bytes, reader->suite.mode->whole_blocks) != group->stored)
		return corrupt(reader, part.group, 0, "its length changed while it was read");
	return check_chunks(reader, group, &part);
}

static int decrypt_part(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct reader *reader = job;
	struct group *group = &reader->groups.group[slot];
	struct part part = part_of(reader, item);
	unsigned chunk_log2 = reader->header.header.chunk_log2;
	int status = group_crypt(&reader->recheck, worker, group, part.start, part.end - part.start, 0);

	for (unsigned i = part.first_chunk; i < part.n_chunks && status == GPUCRYPT_OK; i++)
		if (page_hole(&group->page, i))
			memset(group->payload + ((size_t)i << chunk_log2), 0, group_chunk_bytes(group, i, chunk_log2));
	if (status == GPUCRYPT_OK && part.end == group->stored &&
	        !all_zero(group->payload + group->page.n_bytes, group->stored - group->page.n_bytes))
		status = corrupt(reader, part.group, PAGE_BYTES + group->page.n_bytes, "the filler is not zero");
	return status;
}

static int write_part(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct reader *reader = job;
	const struct group *group = &reader->groups.group[slot];
	struct part part = part_of(reader, item);

	(void)worker;
	return reader->sink->write(reader->sink, group->payload + part.from, part.to - part.from,
	        part.first_byte + part.from - reader->from);
}

static int report_part(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct reader *reader = job;
	struct part part = part_of(reader, item);

	(void)worker;
	(void)slot;
	if (reader->progress != NULL)
		reader->progress->report(
		        reader->progress->self, part.first_byte + part.to - reader->from, reader->to - reader->from);
	return GPUCRYPT_OK;
}

/* Bytes of the container: on a larger block device what the header's length makes of it. */
static int container_bytes(const struct reader *reader, uint64_t *n_bytes)
{
	const struct header *header = &reader->header.header;
	uint64_t length = header->plaintext_bytes, last;

	*n_bytes = reader->source->size_bytes;
	if (*n_bytes == UINT64_MAX)
		return fail(
		        GPUCRYPT_USAGE, "%s: a part is only read from a file, not from a pipe", reader->source->name);
	if (!reader->source->block_device)
		return GPUCRYPT_OK;
	if (length == LENGTH_UNKNOWN)
		return fail(GPUCRYPT_USAGE, "%s: a block device, and the header does not say where the container ends",
		        reader->source->name);
	last = length == 0 ? 0 : (length - 1) >> header->group_log2;
	*n_bytes = group_offset(header, last) + PAGE_BYTES +
	           payload_bytes(length - (last << header->group_log2), reader->suite.mode->whole_blocks);
	return GPUCRYPT_OK;
}

static int read_page(struct reader *reader, struct group *group, uint64_t number)
{
	int status =
	        source_read_at(reader->source, group->bytes, PAGE_BYTES, group_offset(&reader->header.header, number));

	return status == GPUCRYPT_OK ? check_page(reader, group, number) : status;
}

/* The final page proves the length: it is where the size says, final, and its payload ends where the
 * container does.  With another header copy another file key may have groups of another size here;
 * but page 0, at one place for all sizes, is authentic under one key only. */
static int find_end(struct reader *reader)
{
	const struct header *header = &reader->header.header;
	uint64_t stride = group_offset(header, 1) - group_offset(header, 0), size, stored;
	uint8_t bytes[PAGE_BYTES];
	struct group group = { .bytes = bytes };
	int status = container_bytes(reader, &size);

	if (status != GPUCRYPT_OK)
		return status;
	if (size < PAGES_START + PAGE_BYTES)
		return corrupt(reader, 0, size > PAGES_START ? size - PAGES_START : 0, "truncated");
	reader->final = (size - PAGES_START - 1) / stride;
	if (!reader->header.copies.good[0] || !reader->header.copies.good[1])
		status = read_page(reader, &group, 0);
	if (status == GPUCRYPT_OK)
		status = read_page(reader, &group, reader->final);
	if (status == GPUCRYPT_OK) {
		stored = payload_bytes(group.page.n_bytes, reader->suite.mode->whole_blocks);
		reader->plaintext_bytes = (reader->final << header->group_log2) + group.page.n_bytes;
		if (group_offset(header, reader->final) + PAGE_BYTES + stored != size)
			status = corrupt(
			        reader, reader->final, PAGE_BYTES, "its payload does not end where the container does");
		else if (header->plaintext_bytes != LENGTH_UNKNOWN &&
		         header->plaintext_bytes != reader->plaintext_bytes)
			status = corrupt(reader, reader->final, 0, "the length is not that in the header");
	}
	wipe(&group, sizeof group);
	return status;
}

static int place_range(struct reader *reader, const struct range *range)
{
	uint64_t whole = reader->plaintext_bytes;
	uint64_t left = range->offset <= whole ? whole - range->offset : 0;

	if (range->offset > whole || (range->n_bytes != UINT64_MAX && range->n_bytes > left))
		return fail(GPUCRYPT_USAGE, "%s: it holds %" PRIu64 " bytes: the range is not among them",
		        reader->source->name, whole);
	reader->from = range->offset;
	reader->to = range->offset + (range->n_bytes < left ? range->n_bytes : left);
	return GPUCRYPT_OK;
}

static int run(struct reader *reader, const struct gpucrypt_plan *plan, struct report *report)
{
	const struct header *header = &reader->header.header;
	uint64_t n_groups = ((reader->to - 1) >> header->group_log2) - (reader->from >> header->group_log2) + 1;
	unsigned readers = read_threads(plan, engine_devices(reader->engine), 0).readers,
	         taggers = tag_workers(plan, false), lanes = reader->engine->lanes;
	const struct ring *ring = &reader->groups.ring;
	struct items all = { .first = 0 };
	int status = groups_open(
	        &reader->groups, reader->engine, readers + lanes + taggers + 1, header, n_groups, plan->memory_bytes);

	if (status == GPUCRYPT_OK)
		status = recheck_open(&reader->recheck, reader->engine, plan, header->group_log2, header->chunk_log2);
	if (status == GPUCRYPT_OK) {
		const struct stage stages[] = { { "read", read_part, ring_workers(ring, readers) },
			{ "tag", authenticate_part, ring_workers(ring, taggers) },
			{ "engine", decrypt_part, ring_workers(ring, lanes) }, { "write", write_part, 1 },
			{ "report", report_part, 1 } };

		status = pipeline_run_items(reader, stages, sizeof stages / sizeof stages[0], ring->n_slots, &all);
		report_items(report, &all);
	}
	return status;
}

int container_range(struct source *source, struct sink *sink, const struct range *range,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report)
{
	struct reader reader = { .source = source, .sink = sink, .progress = progress };
	int status;

	*report = (struct report){ 0 };
	status = container_begin(source, sink, secret, &reader.header, &reader.keys, &reader.suite, report);
	if (status == GPUCRYPT_OK)
		status = find_end(&reader);
	if (status == GPUCRYPT_OK)
		status = place_range(&reader, range);
	if (status == GPUCRYPT_OK)
		status = sink_admits(sink, reader.to - reader.from);
	if (status == GPUCRYPT_OK && reader.from < reader.to) {
		status = engine_open(&reader.engine, &reader.suite, plan);
		if (status == GPUCRYPT_OK) {
			report_engine(report, reader.engine);
			status = run(&reader, plan, report);
		}
	}
	report->plaintext_bytes = reader.to - reader.from;
	groups_close(&reader.groups);
	recheck_close(&reader.recheck);
	engine_close(reader.engine);
	wipe(&reader, sizeof reader);
	return status;
}
