#include "cli/transform/job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/terminal/memory.h"
#include "command/message.h"
#include "command/text.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/status.h"

/* The record of a part, beside the output: NAME.part-I-of-N. */

struct part_record {
	char *name; /* for messages; owned */
	int fd;     /* -1: not open */
};

static void close_record(struct part_record *record)
{
	free(record->name);
	if (record->fd >= 0)
		close(record->fd);
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

/* Open the record of a part with these flags of open(2), if it exists or the flags create it; the caller closes it.
 * GPUCRYPT_EXISTS if another file has its name. */
static int open_record(
        struct part_record *record, const struct output *output, const struct part_number *part, int flags)
{
	record->name = format_or_exit("%s.part-%" PRIu64 "-of-%" PRIu64, output->name, part->number, part->count);
	record->fd = openat(output->folder_fd, folder_base(record->name), flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
	        S_IRUSR | S_IWUSR);
	if (record->fd < 0)
		return errno == ENOENT ? GPUCRYPT_OK : fail_errno(record->name, "cannot open");
	return check_form(record);
}

int part_record_renew(const struct output *output, const struct part_number *part)
{
	struct part_record record;
	int status = open_record(&record, output, part, O_RDWR | O_CREAT);

	if (status == GPUCRYPT_OK && (record.fd < 0 || ftruncate(record.fd, 0) != 0 || fsync(record.fd) != 0))
		status = fail_errno(record.name, "cannot be emptied");
	status = status ?: folder_sync(output->folder_fd, record.name);
	close_record(&record);
	return status;
}

int part_record_store(
        const struct output *output, const struct part_number *part, const uint8_t bytes[START_RECORD_BYTES])
{
	struct part_record record;
	int status = output_check_part(output);

	if (status != GPUCRYPT_OK)
		return status;
	status = open_record(&record, output, part, O_RDWR | O_CREAT)
	                 ?: fd_store(record.fd, record.name, bytes, START_RECORD_BYTES, 0);
	close_record(&record);
	return status;
}

int part_record_load(
        const struct output *output, const struct part_number *part, uint8_t bytes[START_RECORD_BYTES], bool *whole)
{
	struct part_record record;
	size_t got = 0;
	int status = open_record(&record, output, part, O_RDONLY);

	if (status == GPUCRYPT_OK && record.fd >= 0)
		status = read_record(&record, bytes, START_RECORD_BYTES, &got);
	*whole = got == START_RECORD_BYTES;
	close_record(&record);
	return status;
}

int part_records_remove(const struct output *output, uint64_t count)
{
	char *name;

	for (uint64_t i = 1; i <= count; i++) {
		name = format_or_exit("%s.part-%" PRIu64 "-of-%" PRIu64, output->base, i, count);
		unlinkat(output->folder_fd, name, 0);
		free(name);
	}
	return folder_sync(output->folder_fd, output->name);
}

/* OUT.part. */

static bool has_record(const char *name, uint64_t count)
{
	char *record = format_or_exit("%s.part-1-of-%" PRIu64, name, count);
	bool has = access(record, F_OK) == 0;

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

static int end_naming(const char *name, const struct output_terms *terms, uint64_t count)
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

static int check_files(const struct job *job, const struct input *input, const struct output *output)
{
	const char *what = job->options->resume ? "--resume" : "work by parts";

	if (!S_ISREG(input->stat.st_mode) || input->source.size_bytes == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "%s: %s needs a regular file", input->name, what);
	if (output->kind != OUTPUT_NAMED)
		return fail(GPUCRYPT_USAGE, "%s: %s needs a regular file", output->name, what);
	return GPUCRYPT_OK;
}

int parts_choose_output(struct job *job, struct job_file *file, const struct output_terms *terms)
{
	const struct options *options = job->options;
	int status = options->dry_run ? GPUCRYPT_OK : end_naming(file->output_name, terms, options->part.count);

	job_name_part(file);
	return status ?: output_choose(&file->output, file->output_name, terms)
	               ?: check_files(job, &file->input, &file->output);
}

/* Runs of parts on different machines have to choose the same cipher: AES. */
static int choose_cipher(struct gpucrypt_plan *plan, struct job *job, struct job_file *file)
{
	struct file_plan chosen = file->plan;
	int status = GPUCRYPT_OK;

	if (plan->cipher == GPUCRYPT_CIPHER_AUTO && job_in_parts(job))
		plan->cipher = GPUCRYPT_AES;
	if (plan->cipher == GPUCRYPT_CIPHER_AUTO) {
		status = job_choose_plan(job, file, &chosen);
		plan->cipher = chosen.run.cipher;
	}
	return status;
}

static int start_file(const struct parts_start *start, struct job *job, struct job_file *file, bool replaces)
{
	struct gpucrypt_plan plan = *start->plan;
	struct source empty;

	return choose_cipher(&plan, job, file)
	               ?: output_start_part(&file->output)
	               ?: job_open_part(&empty, file)
	               ?: container_parts_start(start->source, &empty, &plan, start->secrets, start->parts, start->kept)
	               ?: output_name_part(&file->output, replaces);
}

static int check_start(const struct parts_start *start, const struct job_file *file, const char **restart)
{
	struct authenticated_header header;
	struct source part;
	int status =
	        job_open_part(&part, file)
	                ?: container_parts_check(&header, start->source, &part, start->secrets, start->parts, restart);

	if (status == GPUCRYPT_OK && *restart == NULL && start->plan->cipher == GPUCRYPT_CIPHER_AUTO)
		start->plan->cipher = header.header.cipher_id;
	return status;
}

struct part_number parts_number(const struct options *options)
{
	return (struct part_number){ options->part.index, options->part.count };
}

struct start_parts parts_wanted(const struct options *options)
{
	return (struct start_parts){ .count = options->part.count, .align = options->part_align };
}

int parts_prepare(const struct parts_start *start, struct job *job, struct job_file *file)
{
	const unsigned number = job->options->part.index;
	const char *restart = NULL;
	bool there;
	int status = output_open_part(&file->output, &there);

	if (status == GPUCRYPT_OK && !there)
		status = start_file(start, job, file, false);
	status = status ?: output_lock_part(&file->output, number) ?: check_start(start, file, &restart);
	if (status != GPUCRYPT_OK || restart == NULL)
		return status;
	if (*restart && !job->options->quiet)
		message_warning(
		        file->input.name, "the part file is not continued: %s: encrypting from the start", restart);
	return start_file(start, job, file, true) ?: output_lock_part(&file->output, number) ?: check_start(start, file, &restart);
}

static int prepare(struct job *job, struct job_file *file)
{
	const struct parts_start start = { &file->input.source, &file->plan.run, job_secrets(job),
		parts_wanted(job->options), NULL };

	return parts_prepare(&start, job, file);
}

static void report_kept(const struct job *job, const struct job_file *file)
{
	const struct report *report = &file->report;
	const struct shard *part = &job->options->part;
	char kept[16], all[16];

	if (report->kept_bytes == 0)
		return;
	amount_text(kept, (double)report->kept_bytes);
	amount_text(all, (double)report->plaintext_bytes);
	if (part->count > 1)
		fprintf(stderr, "%s: part %u of %u: ", file->output.name, part->index, part->count);
	else
		fprintf(stderr, "%s: ", file->input.name);
	fprintf(stderr, "%s of %s had been done by an earlier run\n", kept, all);
}

/* enc --resume and --part. */

/* output_commit() gives the file its name when it is complete. */
static int prepare_resume(struct job *job, struct job_file *file)
{
	return prepare(job, file) ?: output_take_part(&file->output);
}

/* The state is the record of a part. */
static int run_part(struct job *job, struct job_file *file)
{
	const struct part_number part = parts_number(job->options);
	struct source source;

	return job_open_part(&source, file)
	               ?: (job_in_parts(job) ? part_record_renew(&file->output, &part) : GPUCRYPT_OK)
	               ?: container_part(&file->input.source, &source, file->sink, &part, job->options->part_align,
	                          &file->plan.run, job_secrets(job), file->progress, &file->report, file->state);
}

const struct job_kind enc_resume_kind = { ENC_STEPS, .takes_trees = true, .choose_output = parts_choose_output,
	.prepare = prepare_resume, .run = run_part, .check_stored = job_read_back, .report = report_kept };

static int store_record(struct job *job, struct job_file *file)
{
	const struct part_number part = parts_number(job->options);

	return part_record_store(&file->output, &part, file->state);
}

const struct job_kind enc_part_kind = { ENC_STEPS, .state_bytes = START_RECORD_BYTES, .takes_trees = true,
	.choose_output = parts_choose_output, .prepare = prepare, .run = run_part, .check_stored = store_record,
	.report = report_kept };
