/* gcrypt retag: replace the metadata pages of an image that was written to by pages with new tags. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/args/options.h"
#include "cli/terminal/memory.h"
#include "command/message.h"
#include "cli/transform/job.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"

/* The new detached header replaces the old one and keeps owner and mode. */
static int choose_output(struct job *job, struct job_file *file)
{
	struct output_terms terms;
	int status;

	file->replaces_input = true;
	terms = job_output_terms(job, file);
	status = output_choose(&file->output, file->output_name, &terms);
	if (status == GPUCRYPT_OK && file->output.kind != OUTPUT_NAMED)
		status = fail(GPUCRYPT_USAGE, "%s: not a file", file->output_name);
	/* Without the lock, key slots that another run changes meanwhile would be lost. */
	return status ?: job_lock_input(job, file);
}

static int look_at_files(struct job *job, struct job_file *file, const char *operand)
{
	struct stat link;
	int status;

	/* Resolve a symbolic link: the link stays, its target is replaced, and the image lies beside the target. */
	file->output_name =
	        lstat(operand, &link) == 0 && S_ISLNK(link.st_mode) ? realpath(operand, NULL) : strdup(operand);
	status = job_open_input(job, file, file->output_name ? file->output_name : operand, false);
	if (status == GPUCRYPT_OK && !file->output_name)
		status = fail(GPUCRYPT_OTHER, "out of memory");
	/* The image may be in parts old and new: new tags would make that a container, and the journal useless. */
	file->journal_name = format_or_exit("%s.journal", file->input.name);
	if (status == GPUCRYPT_OK && access(file->journal_name, F_OK) == 0)
		status = fail(GPUCRYPT_EXISTS, "%s: exists: complete that run in place before", file->journal_name);
	return status ?: detached_open_image(&file->detached, job->options, &file->input) ?: choose_output(job, file);
}

static int unlock_file(struct job *job, struct job_file *file)
{
	return job_create_outputs(job, file) ?: job_get_secret(job, file, false);
}

static int run_retag(struct job *job, struct job_file *file)
{
	return container_retag(&file->detached.joined, file->sink, &job->options->plan, &job->secret.secret,
	        file->progress, &file->report);
}

static void report_copies(const struct job *job, const struct job_file *file)
{
	(void)job;
	if (file->report.header_note[0])
		message_warning(file->output.name, "%s: both header copies were rewritten", file->report.header_note);
}

static const struct job_kind retag_kind = { .direction = DECRYPT,
	.writes_ciphertext = true,
	.shows_image = true,
	.reports_change = true,
	.look = look_at_files,
	.unlock = unlock_file,
	.run = run_retag,
	.report = report_copies };

int cmd_retag(const struct options *options)
{
	return job_run(&retag_kind, options);
}
