/* enc --update --part: several runs write the next version of a container, each its part (parts.h, update.h). */
#include <string.h>

#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/container/update.h"
#include "gpucrypt/status.h"

int container_update_open(
        struct group_reader *reader, const struct update *update, struct start_parts *parts, struct report *report)
{
	int status = source_rewind(update->container) ?: range_begin(reader, update->secret, report);

	memcpy(parts->version, reader->final_mac, sizeof parts->version);
	parts->update = true;
	if (status != GPUCRYPT_OK || reader->header.header.plaintext_bytes == update->source->size_bytes)
		return status;
	return fail(GPUCRYPT_USAGE,
	        "%s: its header does not have the length of the new content: update it without --part",
	        update->container->name);
}

/* Key slots may have changed after another part was started. */
static int check_header(const struct started *started, const struct group_reader *reader, const struct source *file)
{
	return memcmp(started->copies, reader->header.bytes, HEADER_COPY_BYTES) == 0
	               ? GPUCRYPT_OK
	               : start_record_changed(reader->source, file->name);
}

static int update_range(struct group_writer *writer, struct old_groups *old, const struct part_number *part,
        uint64_t align, struct report *report)
{
	const struct gpucrypt_plan *plan = old->update->plan;
	const unsigned group_log2 = old->reader.header.header.group_log2;
	uint64_t first, end = part_end(&first, group_log2, writer->source->size_bytes, part, align);
	int status = old_groups_begin(writer, old);

	old->reader.to = end << group_log2;
	if (status == GPUCRYPT_OK && first < end)
		status = engine_open(&writer->groups.engine, &writer->suite, plan);
	if (status == GPUCRYPT_OK && first < end)
		report_engine(report, writer->groups.engine);
	if (first == end)
		status = status ?: hmac_sha256(old->reader.digest, old->reader.keys.root, NULL, 0);
	status = status ?: part_writer_run(writer, first, end, plan, report) ?: part_check_pages(&old->reader, part, align);
	report->n_groups = end - first;
	report->plaintext_bytes = writer_bytes(writer);
	return status;
}

int container_update_part(const struct update *update, struct source *file, const struct part_number *part,
        uint64_t align, struct report *report, uint8_t record[START_RECORD_BYTES])
{
	struct group_writer writer = writer_of(update->source, update->sink, update->progress);
	struct old_groups old = { .update = update, .reader = reader_of(update->container, NULL, NULL) };
	struct start_parts parts = { .count = part->count, .align = align };
	struct started started = { .record = START_NONE };
	int status;

	*report = (struct report){ 0 };
	status = container_update_open(&old.reader, update, &parts, report)
	                 ?: parts_open(&started, update->source, file, update->secret, &parts, NULL)
	                 ?: check_header(&started, &old.reader, file);
	writer.part = file;
	writer.ranged = true;
	status = status
	                 ?: update_range(&writer, &old, part, parts.align, report)
	                 ?: part_writer_record(record, &writer, &started, update->secret, part);
	started_close(&started);
	old_groups_close(&writer, &old);
	return status;
}
