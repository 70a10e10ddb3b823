#include "cli/transform/resume.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal/progress.h"
#include "cli/transform/job.h"
#include "gpucrypt/container/resume.h"
#include "gpucrypt/status.h"

static int check_files(const struct input *input, const struct output *output)
{
	const char *what = output->terms.part ? "work by parts" : "--resume";

	if (!S_ISREG(input->stat.st_mode) || input->source.size_bytes == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "%s: %s needs a regular file", input->name, what);
	if (output->kind != OUTPUT_NAMED)
		return fail(GPUCRYPT_USAGE, "%s: %s needs a regular file", output->name, what);
	return GPUCRYPT_OK;
}

int resume_choose_output(struct job *job, struct job_file *file, const struct output_terms *terms)
{
	const struct options *options = job->options;
	int status = options->dry_run ? GPUCRYPT_OK : parts_end_naming(file->output_name, terms, options->part.count);

	return status ?: output_choose(&file->output, file->output_name, terms)
	               ?: check_files(&file->input, &file->output);
}

/* The part file; its name is the caller's to free. */
static int open_part(struct source *part, char **name, const struct output *output)
{
	if (asprintf(name, "%s.part", output->name) < 0) {
		*name = NULL;
		return fail(GPUCRYPT_OTHER, "out of memory");
	}
	return source_open(part, output->fd, *name);
}

/* If the part file, which is open as the output, will be continued and no cipher is named, take the cipher from its
 * header. */
static int plan_by_part(struct job *job, struct job_file *file)
{
	struct authenticated_header header;
	struct gpucrypt_plan *plan = &file->plan.run;
	struct source part;
	bool found = false;
	char *name;
	int status = open_part(&part, &name, &file->output)
	                     ?: container_resumable(&found, &header, &file->input.source, &part, job_secrets(job));

	if (status == GPUCRYPT_OK && found && plan->cipher == GPUCRYPT_CIPHER_AUTO)
		plan->cipher = header.header.cipher_id;
	free(name);
	return status;
}

static int run_resume(
        struct job *job, struct job_file *file, struct sink *sink, const struct gpucrypt_progress *progress)
{
	struct source part;
	char *name;
	int status = open_part(&part, &name, &file->output)
	                     ?: container_resume(&file->input.source, &part, sink, &file->plan.run, job_secrets(job),
	                                progress, &file->report);

	free(name);
	return status;
}

void resume_report(const struct job *job, const struct job_file *file)
{
	const struct report *report = &file->report;
	const struct shard *part = &job->options->part;
	char kept[16], all[16];

	if (report->kept_bytes == 0)
		return;
	progress_amount(kept, (double)report->kept_bytes);
	progress_amount(all, (double)report->plaintext_bytes);
	if (part->count > 1)
		fprintf(stderr, "%s: part %u of %u: ", file->output.name, part->index, part->count);
	else
		fprintf(stderr, "%s: ", file->input.name);
	fprintf(stderr, "%s of %s had been done by an earlier run\n", kept, all);
}

const struct job_kind enc_resume_kind = { ENC_STEPS, .takes_trees = true, .choose_output = resume_choose_output,
	.prepare = plan_by_part, .run = run_resume, .check_stored = job_read_back, .report = resume_report };
