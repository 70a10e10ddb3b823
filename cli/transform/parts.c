#include "cli/transform/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/transform/job.h"
#include "cli/transform/resume.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/container/parts/rekey.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/status.h"

/* The record. */

void part_record_close(struct part_record *record)
{
	free(record->name);
	if (record->fd >= 0)
		close(record->fd);
	*record = PART_RECORD_NONE;
}

/* Read the first n_bytes of an open record; *got is less if it is shorter. */
static int read_record(const struct part_record *record, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	struct source source = source_of_fd(record->fd, record->name);

	return source.class->read_at(&source, bytes, n_bytes, 0, got);
}

/* Of this user, under one name; empty, or with the magic number of a record: a run that was stopped leaves either. */
static int check_form(const struct part_record *record)
{
	uint8_t start[8];
	struct stat there;
	size_t got = 0;
	bool form;
	int status = GPUCRYPT_OK;

	if (fstat(record->fd, &there) != 0)
		return fail_errno(record->name, "cannot be examined");
	if (S_ISREG(there.st_mode))
		status = read_record(record, start, sizeof start, &got);
	form = got == 0 || (got == sizeof start && start_record_form(start));
	if (status == GPUCRYPT_OK &&
	        (!S_ISREG(there.st_mode) || there.st_uid != geteuid() || there.st_nlink > 1 || !form))
		status = fail(GPUCRYPT_EXISTS, "%s: not overwritten: it is not the record of a part", record->name);
	return status;
}

/* Open the record of a part with these flags of open(2).  GPUCRYPT_EXISTS if another file has its name; *there: it
 * exists. */
static int open_record(struct part_record *record, const struct output *output, uint64_t number, uint64_t count,
        int flags, bool *there)
{
	if (asprintf(&record->name, "%s.part-%" PRIu64 "-of-%" PRIu64, output->name, number, count) < 0) {
		record->name = NULL;
		return fail(GPUCRYPT_OTHER, "out of memory");
	}
	record->fd = openat(output->folder_fd, folder_base(record->name), flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
	        S_IRUSR | S_IWUSR);
	*there = record->fd >= 0 || errno != ENOENT;
	if (record->fd < 0)
		return *there ? fail_errno(record->name, "cannot open") : GPUCRYPT_OK;
	return check_form(record);
}

int part_record_renew(struct part_record *record, const struct output *output, uint64_t number, uint64_t count)
{
	bool there;
	int status = open_record(record, output, number, count, O_RDWR | O_CREAT, &there);

	if (status != GPUCRYPT_OK)
		return status;
	if (ftruncate(record->fd, 0) != 0 || fsync(record->fd) != 0)
		return fail_errno(record->name, "cannot be emptied");
	return folder_sync(output->folder_fd, record->name);
}

int part_record_load(
        const struct output *output, uint64_t number, uint64_t count, uint8_t bytes[START_RECORD_BYTES], bool *whole)
{
	struct part_record stored = PART_RECORD_NONE;
	size_t got = 0;
	bool there = false;
	int status = open_record(&stored, output, number, count, O_RDONLY, &there);

	if (status == GPUCRYPT_OK && there)
		status = read_record(&stored, bytes, START_RECORD_BYTES, &got);
	*whole = there && got == START_RECORD_BYTES;
	part_record_close(&stored);
	return status;
}

int part_records_remove(const struct output *output, uint64_t count)
{
	char *name;

	for (uint64_t i = 1; i <= count; i++) {
		if (asprintf(&name, "%s.part-%" PRIu64 "-of-%" PRIu64, output->base, i, count) < 0)
			return fail(GPUCRYPT_OTHER, "out of memory");
		unlinkat(output->folder_fd, name, 0);
		free(name);
	}
	return folder_sync(output->folder_fd, output->name);
}

static bool has_record(const char *name, uint64_t count)
{
	char *record;
	bool has;

	if (asprintf(&record, "%s.part-1-of-%" PRIu64, name, count) < 0)
		return false;
	has = access(record, F_OK) == 0;
	free(record);
	return has;
}

static int begins_as_container(bool *begins, const char *name)
{
	int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	uint8_t start[HEADER_MAGIC_BYTES];
	ssize_t got;

	if (fd < 0)
		return fail_errno(name, "cannot open");
	got = pread(fd, start, sizeof start, 0);
	*begins = got == sizeof start && memcmp(start, header_magic, sizeof start) == 0;
	close(fd);
	return got >= 0 ? GPUCRYPT_OK : fail_errno(name, "cannot read");
}

