#include "gpucrypt/container/resume.h"

#include <stdio.h>
#include <unistd.h>

#include "gpucrypt/container/started.h"
#include "gpucrypt/status.h"

static void note_restart(struct report *report, const char *why)
{
	snprintf(report->header_note, sizeof report->header_note,
	        "the part file is not continued: %s: encrypting from the start", why);
}

/* *found: this secret started the part file from this source.  A part file that the secret opens but did not
 * start is encrypted again under a new file key, because somebody else may know the old one; report says why. */
static int find_start(bool *found, struct started *started, struct source *source, struct source *part,
        const struct gpucrypt_secret *secret, struct report *report)
{
	bool there;
	int status = started_open(started, &there, part, secret, source, START_UNCHANGED);

	*found = false;
	if (status == GPUCRYPT_CORRUPT && there) {
		fail_clear();
		note_restart(report, "its header is damaged");
		return GPUCRYPT_OK;
	}
	if (status != GPUCRYPT_OK || !there)
		return status;
	*found = started->record == START_OWN;
	if (started->record == START_CHANGED)
		return start_record_changed(source, part->name);
	if (started->record == START_OTHER)
		return fail(GPUCRYPT_EXISTS, "%s: not continued: runs with --part write it", part->name);
	if (!*found)
		note_restart(report, "it has no start record of this passphrase or key file");
	return GPUCRYPT_OK;
}

int container_resumable(bool *found, struct authenticated_header *header, struct source *source, struct source *part,
        const struct gpucrypt_secret *secret)
{
	struct started started;
	struct report unused = { 0 };
	int status = find_start(found, &started, source, part, secret, &unused);

	if (*found)
		*header = started.header;
	started_close(&started);
	return status;
}

/* Continue the part file, if this secret started it. */
static int continue_part(struct group_writer *writer, struct started *started, const struct gpucrypt_secret *secret,
        struct report *report, bool *found)
{
	int status = find_start(found, started, writer->source, writer->part, secret, report);

	if (status == GPUCRYPT_OK && *found)
		status = started_continue(writer, started, writer->part, secret);
	return status == GPUCRYPT_OK && *found ? started_truncate(started, writer->part) : status;
}

/* A new header in an empty part file. */
static int start_part(
        struct group_writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret)
{
	int status = started_make(writer, copies, secret, START_UNCHANGED, NULL);

	if (status == GPUCRYPT_OK && ftruncate(writer->part->fd, 0) != 0)
		status = fail_errno(writer->part->name, "cannot be emptied");
	writer->part->size_bytes = 0;
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
	int status =
	        start_record_unchanged(copies + HEADER_COPY_BYTES, writer->source, START_UNCHANGED, writer->part->name);

	return status ?: writer->sink->write(writer->sink, copies, HEADER_COPY_BYTES, HEADER_COPY_BYTES);
}

int container_resume(struct source *source, struct source *part, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct group_writer writer = writer_of(source, sink, progress);
	struct started started;
	struct opening opening;
	bool found;
	int status, opened;

	*report = (struct report){ 0 };
	writer.part = part;
	status = writer_describe(&writer, *plan);
	if (status != GPUCRYPT_OK)
		goto done;
	opening_start(&opening, &writer.suite, plan);
	status = continue_part(&writer, &started, secret, report, &found);
	if (status == GPUCRYPT_OK && !found)
		status = start_part(&writer, started.copies, secret);
	opened = opening_finish(&opening, &writer.groups.engine);
	if (status == GPUCRYPT_OK)
		status = opened;
	if (status == GPUCRYPT_OK) {
		report_engine(report, writer.groups.engine);
		status = writer_run(&writer, plan, report);
	}
	if (status == GPUCRYPT_OK)
		status = complete_header(&writer, started.copies);
	report->plaintext_bytes = writer.header.plaintext_bytes;
	started_close(&started);
done:
	writer_close(&writer);
	return status;
}
