/* enc --update: a new version of a container, in which only changed groups are encrypted again.  --in-place: the output
 * is a journal with these groups, which are written into the container once the journal has its name. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/terminal/memory.h"
#include "cli/transform/update.h"
#include "command/message.h"
#include "command/text.h"
#include "gpucrypt/container/update.h"
#include "gpucrypt/status.h"

static bool has_image(const struct job_file *file)
{
	return file->detached.other.source.fd >= 0;
}

static struct source *source_of(struct job_file *file)
{
	struct source *container = &update_of(file)->container.source, *joined = &file->detached.joined.source;

	joined->unlocked = container->unlocked;
	return has_image(file) ? joined : container;
}

static int check_source(const struct input *source)
{
	if (source->tree)
		return fail(GPUCRYPT_USAGE,
		        "%s: --update: not for a directory: enc --manifest encrypts only the files in it that changed",
		        source->name);
	return source->source.size_bytes != UINT64_MAX && !source->source.class->in_order
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE,
	                         "%s: --update needs a file or a block device: changed groups are read twice",
	                         source->name);
}

/* Open the container, and lock it before its header is read, so that no other run can replace it or change its key
 * slots. With --detached, -o names the image, as in the run that made the image. */
static int open_container(const struct job *job, struct job_file *file, bool *is_volume)
{
	struct input *container = &update_of(file)->container;
	char *name = file->output_name;
	struct stat there, target;
	int status = GPUCRYPT_OK;

	if (job->options->detached) {
		file->output_name = format_or_exit("%s" CONTAINER_SUFFIX, name);
		free(name);
		name = file->output_name;
	}
	if (lstat(name, &there) == 0 && !S_ISREG(there.st_mode) &&
	        (stat(name, &target) != 0 || !S_ISBLK(target.st_mode)))
		return fail(GPUCRYPT_USAGE, "%s: --update: neither a regular file nor a LUKS volume", name);
	if (input_open(container, name) != GPUCRYPT_OK)
		return GPUCRYPT_IO;
	if (!lock_file(container->source.fd, job_in_parts(job) ? LOCK_SH : LOCK_EX, AT_FDCWD, name))
		return fail_locked(name);
	if (job->options->detached)
		status = detached_open_image(&file->detached, job->options, container);
	if (status == GPUCRYPT_OK &&
	        (same_storage(&container->stat, &file->input.stat) ||
	                (has_image(file) && same_storage(&file->detached.other.stat, &file->input.stat))))
		status = fail(GPUCRYPT_USAGE, "%s: --update: the source is the container itself", file->input.name);
	status = status ?: luks_found(is_volume, &container->source);
	if (status == GPUCRYPT_OK && !*is_volume && !S_ISREG(container->stat.st_mode))
		status = fail(GPUCRYPT_USAGE, "%s: --update: neither a regular file nor a LUKS volume", name);
	return status;
}

/* Find the journal of an interrupted run.  GPUCRYPT_EXISTS if this run does not complete that update. */
static int find_journal(const struct job *job, struct job_file *file)
{
	struct stat there;

	file->journal_name = format_or_exit("%s.journal", file->output_name);
	update_of(file)->pending = lstat(file->journal_name, &there) == 0;
	if (!update_of(file)->pending || (job->options->in_place && !job->options->dry_run && S_ISREG(there.st_mode)))
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_EXISTS, "%s: exists: complete the interrupted update by --update --in-place",
	        file->journal_name);
}

static int choose_output(struct job *job, struct job_file *file)
{
	struct update_state *state = update_of(file);
	bool writes_journal = job->options->in_place && !job->options->dry_run;
	struct output_terms terms;

	state->shown = state->container.stat;
	state->shown.st_mtim = file->input.stat.st_mtim;
	file->replaces_input = true;
	terms = job_output_terms(job, file);
	terms.input = &state->shown;
	terms.keeps_time = S_ISREG(file->input.stat.st_mode);
	terms.acl = fgetxattr(state->container.source.fd, ACCESS_LIST, NULL, 0) > 0;
	return job_in_parts(job)
	               ? parts_choose_output(job, file, &terms)
	               : output_choose(&file->output, writes_journal ? file->journal_name : file->output_name, &terms);
}

static int look_at_container(struct job *job, struct job_file *file)
{
	return find_journal(job, file)
	               ?: choose_output(job, file)
	               ?: plan_file(&file->plan, job->options, &update_of(file)->container, DECRYPT);
}

