#include "gpucrypt/container/parts/parts.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"

/* Starting. */

static enum start_source start_of(const struct start_parts *parts)
{
	return parts->count > 0 ? START_PARTS : START_UNCHANGED;
}

/* Parts that begin at the blocks of the file system are at most so much longer. */
#define LONGEST_SHIFT 16 /* one part in 16 */

/* Pages are aligned to `align` once in align / 4096 groups. */
static int choose_align(uint64_t *align, const struct group_writer *writer, const struct source *file, uint64_t count)
{
	uint64_t n_groups = layout_groups(writer->header.group_log2, writer->source->size_bytes), block = PAGE_BYTES;
	struct stat there;

	if (fstat(file->fd, &there) != 0)
		return fail_errno(file->name, "cannot be examined");
	while (block < (uint64_t)there.st_blksize && block < UINT64_C(1) << 30)
		block *= 2;
	*align = block / PAGE_BYTES * LONGEST_SHIFT <= n_groups / count ? block : PAGE_BYTES;
	return GPUCRYPT_OK;
}

/* Make the copies: the kept header, or one with a new file key; and the start record in place of copy B. */
static int make_copies(struct group_writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES],
        const struct authenticated_header *kept, const struct gpucrypt_secret *secret, const struct start_parts *parts)
{
	const struct start_binding start = { .copy = copies,
		.slot = kept ? &kept->header.slots[kept->slot] : &writer->header.slots[0],
		.secret = secret,
		.source = writer->source,
		.how = start_of(parts) };
	int status = kept ? GPUCRYPT_OK : writer_make_header(writer, copies, secret);

	if (kept)
		memcpy(copies, kept->bytes, HEADER_COPY_BYTES);
	return status ?: start_record_make(copies + HEADER_COPY_BYTES, &start, parts);
}

int container_parts_start(struct source *source, struct source *file, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, struct start_parts parts, const struct authenticated_header *kept)
{
	struct group_writer writer = writer_of(source, NULL, NULL);
	uint8_t copies[2 * HEADER_COPY_BYTES];
	uint64_t n_bytes;
	int status = writer_describe(&writer, *plan);

	if (status == GPUCRYPT_OK && parts.count > 0 && parts.align == 0)
		status = choose_align(&parts.align, &writer, file, parts.count);
	status = status ?: make_copies(&writer, copies, kept, secret, &parts);
	n_bytes = layout_container_bytes(writer.header.group_log2, writer.suite.mode->whole_blocks, source->size_bytes);
	if (status == GPUCRYPT_OK && parts.count > 0 && ftruncate(file->fd, (off_t)n_bytes) != 0)
		status = fail_errno(file->name, "cannot set the length of the file");
	status = status ?: fd_store(file->fd, file->name, copies, sizeof copies, 0);
	writer_close(&writer);
	return status;
}

/* Opening. */

static int check_parts(
        const struct start_parts *started, struct start_parts *parts, const struct source *source, const char *name)
{
	if (parts->align == 0)
		parts->align = started->align;
	if (memcmp(parts->version, started->version, sizeof parts->version) != 0)
		return start_record_changed(source, name);
	if (parts->count == started->count && parts->align == started->align)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE,
	        "%s: started with %" PRIu64 " parts, aligned to %" PRIu64
	        " bytes: give the same --part I/N and --align",
	        name, started->count, started->align);
}

/* If the secret opens the file but did not start it, somebody else may know the file key. */
static int check_record(const struct started *started, const struct start_parts *parts, const struct source *source,
        const char *name, const char **restart)
{
	if (started->record == START_CHANGED)
		return start_record_changed(source, name);
	if (started->record == START_OWN)
		return GPUCRYPT_OK;
	if (parts->count == 0 && started->record == START_OTHER)
		return fail(GPUCRYPT_EXISTS, "%s: not continued: runs with --part write it", name);
	if (restart == NULL)
		return fail(GPUCRYPT_EXISTS,
		        "%s: not written: it has no start record for parts of this passphrase or key file", name);
	*restart = "it has no start record of this passphrase or key file";
	return GPUCRYPT_OK;
}

