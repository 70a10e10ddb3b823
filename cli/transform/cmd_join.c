/* gcrypt join: complete the container that runs of enc --part have written. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/args/options.h"
#include "cli/terminal/memory.h"
#include "cli/transform/job.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/status.h"

/* The container that is joined, and where its records are. */
struct joining {
	struct join join; /* owned */
	uint64_t count;
	const struct output *output;
};

/* The finished file has mode and group of the part file, which are those of the source. */
static int look_at_files(struct job *job, struct job_file *file, const char *operand)
{
	struct output_terms terms;
	int status;

	file->output_name = memory_or_exit(strdup(operand));
	job_name_part(file);
	status = job_open_input(job, file, file->part_name, false);
	if (status != GPUCRYPT_OK)
		return status;
	terms = job_output_terms(job, file);
	terms.replaces_input = terms.part = terms.named_twice = true;
	status = output_choose(&file->output, file->output_name, &terms);
	if (status == GPUCRYPT_OK && file->output.kind != OUTPUT_NAMED)
		status = fail(GPUCRYPT_USAGE, "%s: not a regular file", operand);
	return status;
}

static int unlock_file(struct job *job, struct job_file *file)
{
	bool there;
	int status = output_open_folder(&file->output) ?: output_open_part(&file->output, &there);

	if (status == GPUCRYPT_OK && !there)
		status = fail(GPUCRYPT_IO, "%s: was removed meanwhile", file->part_name);
	return status ?: job_get_secret(job, file, false);
}

static int load_record(void *self, uint64_t number, uint8_t record[START_RECORD_BYTES], bool *there)
{
	const struct joining *joining = self;
	const struct part_number part = { number, joining->count };

	return part_record_load(joining->output, &part, record, there);
}

/* No part runs from here on until the file has its name. */
static int check_parts(struct joining *joining, struct job_file *file)
{
	struct timespec time;
	int status;

	joining->count = join_count(&joining->join);
	status = output_lock_part(&file->output, 0);
	if (join_source_time(&joining->join, &time))
		file->input.stat.st_mtim = time;
	return status ?: join_check(&joining->join, load_record, joining);
}

/* Without this check, key slots that were removed from the old container would come back.  The old container stays
 * locked, by the descriptor in the state of the file, until the new container has its name. */
static int check_replaced(const struct joining *joining, struct job_file *file)
{
	const struct output *output = &file->output;
	int *fd = file->state;
	struct source old;
	bool named = false;
	int status = output_has_name(output, output->base, &named);

	if (status != GPUCRYPT_OK || named)
		return status;
	*fd = openat(output->folder_fd, output->base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		return errno == ENOENT || errno == ELOOP ? GPUCRYPT_OK : fail_errno(output->name, "cannot open");
	return lock_file(*fd, LOCK_EX, output->folder_fd, output->base)
	               ? source_open(&old, *fd, output->name) ?: join_check_replaced(&joining->join, &old)
	               : fail_locked(output->name);
}

static int close_replaced(struct job *job, struct job_file *file, int status)
{
	const int *fd = file->state;

	(void)job;
	if (*fd > 0)
		close(*fd);
	return status;
}

static int join_parts(struct job *job, struct job_file *file)
{
	struct joining joining = { .output = &file->output };
	struct source part;
	int status = job_open_part(&part, file);

	if (status != GPUCRYPT_OK)
		return status;
	status = join_open(&joining.join, &part, &job->secret.secret)
	                 ?: check_parts(&joining, file)
	                 ?: check_replaced(&joining, file)
	                 ?: join_store_root(&joining.join);
	/* The records are removed before the start record: a file with the root can be joined again without records. */
	status = status
	                 ?: part_records_remove(&file->output, joining.count)
	                 ?: join_complete(&joining.join, &file->report);
	join_close(&joining.join);
	return status;
}

/* With -f, a file that this one replaces may be the last good copy: authenticate the payload before. */
static int take_part(struct job *job, struct job_file *file)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU };
	struct output *output = &file->output;
	struct stat existing;
	struct source stored;
	int status = GPUCRYPT_OK;

	if (fstatat(output->folder_fd, output->base, &existing, AT_SYMLINK_NOFOLLOW) == 0)
		status = job_open_part(&stored, file)
		                 ?: container_decrypt(&stored, NULL, &plan, &job->secret.secret, NULL, NULL);
	return status ?: output_take_part(output);
}

static const struct job_kind join_kind = { .direction = DECRYPT,
	.state_bytes = sizeof(int),
	.writes_ciphertext = true,
	.keeps_time = true,
	.look = look_at_files,
	.unlock = unlock_file,
	.run = join_parts,
	.check_stored = take_part,
	.close = close_replaced };

int cmd_join(const struct options *options)
{
	return job_run(&join_kind, options);
}