static int look_at_files(struct job *job, struct job_file *file, const char *operand)
{
	struct update_state *state = update_of(file);
	const char *list = job->options->changed;
	bool is_volume = false;

	state->container.source.fd = -1;
	return job_open_input(job, file, operand, true)
	               ?: check_source(&file->input)
	               ?: output_name(&file->output_name, operand, ENCRYPT, job->options)
	               ?: open_container(job, file, &is_volume)
	               ?: (is_volume ? update_look_at_volume : look_at_container)(job, file)
	               ?: (list ? changed_list_read(&state->changed, list) : GPUCRYPT_OK);
}

int update_check_options(const struct options *options, const struct job_file *file)
{
	const struct gpucrypt_plan *plan = &options->plan, *run = &file->plan.run;
	const struct {
		const char *option;
		unsigned given, there; /* given 0: the option is not given */
	} kept[] = {
		{ "cipher", plan->cipher, run->cipher },
		{ "bits", plan->key_bits, run->key_bits },
		{ "mode", plan->mode, run->mode },
		{ "chunk-log2", plan->chunk_log2, run->chunk_log2 },
		{ "group-log2", plan->group_log2, run->group_log2 },
		{ "sector-size", (unsigned)options->raw_options.sector_bytes, 1u << file->plan.sector_log2 },
	};

	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (kept[i].given && kept[i].given != kept[i].there)
			return fail(GPUCRYPT_USAGE,
			        "%s: --update cannot change the container's --%s: use `gcrypt rekey`",
			        update_of(file)->container.name, kept[i].option);
	return GPUCRYPT_OK;
}

static int check_header(const struct options *options, const struct job_file *file)
{
	const struct header *header = &update_of(file)->header.header;

	if (header->content != CONTENT_BYTES)
		return fail(
		        GPUCRYPT_USAGE, "%s: --update: not the container of one uncompressed file", file->output_name);
	if ((header->layout == LAYOUT_DETACHED) != options->detached)
		return fail(GPUCRYPT_USAGE,
		        options->detached ? "%s: not a detached header"
		                          : "%s: a detached header: --update needs --detached --in-place -o IMAGE",
		        file->output_name);
	return update_check_options(options, file);
}

/* Open a file of the container to write to it. */
static int open_target(struct fd_sink *target, const char *name)
{
	target->fd = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	return target->fd < 0 ? fail_errno(name, "cannot open") : fd_sink_open(target, target->fd, name);
}

