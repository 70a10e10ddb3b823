#include "gpucrypt/container/resume.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/group_writer.h"
#include "gpucrypt/container/start_record.h"
#include "gpucrypt/status.h"

/* *there: the part file has a header.  It has none if it is too short, or if a power failure left zeros.  A file that
 * starts otherwise than a container is not a part file. */
static int find_header(struct source *part, bool *there)
{
	uint8_t start[HEADER_MAGIC_BYTES] = { 0 };
	int status = GPUCRYPT_OK;

	if (part->size_bytes >= sizeof start)
		status = source_read_at(part, start, sizeof start, 0);
	*there = part->size_bytes >= PAGES_START && !all_zero(start, sizeof start);
	if (status == GPUCRYPT_OK && !all_zero(start, sizeof start) && memcmp(start, header_magic, sizeof start) != 0)
		status = fail(
		        GPUCRYPT_EXISTS, "%s: not overwritten: it is not the beginning of a container", part->name);
	return status;
}

/* Groups of the part file are only kept if the options are the same. */
static int check_options(const struct group_writer *writer, const struct header *started)
{
	const struct header *wanted = &writer->header;

	if (started->layout == wanted->layout && started->content == wanted->content &&
	        started->cipher_id == wanted->cipher_id && started->key_bytes == wanted->key_bytes &&
	        started->mode_id == wanted->mode_id && started->chunk_log2 == wanted->chunk_log2 &&
	        started->group_log2 == wanted->group_log2)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE,
	        "%s: started with %s-%u-%s, chunks of 2^%u and groups of 2^%u bytes: give the same "
	        "options, or remove it",
	        writer->part->name, cipher_by_id(started->cipher_id)->name, 8u * started->key_bytes,
	        mode_by_id(started->mode_id)->name, started->chunk_log2, started->group_log2);
}

/* Bytes behind the end of the complete container would follow the last group. */
static int truncate_part(struct group_writer *writer)
{
	struct source *part = writer->part;
	uint64_t whole = layout_container_bytes(
	        writer->header.group_log2, writer->suite.mode->whole_blocks, writer->header.plaintext_bytes);

	if (part->size_bytes <= whole)
		return GPUCRYPT_OK;
	if (ftruncate(part->fd, (off_t)whole) != 0)
		return fail_errno(part->name, "cannot be cut");
	part->size_bytes = whole;
	return GPUCRYPT_OK;
}

static void note_restart(struct report *report, const char *why)
{
	snprintf(report->header_note, sizeof report->header_note,
	        "the part file is not continued: %s: encrypting from the start", why);
}

/* *found: this secret started the part file from this source.  A part file that the secret opens but did not
 * start is encrypted again under a new file key, because somebody else may know the old one; report says why. */
static int find_start(bool *found, struct authenticated_header *header, struct file_keys *keys, struct source *source,
        struct source *part, uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret,
        struct report *report)
{
	enum start_found record;
	struct start_binding start;
	bool there;
	int status = find_header(part, &there);

	*found = false;
	if (status != GPUCRYPT_OK || !there)
		return status;
	status = source_read_at(part, copies, 2 * HEADER_COPY_BYTES, 0);
	if (status != GPUCRYPT_OK)
		return status;
	status = header_unlock(header, keys, copies, secret);
	if (status == GPUCRYPT_CORRUPT) {
		fail_clear();
		note_restart(report, "its header is damaged");
		return GPUCRYPT_OK;
	}
	if (status != GPUCRYPT_OK)
		return fail_named(part->name, status);
	start = (struct start_binding){ header->bytes, &header->header.slots[header->slot], secret, source,
		START_UNCHANGED };
	status = start_record_check(&record, copies + HEADER_COPY_BYTES, &start);
	if (status == GPUCRYPT_OK && record == START_CHANGED)
		status = start_record_changed(source, part->name);
	else if (status == GPUCRYPT_OK && record != START_OWN)
		note_restart(report, "it has no start record of this passphrase or key file");
	*found = status == GPUCRYPT_OK && record == START_OWN;
	return status;
}

int container_resumable(bool *found, struct authenticated_header *header, struct source *source, struct source *part,
        const struct gpucrypt_secret *secret)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];
	struct file_keys keys;
	struct report unused = { 0 };
	int status = find_start(found, header, &keys, source, part, copies, secret, &unused);

	wipe(&keys, sizeof keys);
	return status;
}

/* Continue the part file, if this secret started it. */
static int continue_part(struct group_writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES],
        const struct gpucrypt_secret *secret, struct report *report, bool *found)
{
	struct source *part = writer->part;
	struct authenticated_header header;
	int status = find_start(found, &header, &writer->keys, writer->source, part, copies, secret, report);

	if (status != GPUCRYPT_OK || !*found)
		return status;
	status = check_options(writer, &header.header);
	if (status == GPUCRYPT_OK)
		status = writer_check_recipients(part, &header.header, secret->next);
	if (status == GPUCRYPT_OK && header.header.plaintext_bytes != writer->source->size_bytes)
		status = start_record_changed(writer->source, part->name);
	writer->header = header.header;
	return status == GPUCRYPT_OK ? truncate_part(writer) : status;
}

/* A header with a new file key, in an empty part file.  The start record takes the place of copy B. */
static int start_part(
        struct group_writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret)
{
	const struct start_binding start = { copies, &writer->header.slots[0], secret, writer->source,
		START_UNCHANGED };
	int status = writer_make_header(writer, copies, secret);

	if (status == GPUCRYPT_OK && ftruncate(writer->part->fd, 0) != 0)
		status = fail_errno(writer->part->name, "cannot be emptied");
	writer->part->size_bytes = 0;
	if (status == GPUCRYPT_OK)
		status = start_record_make(copies + HEADER_COPY_BYTES, &start);
	if (status == GPUCRYPT_OK)
		status = writer->sink->write(writer->sink, copies, 2 * HEADER_COPY_BYTES, 0);
	/* Groups that a power failure leaves can only be kept by a header. */
	if (status == GPUCRYPT_OK && fsync(writer->part->fd) != 0)
		status = fail_errno(writer->part->name, "cannot sync");
	return status;
}

/* Write the second copy of the header over the start record, if the source has not changed. */
static int complete_header(struct group_writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES])
{
	int status = start_record_unchanged(copies + HEADER_COPY_BYTES, writer->source, writer->part->name);

	return status == GPUCRYPT_OK ? writer->sink->write(writer->sink, copies, HEADER_COPY_BYTES, HEADER_COPY_BYTES)
	                             : status;
}

int container_resume(struct source *source, struct source *part, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct group_writer writer = writer_of(source, sink, progress);
	uint8_t copies[2 * HEADER_COPY_BYTES];
	struct opening opening;
	bool found;
	int status, opened;

	*report = (struct report){ 0 };
	writer.part = part;
	status = writer_describe(&writer, *plan);
	if (status != GPUCRYPT_OK)
		goto done;
	opening_start(&opening, &writer.suite, plan);
	status = continue_part(&writer, copies, secret, report, &found);
	if (status == GPUCRYPT_OK && !found)
		status = start_part(&writer, copies, secret);
	opened = opening_finish(&opening, &writer.groups.engine);
	if (status == GPUCRYPT_OK)
		status = opened;
	if (status == GPUCRYPT_OK) {
		report_engine(report, writer.groups.engine);
		status = writer_run(&writer, plan, report);
	}
	if (status == GPUCRYPT_OK)
		status = complete_header(&writer, copies);
	report->plaintext_bytes = writer.header.plaintext_bytes;
done:
	writer_close(&writer);
	return status;
}
