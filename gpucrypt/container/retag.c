#include "gpucrypt/container/container.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpucrypt/container/group_writer.h"
#include "gpucrypt/status.h"

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