/* Write the groups of the journal into the container, and remove the journal. */
static int apply_journal(struct job *job, struct job_file *file)
{
	struct update_state *state = update_of(file);
	struct output *output = &file->output;
	struct update_target target = { .pages.fd = -1, .image.fd = -1 };
	struct source journal;
	int fd = open(file->journal_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int status =
	        fd < 0 ? fail_errno(file->journal_name, "cannot open") : source_open(&journal, fd, file->journal_name);

	status = status ?: open_target(&target.pages, file->output_name);
	if (status == GPUCRYPT_OK && has_image(file))
		status = open_target(&target.image, file->detached.other_name);
	status = status
	                 ?: container_update_apply(source_of(file), &target, &journal, &job->secret.secret)
	                 ?: output_open_folder(output);
	if (status == GPUCRYPT_OK && unlinkat(output->folder_fd, output->base, 0) != 0)
		status = fail_errno(file->journal_name, "cannot be removed");
	status = status ?: folder_sync(output->folder_fd, file->journal_name);
	state->pending = status != GPUCRYPT_OK;
	(void)fstat(state->container.source.fd, &state->container.stat);
	(void)fstat(file->detached.other.source.fd, &file->detached.other.stat);
	for (size_t i = 0; i < 3; i++)
		close((const int[]){ fd, target.pages.fd, target.image.fd }[i]);
	return status;
}

static int prepare_part(struct job *job, struct job_file *file)
{
	struct update_state *state = update_of(file);
	struct parts_start start = { &file->input.source, &file->plan.run, job_secrets(job), parts_wanted(job->options),
		&state->header };
	const struct update update = { .source = start.source, .container = source_of(file), .secret = start.secrets };
	struct group_reader reader = reader_of(update.container, NULL, NULL);
	int status = container_update_open(&reader, &update, &start.parts, &file->report);

	reader_close(&reader);
	return status ?: parts_prepare(&start, job, file);
}

/* A dry run unlocks the container too, because the groups must be compared to count those that would be written. */
static int unlock_container(struct job *job, struct job_file *file)
{
	struct update_state *state = update_of(file);
	int status = job_get_secret(job, file, false)
	                     ?: plan_authenticate(&file->plan, job->options, &state->header, &state->container,
	                                &job->secret.secret)
	                     ?: check_header(job->options, file);

	plan_of_header(&file->plan, &state->header, ENCRYPT);
	status = status ?: (state->pending ? apply_journal(job, file) : GPUCRYPT_OK) ?: job_create_outputs(job, file);
	return status == GPUCRYPT_OK && job_in_parts(job) ? prepare_part(job, file) : status;
}

static int run_part(const struct update *update, struct job *job, struct job_file *file)
{
	const struct part_number part = parts_number(job->options);
	struct source source;

	return job_open_part(&source, file)
	               ?: part_record_renew(&file->output, &part)
	               ?: container_update_part(update, &source, &part, job->options->part_align, &file->report,
	                          update_of(file)->record);
}

static int run_update(struct job *job, struct job_file *file)
{
	const struct update update = { .source = &file->input.source,
		.container = source_of(file),
		.sink = file->sink,
		.fd = job->options->in_place ? -1 : file->output.fd,
		.changed = update_of(file)->changed.ranges,
		.n_changed = update_of(file)->changed.n,
		.plan = &file->plan.run,
		.secret = &job->secret.secret,
		.progress = file->progress };

	return job_in_parts(job) ? run_part(&update, job, file) : container_update(&update, &file->report);
}

/* What was copied from the old container may be other bytes than those that were authenticated. */
static int check_unchanged(struct job *job, struct job_file *file)
{
	const struct part_number part = parts_number(job->options);
	int status;

	update_of(file)->pending = job->options->in_place; /* from here on the journal may exist */
	status = input_check_unchanged(&update_of(file)->container);
	if (status == GPUCRYPT_OK && has_image(file))
		status = input_check_unchanged(&file->detached.other);
	return status == GPUCRYPT_OK && job_in_parts(job)
	               ? part_record_store(&file->output, &part, update_of(file)->record)
	               : status;
}

static int finish_update(struct job *job, struct job_file *file)
{
	int status = job->options->in_place ? apply_journal(job, file) : GPUCRYPT_OK;

	file->output.name = file->output_name;
	return status;
}

static const char *pieces(const struct job_file *file)
{
	return file->kind->luks ? "sectors" : "groups";
}

void update_describe(const struct job_file *file, struct plan_lines *lines)
{
	const struct report *report = &file->report;

	if (report->n_groups > 0)
		plan_add(lines, "changed", "%" PRIu64 " of %" PRIu64 " %s, %" PRIu64 " bytes", report->n_written,
		        report->n_groups, pieces(file), report->written_bytes);
}

void update_report(const struct job *job, const struct job_file *file)
{
	const struct report *report = &file->report;
	uint64_t length = file->kind->luks ? LENGTH_UNKNOWN : update_of(file)->header.header.plaintext_bytes;
	char amount[16];

	amount_text(amount, (double)report->written_bytes);
	fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " %s had changed: %s written", file->output.name,
	        report->n_written, report->n_groups, pieces(file), amount);
	if (length != LENGTH_UNKNOWN && length != file->input.source.size_bytes)
		fputs("; all keys depended on the length: later updates write only groups that changed", stderr);
	else if (job->options->changed)
		fprintf(stderr, "; %" PRIu64 " were not compared: %s says that they have not changed", report->n_unread,
		        job->options->changed);
	fputc('\n', stderr);
}

int update_close(struct job *job, struct job_file *file, int status)
{
	(void)job;
	free(update_of(file)->changed.ranges);
	input_close(&update_of(file)->container);
	return status;
}

static int close_container(struct job *job, struct job_file *file, int status)
{
	if (status != GPUCRYPT_OK && status != GPUCRYPT_CORRUPT && update_of(file)->pending && !job->options->quiet &&
	        access(file->journal_name, F_OK) == 0)
		message_warning(file->output_name, "partly updated: repeat the command to complete the update");
	return update_close(job, file, status);
}

const struct job_kind enc_update_kind = { UPDATE_STEPS, .warns_of_header = true, .look = look_at_files,
	.unlock = unlock_container, .run = run_update, .check_stored = check_unchanged, .finish = finish_update,
	.close = close_container };
