#include "gpucrypt/container/container.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/container/group.h"
#include "gpucrypt/status.h"

/* The header. */

int container_peek(struct source *source, uint8_t copies[2 * HEADER_COPY_BYTES])
{
	size_t got;
	int status = source_peek(source, copies, 2 * HEADER_COPY_BYTES, &got);

	if (status == GPUCRYPT_OK && got < 2 * HEADER_COPY_BYTES)
		status = fail(GPUCRYPT_CORRUPT, "%s: not a gcrypt container: too short for its header", source->name);
	return status;
}

static int read_copies(struct source *source, uint8_t copies[2 * HEADER_COPY_BYTES])
{
	int status = container_peek(source, copies);

	source->peeked_bytes = 0;
	return status;
}

int container_examine(struct source *source, struct examined_header *examined)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];
	int status = read_copies(source, copies);

	if (status != GPUCRYPT_OK)
		return status;
	status = header_examine(examined, copies);
	return status == GPUCRYPT_OK ? status : fail_named(source->name, status);
}

int container_unlock_copies(const struct source *source, struct authenticated_header *header, struct file_keys *keys,
        const uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret)
{
	const struct unlocked *before = source->unlocked;
	int status;

	if (before && before->secret == secret && !memcmp(before->copies, copies, 2 * HEADER_COPY_BYTES)) {
		*header = before->header;
		*keys = before->keys;
		return GPUCRYPT_OK;
	}
	status = header_unlock(header, keys, copies, secret);
	return status == GPUCRYPT_OK ? status : fail_named(source->name, status);
}

int container_unlock(struct source *source, struct authenticated_header *header, struct file_keys *keys,
        const struct gpucrypt_secret *secret)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];

	return read_copies(source, copies) ?: container_unlock_copies(source, header, keys, copies, secret);
}

struct suite header_suite(const struct authenticated_header *header, enum direction direction)
{
	return (struct suite){ .cipher = cipher_by_id(header->header.cipher_id),
		.mode = mode_by_id(header->header.mode_id),
		.key_bytes = header->header.key_bytes,
		.direction = direction };
}

/* Encrypt. */

int container_encrypt(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct group_writer writer = writer_of(source, sink, progress);
	uint8_t copies[2 * HEADER_COPY_BYTES];
	struct opening opening;
	struct report unused = { 0 };
	int status, opened;

	report = report != NULL ? report : &unused;
	*report = (struct report){ 0 };
	status = writer_describe(&writer, *plan) ?: writer_check_room(&writer);
	if (status != GPUCRYPT_OK)
		goto done;
	opening_start(&opening, &writer.suite, plan, NULL);
	status = writer_make_header(&writer, copies, secret);
	opened = opening_finish(&opening, &writer.groups.engine);
	if (status == GPUCRYPT_OK)
		status = opened;
	if (status == GPUCRYPT_OK) {
		report_engine(report, writer.groups.engine);
		status = sink->write(sink, copies, sizeof copies, 0);
	}
	if (status == GPUCRYPT_OK)
		status = writer_run(&writer, plan, report);
	report->plaintext_bytes = writer.input.read_bytes;
done:
	writer_close(&writer);
	return status;
}

/* Decrypt. */

int container_decrypt(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct group_reader reader = reader_of(source, sink, progress);
	struct report unused = { 0 };
	int status;

	report = report != NULL ? report : &unused;
	*report = (struct report){ 0 };
	status = reader_begin(&reader, secret, report) ?: reader_check_sizes(&reader);
	if (status == GPUCRYPT_OK && sink != NULL)
		status = sink_admits(sink, reader.header.header.plaintext_bytes);
	status = status ?: reader_open_engine(&reader, plan, report) ?: reader_run(&reader, plan, 0, report);
	report->plaintext_bytes = reader.plaintext_bytes;
	report->payload_good = status == GPUCRYPT_OK;
	if (status == GPUCRYPT_OK && sink == NULL && header_needs_repair(&reader.header.copies))
		status = fail(GPUCRYPT_CORRUPT, "%s: %s", source->name, reader.header.copies.note);
	reader_close(&reader);
	return status;
}

/* A range of the plaintext. */

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

/* New pages for an image. */

/* The image becomes the source, if it has the length in the header. */
static int open_image(
        struct group_writer *writer, struct detached_source *container, const struct authenticated_header *header)
{
	struct source *image = container->image;
	int status = detached_source_lay(&container->source, &header->header);

