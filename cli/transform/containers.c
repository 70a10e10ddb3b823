/* dec and verify of a whole container, of a byte range, or of one part. */
#include "cli/transform/job.h"
#include "cli/tree/bundle.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/status.h"

/* A damaged header copy is a failure of verify only: --verify-first ignores the damage, decryption warns of it. */
static int verify_first(struct job *job, struct job_file *file)
{
	struct source *source = job_source(file);
	struct report report;
	int status;

	if (source->size_bytes == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "%s: --verify-first reads it twice: a pipe has no start", source->name);
	status = container_decrypt(source, NULL, &file->plan.run, job_secrets(job), file->progress, &report);
	if (status != GPUCRYPT_OK && !report.payload_good)
		return status;
	fail_clear();
	return source_rewind(source);
}

/* A file that is compressed in the container is decompressed. */
static int decrypt_whole(struct job *job, struct job_file *file)
{
	struct source *source = job_source(file);
	struct sink *sink = file->sink;
	struct decompression decompression;
	int status = job->options->verify_first ? verify_first(job, file) : GPUCRYPT_OK;

	if (status != GPUCRYPT_OK)
		return status;
	status = decompression_begin(&decompression, file->plan.content, source->name, &sink)
	                 ?: container_decrypt(
	                            source, sink, &file->plan.run, job_secrets(job), file->progress, &file->report);
	return decompression_end(&decompression, status, &file->report);
}

static int decrypt_range(struct job *job, struct job_file *file)
{
	const struct range range = { job->options->raw_options.offset, job->options->raw_options.length };

	return container_range(
	        job_source(file), file->sink, &range, &file->plan.run, job_secrets(job), file->progress, &file->report);
}

static int verify_part(struct job *job, struct job_file *file)
{
	const struct part_number part = { job->options->part.index, job->options->part.count };

	return container_verify_part(
	        job_source(file), &part, &file->plan.run, job_secrets(job), file->progress, &file->report);
}

/* The kinds. */

const struct job_kind dec_kind = { DEC_CONTAINER_STEPS, .of_trees = &dec_tree_kind, .run = decrypt_whole,
	.check_stored = job_read_back };
const struct job_kind dec_range_kind = { DEC_CONTAINER_STEPS, .run = decrypt_range };
const struct job_kind verify_kind = { VERIFY_STEPS, .of_volumes = &verify_luks_kind, .run = decrypt_whole,
	.report = result_print_verified };
const struct job_kind verify_part_kind = { VERIFY_STEPS, .of_volumes = &verify_luks_kind, .run = verify_part,
	.report = result_print_verified };
const struct job_kind verify_manifest_kind = { VERIFY_STEPS, .run = decrypt_whole };