int parts_open(struct started *started, struct source *source, struct source *file,
        const struct gpucrypt_secret *secret, struct start_parts *parts, const char **restart)
{
	struct start_parts there;
	bool found = false;
	int status = started_open(started, &found, file, secret, source, start_of(parts));

	if (restart != NULL && status == (found ? GPUCRYPT_CORRUPT : GPUCRYPT_OK)) {
		*restart = found ? "its header is damaged" : "";
		fail_clear();
		return GPUCRYPT_OK;
	}
	status = status ?: check_record(started, parts, source, file->name, restart);
	if (status != GPUCRYPT_OK || (restart != NULL && *restart != NULL))
		return status;
	there = start_record_parts(started->copies + HEADER_COPY_BYTES);
	return check_parts(&there, parts, source, file->name);
}

int container_parts_check(struct authenticated_header *header, struct source *source, struct source *file,
        const struct gpucrypt_secret *secret, struct start_parts parts, const char **restart)
{
	struct started started;
	int status;

	*restart = NULL;
	status = parts_open(&started, source, file, secret, &parts, parts.count == 0 ? restart : NULL);
	if (status == GPUCRYPT_OK && *restart == NULL)
		*header = started.header;
	started_close(&started);
	return status;
}

/* Writing. */

int part_writer_describe(struct group_writer *writer, struct source *file, const struct started *started,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret)
{
	int status = writer_describe(writer, *plan);

	if (status == GPUCRYPT_OK && secret != NULL)
		status = started_continue(writer, started, file, secret);
	writer->header = started->header.header;
	writer->keys = started->keys;
	writer->part = file;
	writer->ranged = true;
	return status;
}

int part_writer_open(struct group_writer *writer, struct source *file, const struct started *started,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret, struct report *report)
{
	int status = part_writer_describe(writer, file, started, plan, secret)
	                     ?: engine_open(&writer->groups.engine, &writer->suite, plan);

	if (status == GPUCRYPT_OK)
		report_engine(report, writer->groups.engine);
	return status;
}

int part_writer_run(struct group_writer *writer, uint64_t first, uint64_t end, const struct gpucrypt_plan *plan,
        struct report *report)
{
	writer->first = first;
	writer->end = end;
	return first < end ? writer_run(writer, plan, report) : hmac_sha256(writer->digest, writer->keys.root, NULL, 0);
}

/* The record is made after the sync of the part, and only if the source has not changed. */
int part_writer_record(uint8_t record[START_RECORD_BYTES], const struct group_writer *writer,
        const struct started *started, const struct gpucrypt_secret *secret, const struct part_number *part)
{
	const struct start_binding start = start_binding_of(&started->header, secret, writer->source, START_PARTS);
	const uint8_t *start_record = started->copies + HEADER_COPY_BYTES;
	struct part_done done = { .number = part->number };

	memcpy(done.digest, writer->digest, sizeof done.digest);
	if (fsync(writer->part->fd) != 0)
		return fail_errno(writer->part->name, "cannot sync");
	return start_record_unchanged(start_record, writer->source, START_PARTS, writer->part->name)
	               ?: part_record_make(record, start_record, &start, &done);
}

static int run_part(struct group_writer *writer, const struct part_number *part, uint64_t align,
        const struct gpucrypt_plan *plan, struct report *report)
{
	uint64_t first, end = part_end(&first, writer->header.group_log2, writer->header.plaintext_bytes, part, align);
	int status = part_writer_run(writer, first, end, plan, report);

	report->plaintext_bytes = writer_bytes(writer);
	return status;
}

/* At the end, the second copy of the header takes the place of the start record, if the source has not changed. */
static int run_all(struct group_writer *writer, const struct started *started, const struct gpucrypt_plan *plan,
        struct report *report)
{
	int status = started_truncate(started, writer->part);

	writer->ranged = false;
	report->plaintext_bytes = writer->header.plaintext_bytes;
	return status ?: writer_run(writer, plan, report)
	              ?: start_record_unchanged(started->copies + HEADER_COPY_BYTES, writer->source, START_UNCHANGED,
	                         writer->part->name)
	              ?: writer->sink->write(writer->sink, started->copies, HEADER_COPY_BYTES, HEADER_COPY_BYTES);
}