	if (status == GPUCRYPT_OK && image->size_bytes != header->header.plaintext_bytes)
		status = fail(GPUCRYPT_CORRUPT, "%s: has %" PRIu64 " bytes, and the header in %s says %" PRIu64,
		        image->name, image->size_bytes, container->header_file->name, header->header.plaintext_bytes);
	writer->header = header->header;
	writer->suite.mode = mode_by_id(header->header.mode_id);
	writer->source = image;
	writer->input = (struct lookahead){ .source = image,
		.limit_bytes = image->block_device ? image->size_bytes : UINT64_MAX,
		.expected_bytes = image->size_bytes };
	return status;
}

int container_retag(struct detached_source *container, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct group_writer writer = { .progress = progress };
	struct authenticated_header header;
	struct detached_sink pages;
	uint8_t copies[2 * HEADER_COPY_BYTES];
	int status = container_unlock(container->header_file, &header, &writer.keys, secret);

	*report = (struct report){ 0 };
	if (status == GPUCRYPT_OK)
		snprintf(report->header_note, sizeof report->header_note, "%s", header.copies.note);
	status = status ?: source_read_at(container->header_file, copies, sizeof copies, 0);
	if (status == GPUCRYPT_OK && header_check_mixed(&header, copies, secret) != GPUCRYPT_OK)
		status = fail_named(container->header_file->name, GPUCRYPT_CORRUPT);
	status = status ?: open_image(&writer, container, &header);
	detached_sink_open(&pages, sink, NULL, writer.header.group_log2);
	writer.sink = &pages.sink;
	/* A damaged or older copy of the header becomes a good one. */
	for (unsigned i = 0; i < 2 && status == GPUCRYPT_OK; i++)
		status = sink->write(sink, header.bytes, sizeof header.bytes, i * sizeof header.bytes);
	status = status ?: writer_run(&writer, plan, report);
	if (status == GPUCRYPT_OK)
		report->plaintext_bytes = writer.input.read_bytes;
	writer_close(&writer);
	return status;
}

/* Group keys. */

static int visit_group(const struct group_reader *reader, uint64_t number, bool *final,
        int (*visit)(void *self, const struct group_report *group), void *self)
{
	const struct header *header = &reader->header.header;
	const struct mode *mode = mode_by_id(header->mode_id);
	struct group_report report = { .group = number,
		.offset = layout_page_offset(header->group_log2, number) + PAGE_BYTES,
		.key_bytes = header->key_bytes * mode->n_keys };
	uint8_t bytes[PAGE_BYTES];
	struct group group = { .bytes = bytes };
	int status = reader_read_page(reader, &group, number);

	if (status == GPUCRYPT_OK) {
		*final = (group.page.flags & PAGE_FINAL) != 0;
		report.n_bytes = payload_bytes(group.page.n_bytes, mode->whole_blocks);
		memcpy(report.key, group.keys.cipher, report.key_bytes);
		status = visit(self, &report);
	}
	wipe(&group, sizeof group);
	wipe(&report, sizeof report);
	return status;
}

/* All groups of an image have the same key. */
static int visit_image(
        const struct group_reader *reader, int (*visit)(void *self, const struct group_report *group), void *self)
{
	const struct header *header = &reader->header.header;
	struct group_report report = { .n_bytes = header->plaintext_bytes,
		.key_bytes = header->key_bytes * mode_by_id(header->mode_id)->n_keys };
	int status;

	memcpy(report.key, reader->keys.volume, report.key_bytes);
	status = visit(self, &report);
	wipe(&report, sizeof report);
	return status;
}

static int visit_groups(const struct group_reader *reader, uint64_t only,
        int (*visit)(void *self, const struct group_report *group), void *self)
{
	const struct header *header = &reader->header.header;
	uint64_t number = only == UINT64_MAX ? 0 : only;
	bool final = false;
	int status = GPUCRYPT_OK;

	if (header->layout == LAYOUT_DETACHED)
		return visit_image(reader, visit, self);
	if (only != UINT64_MAX && only >= layout_groups_in(header->group_log2, reader->source->size_bytes))
		return fail(GPUCRYPT_USAGE, "%s: no group %" PRIu64, reader->source->name, only);
	do {
		status = visit_group(reader, number++, &final, visit, self);
	} while (status == GPUCRYPT_OK && only == UINT64_MAX && !final);
	return status;
}

int container_groups(struct source *source, const struct gpucrypt_secret *secret, uint64_t only,
        int (*visit)(void *self, const struct group_report *group), void *self)
{
	struct group_reader reader = reader_of(source, NULL, NULL);
	int status = source_rewind(source)
	                     ?: container_unlock(source, &reader.header, &reader.keys, secret)
	                     ?: visit_groups(&reader, only, visit, self);

	reader_close(&reader);
	return status;
}