int parts_end_naming(const char *name, const struct output_terms *terms, uint64_t count)
{
	bool ours = false;
	int status = GPUCRYPT_OK;

	if (!output_named_twice(name))
		return GPUCRYPT_OK;
	if (terms->ciphertext)
		status = begins_as_container(&ours, name);
	else
		ours = has_record(name, count);
	return status == GPUCRYPT_OK && ours ? output_end_naming(name, terms) : status;
}

int parts_store_record(struct job *job, struct job_file *file)
{
	const struct part_record *record = &file->part;
	int status = output_check_part(&file->output);

	(void)job;
	return status ?: fd_store(record->fd, record->name, record->bytes, sizeof record->bytes, 0);
}

/* The container. */

static struct part_number part_of(const struct options *options)
{
	return (struct part_number){ options->part.index, options->part.count };
}

static int open_source(struct source *source, char **name, const struct output *output)
{
	if (asprintf(name, "%s.part", output->name) < 0) {
		*name = NULL;
		return fail(GPUCRYPT_OTHER, "out of memory");
	}
	return source_open(source, output->fd, *name);
}

/* Parts on different machines have to choose the same cipher: AES. */
static int start_parts(const struct parts_start *start, struct output *output)
{
	struct gpucrypt_plan plan = *start->plan;
	struct source empty;
	char *name = NULL;
	int status = output_start_part(output);

	if (plan.cipher == GPUCRYPT_CIPHER_AUTO)
		plan.cipher = GPUCRYPT_AES;
	if (status == GPUCRYPT_OK)
		status = open_source(&empty, &name, output);
	if (status == GPUCRYPT_OK)
		status = container_parts_start(start->source, &empty, &plan, start->secrets, start->parts);
	free(name);
	return status ?: output_name_part(output);
}

static int check_start(const struct parts_start *start, const struct output *output)
{
	struct authenticated_header header;
	struct source part;
	char *name;
	int status = open_source(&part, &name, output)
	                     ?: container_parts_check(&header, start->source, &part, start->secrets, start->parts);

	if (status == GPUCRYPT_OK && start->plan->cipher == GPUCRYPT_CIPHER_AUTO)
		start->plan->cipher = header.header.cipher_id;
	free(name);
	return status;
}

struct start_parts parts_wanted(const struct options *options)
{
	return (struct start_parts){ .count = options->part.count, .align = options->part_align };
}

int parts_prepare(const struct parts_start *start, struct output *output, const struct options *options)
{
	bool there;
	int status = output_open_part(output, &there);

	if (status == GPUCRYPT_OK && !there)
		status = start_parts(start, output);
	if (status == GPUCRYPT_OK)
		status = output_lock_part(output, options->part.index);
	return status ?: check_start(start, output);
}

/* NAME.part, whose name is the caller's to free, and the part's record without content. */
static int open_part(struct source *source, char **name, struct job_file *file, const struct part_number *part)
{
	return open_source(source, name, &file->output)
	               ?: part_record_renew(&file->part, &file->output, part->number, part->count);
}

static int prepare_part(struct job *job, struct job_file *file)
{
	const struct parts_start start = { &file->input.source, &file->plan.run, job_secrets(job),
		parts_wanted(job->options) };

	return parts_prepare(&start, &file->output, job->options);
}

static int run_part(struct job *job, struct job_file *file, struct sink *sink, const struct gpucrypt_progress *progress)
{
	const struct part_number part = part_of(job->options);
	struct source source;
	char *name;
	int status = open_part(&source, &name, file, &part)
	                     ?: container_part(&file->input.source, &source, sink, &part, job->options->part_align,
	                                &file->plan.run, job_secrets(job), progress, &file->report, file->part.bytes);

	free(name);
	return status;
}

const struct job_kind enc_part_kind = { ENC_STEPS, .takes_trees = true, .choose_output = resume_choose_output,
	.prepare = prepare_part, .run = run_part, .check_stored = parts_store_record, .report = resume_report };

int parts_rekey(const struct rekey *rekey, struct job_file *file, const struct options *options)
{
	const struct part_number part = part_of(options);
	struct source source;
	char *name;
	int status = open_part(&source, &name, file, &part)
	                     ?: container_rekey_part(
	                                rekey, &source, &part, options->part_align, &file->report, file->part.bytes);

	free(name);
	return status;
}