int container_part(struct source *source, struct source *file, struct sink *sink, const struct part_number *part,
        uint64_t align, const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report, uint8_t record[START_RECORD_BYTES])
{
	struct group_writer writer = writer_of(source, sink, progress);
	struct start_parts parts = { .count = part->count, .align = align };
	struct started started;
	int status = parts_open(&started, source, file, secret, &parts, NULL);

	*report = (struct report){ 0 };
	status = status ?: part_writer_open(&writer, file, &started, plan, secret, report);
	if (status == GPUCRYPT_OK && part->count == 0)
		status = run_all(&writer, &started, plan, report);
	else
		status = status
		                 ?: run_part(&writer, part, parts.align, plan, report)
		                 ?: part_writer_record(record, &writer, &started, secret, part);
	started_close(&started);
	writer_close(&writer);
	return status;
}

/* Re-encrypting by parts. */

/* The descriptor identifies the file in the start record. */
int container_rekey_open(struct group_reader *reader, struct source *plain, struct start_parts *parts,
        const struct gpucrypt_secret *secret)
{
	const struct source *container = reader->source;
	int status = range_begin(reader, secret, &(struct report){ 0 });

	*plain = (struct source){ .fd = container->fd,
		.name = container->name,
		.size_bytes = reader->plaintext_bytes,
		.content = reader->header.header.content };
	memcpy(parts->version, reader->final_mac, sizeof parts->version);
	return status;
}

/* A part. */

static int open_part(struct recryptor *job, struct started *started, struct source *file, const struct rekey *rekey,
        struct start_parts *parts)
{
	const struct header *old = &job->reader.header.header;
	const char *detour;
	int status =
	        source_rewind(rekey->source) ?: container_rekey_open(&job->reader, &job->plain, parts, rekey->secret);

	if (status != GPUCRYPT_OK)
		return status;
	detour = rekey_detour(old->chunk_log2, old->group_log2, rekey->encrypt);
	if (detour != NULL)
		return fail(
		        GPUCRYPT_USAGE, "%s: rekey by parts cannot be combined with %s", rekey->source->name, detour);
	status = parts_open(started, &job->plain, file, rekey->secrets, parts, NULL);
	job->writer = writer_of(&job->plain, rekey->sink, rekey->progress);
	return status ?: part_writer_describe(&job->writer, file, started, rekey->encrypt, rekey->secrets);
}

/* The groups first … end - 1; of none there is only the digest. */
static int recrypt_range(
        struct recryptor *job, uint64_t first, uint64_t end, const struct rekey *rekey, struct report *report)
{
	if (first < end) {
		return recryptor_open_engines(job, rekey, report)
		               ?: recryptor_run_range(job, first, end, rekey->encrypt, report);
	}
	return part_reader_run(&job->reader, first, end, rekey->decrypt, report)
	               ?: part_writer_run(&job->writer, first, end, rekey->encrypt, report);
}

static int recrypt_part(struct recryptor *job, const struct part_number *part, uint64_t align,
        const struct rekey *rekey, struct report *report)
{
	uint64_t first, end = part_end(&first, job->writer.header.group_log2, job->plain.size_bytes, part, align);
	int status = recrypt_range(job, first, end, rekey, report) ?: part_check_pages(&job->reader, part, align);

	report->plaintext_bytes = writer_bytes(&job->writer);
	return status;
}

int container_rekey_part(const struct rekey *rekey, struct source *file, const struct part_number *part, uint64_t align,
        struct report *report, uint8_t record[START_RECORD_BYTES])
{
	struct recryptor job = { .reader = reader_of(rekey->source, rekey->sink, NULL) };
	struct start_parts parts = { .count = part->count, .align = align };
	struct started started = { .record = START_NONE };
	int status;

	*report = (struct report){ 0 };
	status = open_part(&job, &started, file, rekey, &parts)
	                 ?: recrypt_part(&job, part, parts.align, rekey, report)
	                 ?: part_writer_record(record, &job.writer, &started, rekey->secrets, part);
	started_close(&started);
	recryptor_close(&job);
	return status;
}

/* The next version by parts. */

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
