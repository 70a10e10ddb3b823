#include "cli/transform/job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/args/options.h"
#include "cli/terminal/memory.h"
#include "command/message.h"
#include "gpucrypt/status.h"
#include "cli/files/output.h"

/* Earlier releases wrote tags of a LUKS volume (enc --luks2 --tags): the image is the payload of the volume. */
static int check_no_volume(const struct input *image, const struct input *side)
{
	bool is_volume;
	int status = luks_found(&is_volume, &image->source);

	return status == GPUCRYPT_OK && is_volume
	               ? fail(GPUCRYPT_UNKNOWN,
	                         "%s: cannot read the tags of a LUKS volume, which an earlier release wrote: "
	                         "decrypt the volume itself, %s",
	                         side->name, image->name)
	               : status;
}

int detached_name_image(char **name, const struct options *options, const char *side)
{
	size_t stem = output_name_stem(side);

	if (!options->image && !stem)
		return fail(GPUCRYPT_USAGE,
		        "%s: the name of this detached header does not end in " CONTAINER_SUFFIX ": --image is needed",
		        side);
	*name = memory_or_exit(options->image ? strdup(options->image) : strndup(side, stem));
	return GPUCRYPT_OK;
}

int detached_open_image(struct detached_files *files, const struct options *options, struct input *side)
{
	return detached_name_image(&files->other_name, options, side->name)
	               ?: input_open(&files->other, files->other_name)
	               ?: check_no_volume(&files->other, side)
	               ?: detached_source_open(&files->joined, &side->source, &files->other.source);
}

int detached_check_output(const struct detached_files *files, const struct options *options, const char *output)
{
	struct stat there;

	if (files->other.source.fd < 0)
		return GPUCRYPT_OK;
	if (!options->output && !options->output_folder)
		return fail(GPUCRYPT_USAGE, "%s: its image is encrypted: -o OUT is needed", files->joined.source.name);
	if (stat(output, &there) == 0 && there.st_dev == files->other.stat.st_dev &&
	        there.st_ino == files->other.stat.st_ino)
		return fail(GPUCRYPT_EXISTS, "%s: not overwritten: it is a part of the container", output);
	return GPUCRYPT_OK;
}

int detached_choose_side(
        struct detached_files *files, const struct output *image, char *name, const struct output_terms *terms)
{
	int status;

	files->side_name = name;
	if (image->kind != OUTPUT_NAMED)
		return fail(GPUCRYPT_USAGE, "%s: an image and its detached header are regular files", image->name);
	status = output_choose(&files->side, name, terms);
	if (status == GPUCRYPT_OK && files->side.kind != OUTPUT_NAMED)
		status = fail(GPUCRYPT_USAGE, "%s: an image and its detached header are regular files", name);
	return status;
}

int detached_join_sinks(struct detached_files *files, struct sink *image, unsigned group_log2, struct sink **joined)
{
	int status = fd_sink_open(&files->side_sink, files->side.fd, files->side.name);

	if (status != GPUCRYPT_OK)
		return status;
	fd_sink_allow_any_order(&files->side_sink);
	detached_sink_open(&files->sink, &files->side_sink.sink, image, group_log2);
	*joined = &files->sink.sink;
	return GPUCRYPT_OK;
}

/* Name the detached header last: other commands are given its name, and an image without it is useless. */
int detached_commit(struct detached_files *files, struct output *image)
{
	const char *name = image->name;
	int status = output_sync(&files->side), committed;

	if (status == GPUCRYPT_OK)
		status = output_commit(image);
	if (!image->named)
		return status;
	committed = output_commit(&files->side);
	if (!files->side.named)
		unlink(name);
	return status ?: committed;
}

void detached_close(struct detached_files *files)
{
	output_discard(&files->side);
	input_close(&files->other);
	free(files->other_name);
	free(files->side_name);
	*files = DETACHED_NONE;
}

/* enc --detached. */

int detached_choose_output(struct job *job, struct job_file *file, const struct output_terms *terms)
{
	const char *header = job->options->luks2_header;
	int status = detached_image_check(&file->input.source, file->plan.sector_log2)
	                     ?: output_choose(&file->output, file->output_name, terms);

	if (status != GPUCRYPT_OK || (file->kind->luks && !header))
		return status;
	return detached_choose_side(&file->detached, &file->output,
	        header ? format_or_exit("%s", header) : format_or_exit("%s" CONTAINER_SUFFIX, file->output.name),
	        terms);
}

const struct job_kind enc_detached_kind = { ENC_STEPS, .takes_trees = true, .choose_output = detached_choose_output,
	.run = job_encrypt };

/* gcrypt retag: replace the metadata pages of an image that was written to by pages with new tags. */

/* The new detached header replaces the old one and keeps owner and mode. */
static int choose_new_side(struct job *job, struct job_file *file)
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
	return status ?: detached_open_image(&file->detached, job->options, &file->input) ?: choose_new_side(job, file);
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
