#include "cli/transform/job.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "command/json.h"
#include "command/message.h"
#include "command/text.h"
#include "cli/files/folder.h"
#include "cli/terminal/memory.h"
#include "cli/terminal/signals.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/status.h"
#include "ppf/record/cache.h"

/* The detached header has the header of both. */
struct source *job_source(struct job_file *file)
{
	struct source *joined = &file->detached.joined.source;

	if (file->detached.other.source.fd < 0)
		return &file->input.source;
	joined->unlocked = file->input.source.unlocked;
	return joined;
}

void job_set_kind(struct job_file *file, const struct job_kind *kind)
{
	free(file->state);
	file->state = memory_or_exit(calloc(1, kind->state_bytes > 0 ? kind->state_bytes : 1));
	file->kind = kind;
}

int job_open_input(struct job *job, struct job_file *file, const char *operand, bool or_directory)
{
	return (or_directory ? input_open_any(&file->input, operand) : input_open(&file->input, operand))
	               ?: key_files_check_input(job->options, &job->keys, &file->input);
}

bool job_is_planned(const struct job *job, const struct job_file *file)
{
	return job->options->dry_run && !file->output.merges && !file->kind->plans_by_run;
}

bool job_in_parts(const struct job *job)
{
	return job->options->part.count > 0;
}

void job_name_part(struct job_file *file)
{
	file->part_name = format_or_exit("%s.part", file->output_name);
}

int job_open_part(struct source *part, const struct job_file *file)
{
	return source_open(part, file->output.fd, file->part_name);
}

struct output_terms job_output_terms(const struct job *job, const struct job_file *file)
{
	const struct options *options = job->options;
	bool ciphertext = file->kind->writes_ciphertext;

	return (struct output_terms){ .input = &file->input.stat,
		.keys = &job->keys,
		.standard_input = file->input.standard,
		.keeps_time = file->kind->keeps_time,
		.acl = fgetxattr(file->input.source.fd, ACCESS_LIST, NULL, 0) > 0,
		.force = options->force || file->replaces_input,
		.replaces_input = file->replaces_input,
		.part = options->resume || job_in_parts(job),
		.merge = options->merge,
		.tree = !ciphertext && content_is_tree(file->plan.content) && !file->kind->salvages,
		.ciphertext = ciphertext,
		.quiet = options->quiet };
}

int job_lock_input(const struct job *job, struct job_file *file)
{
	const char *name = file->input.name;

	return lock_file(file->input.source.fd, job_in_parts(job) ? LOCK_SH : LOCK_EX, AT_FDCWD, name)
	               ? GPUCRYPT_OK
	               : fail_locked(name);
}

/* A list of a folder of this size takes some milliseconds, a larger one more than the encryption of a small file. */
#define MOST_FOLDER_BYTES (1 << 18)

/* Search a folder once for successive files in it; stop searching after the first warning. */
static void look_for_leftovers(const struct job *job, const struct output *output)
{
	struct stat folder;
	char *name;

	if (job->options->quiet || output->folder_fd < 0 || fstat(output->folder_fd, &folder) != 0 ||
	        folder.st_size > MOST_FOLDER_BYTES || job->tally->leftovers_noted ||
	        atomic_exchange(&job->tally->folder, folder.st_ino) == folder.st_ino)
		return;
	name = output->merges ? memory_or_exit(strdup(output->name)) : folder_name(output->name);
	job->tally->leftovers_noted = leftovers_warn(output->folder_fd, name);
	free(name);
}

int job_create_outputs(const struct job *job, struct job_file *file)
{
	int status = GPUCRYPT_OK;

	if (file->output_name && !job->options->dry_run)
		status = output_create(&file->output);
	if (status == GPUCRYPT_OK && file->detached.side_name && !job->options->dry_run)
		status = output_create(&file->detached.side);
	if (status == GPUCRYPT_OK)
		look_for_leftovers(job, &file->output);
	return status;
}

/* The model may choose the CPU, which does not use the options of OpenCL kernels. */
static void warn_unused(struct job *job, const struct file_plan *plan)
{
	char names[128];

	options_for_kernels(job->options, names, sizeof names);
	if (!plan->chosen || plan->run.engine != GPUCRYPT_CPU || !names[0] || job->unused_noted || job->options->quiet)
		return;
	message_warning(NULL, "%s: not used: the engine is the CPU (see --engine opencl)", names);
	job->unused_noted = true;
}

int job_choose_plan(struct job *job, struct job_file *file, struct file_plan *plan)
{
	int status = plan_choose(plan, job->options, job_source(file), &file->output, &job->chooser);

	if (job->chooser.machine && job->chooser.machine->note[0] && !job->options->quiet) {
		message_warning(NULL, "%s%s", job->chooser.machine->note,
		        cache_refused() ? "" : "; `gcrypt advise` replaces it");
		job->chooser.machine->note[0] = '\0';
	}
	warn_unused(job, plan);
	return status;
}

static bool rekeys(const struct job_file *file)
{
	return file->new_plan.suite.cipher != NULL;
}

const struct file_plan *job_output_plan(const struct job_file *file)
{
	return rekeys(file) ? &file->new_plan : &file->plan;
}

static int show_plan(const struct job *job, const struct job_file *file)
{
	const struct options *options = job->options;
	const struct file_plan *plan = job_output_plan(file);
	const char *output = file->output_name ? file->output.name : file->detached.side_name ?: file->output.name;
	struct plan_lines lines = { .stream = options->dry_run ? stdout : stderr,
		.json = options->dry_run && options->json ? json_object() : NULL };

	plan_describe(&lines, options, plan, file->input.name, output);
	if (file->kind->describe)
		file->kind->describe(file, &lines);
	fflush(lines.stream);
	return lines.json ? json_print(lines.json) : GPUCRYPT_OK;
}

/* A sink that renews the crash handlers before each write: a crash must not leave plaintext in a temporary file. */
struct guarded_sink {
	struct fd_sink file; /* first member: a guarded_sink is cast to struct sink */
	int (*write)(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset);
};

static int write_guarded(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	signals_keep();
	return ((struct guarded_sink *)self)->write(self, bytes, n_bytes, offset);
}

/* Set file->sink. */
static int open_sink(const struct job *job, struct job_file *file, struct guarded_sink *guarded)
{
	struct fd_sink *fd_sink = &guarded->file;
	int status;

	if (!file->output_name || file->output.kind == OUTPUT_TREE || job->options->dry_run)
		return GPUCRYPT_OK;
	status = fd_sink_open(fd_sink, file->output.fd, file->output.name);
	if (status != GPUCRYPT_OK)
		return status;
	guarded->write = fd_sink->sink.write;
	fd_sink->sink.write = write_guarded;
	file->sink = &fd_sink->sink;
	if (file->output.kind == OUTPUT_NAMED) {
		fd_sink_allow_any_order(fd_sink);
		if (job->options->no_sparse)
			fd_sink->sink.keeps_holes = false;
		else if (!file->kind->writes_ciphertext)
			fd_sink_leave_zeros(fd_sink);
		fd_sink->sink.one_content = !file->kind->writes_ciphertext && !file->kind->salvages;
		fd_sink->sink.content = file->plan.content == CONTENT_MANIFEST ? CONTENT_MANIFEST : CONTENT_BYTES;
	}
	if (!file->detached.side_name || file->kind->luks)
		return GPUCRYPT_OK;
	return detached_join_sinks(&file->detached, file->sink, job_output_plan(file)->group_log2, &file->sink);
}

/* The input whose bytes are read: for retag, the image. */
static const struct input *input_read(const struct job_file *file)
{
	return file->kind->shows_image ? &file->detached.other : &file->input;
}

/* Record whether the chosen engine did the work.  After a failure choice_ran() would clear the failure's message. */
static void note_choice(const struct job *job, const struct job_file *file)
{
	const struct report *report = &file->report;

	if (file->kind->notes_choice && file->plan.chosen && report->class && !devices_failed())
		choice_ran(&file->plan.choice, job->chooser.machine,
		        report->class == file->plan.run.engine && !report->engine_note[0]);
}

static int run_file(struct job *job, struct job_file *file)
{
	struct guarded_sink guarded;
	struct progress *progress = &job->progress;
	int status = open_sink(job, file, &guarded);

	if (status != GPUCRYPT_OK)
		return status;
	progress_begin(progress, input_read(file)->name, &input_read(file)->source);
	file->progress = progress_callback(progress);
	status = file->kind->run(job, file);
	file->sink = NULL;
	if (status == GPUCRYPT_OK)
		note_choice(job, file);
	progress_end(progress);
	file->seconds = progress_seconds(progress);
	file->changed = file->kind->reports_change && input_changed(input_read(file));
	return status;
}

static void warn_of_report(struct job *job, const struct job_file *file)
{
	const struct report *report = &file->report;

	if (job->options->quiet)
		return;
	if (job->options->plan.engine != GPUCRYPT_CPU && loader_left_out(NULL) &&
	        !atomic_exchange(&job->tally->drivers_noted, true))
		message_left_out();
	if (report->engine_note[0] && !job->engine_noted)
		message_warning(NULL, "%s", report->engine_note);
	if (devices_left() && !job->left_noted)
		message_warning(NULL, "%s", devices_left());
	job->left_noted |= devices_left() != NULL;
	job->engine_noted |= report->engine_note[0] != '\0' || job->left_noted;
	if (report->header_note[0] && file->kind->warns_of_header)
		message_warning(file->input.name, "%s", report->header_note);
}

static void print_done(const struct job_file *file)
{
	char amount[16], rate[16];
	double n_bytes = (double)file->report.plaintext_bytes;

	amount_text(amount, n_bytes);
	amount_text(rate, n_bytes / (file->seconds + 1e-9));
	fprintf(stderr, "done: %s in %.2f s, %s/s", amount, file->seconds, rate);
	if (file->report.busiest)
		fprintf(stderr, "; bottleneck: %s, busy for %.0f %%", file->report.busiest, 100 * file->report.busy);
	fputc('\n', stderr);
}

/* Sync the complete output, check the stored bytes, give the output its name; with --rm remove the source last,
 * unless others may read the output. */
static int finish_output(struct job *job, struct job_file *file)
{
	int status = output_sync(&file->output);

	if (status == GPUCRYPT_OK && file->kind->check_stored)
		status = file->kind->check_stored(job, file);
	if (status == GPUCRYPT_OK)
		status = file->detached.side_name ? detached_commit(&file->detached, &file->output)
		                                  : output_commit(&file->output);
	if (status == GPUCRYPT_OK && file->changed)
		return fail(GPUCRYPT_IO,
		        "%s: changed while it was read: the output is kept, but may mix old and new content",
		        input_read(file)->name);
	if (status == GPUCRYPT_OK)
		status = output_result(&file->output);
	if (status == GPUCRYPT_OK && job->options->remove_source)
		status = remove_input(&file->input);
	return status;
}

static int finish_file(struct job *job, struct job_file *file)
{
	int status = file->output_name ? finish_output(job, file) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK && file->kind->finish)
		status = file->kind->finish(job, file);
	if (status == GPUCRYPT_OK && file->kind->report && !job->options->quiet)
		file->kind->report(job, file);
	if (status == GPUCRYPT_OK && job->options->verbose && file->kind->shows_rate)
		print_done(file);
	return status;
}

static int take_steps(struct job *job, struct job_file *file, const char *operand)
{
	const struct options *options = job->options;
	bool dry = options->dry_run;
	int status = job->kind->look(job, file, operand) ?: file->kind->unlock(job, file);

	if (status == GPUCRYPT_OK && file->kind->chooses)
		status = job_choose_plan(job, file, &file->plan);
	if (status == GPUCRYPT_OK && file->kind->chooses && rekeys(file))
		status = job_choose_plan(job, file, &file->new_plan);
	if (status == GPUCRYPT_OK && file->kind->has_plan && (dry ? !file->kind->plans_by_run : options->verbose))
		status = show_plan(job, file);
	if (status != GPUCRYPT_OK || job_is_planned(job, file))
		return status;
	manifest_run_end_in_order(job);
	status = run_file(job, file);
	warn_of_report(job, file);
	if (status == GPUCRYPT_OK && dry && file->kind->plans_by_run)
		status = show_plan(job, file);
	return status ?: dry ? GPUCRYPT_OK : finish_file(job, file);
}

/* Name the input, unless the message starts with a file's name or concerns the secret, which belongs to no file. */
static void print_failure(const struct job *job, const struct job_file *file, int status)
{
	bool named = job->abort_batch || message_names(file->output.name) || message_names(file->detached.other_name) ||
	             message_names(file->detached.side_name) || message_names(file->journal_name);

	message_failure(named ? NULL : file->input.name, status);
}

/* An interrupted run in place leaves a container that does not verify, and a journal that completes it. */
static void warn_of_journal(const struct job_file *file)
{
	char *journal = format_or_exit("%s.journal", file->input.name);

	if (!file->journal_name && access(journal, F_OK) == 0)
		message_warning(
		        journal, "left by an interrupted run with --in-place: repeat that command to complete it");
	free(journal);
}

static void close_file(struct job_file *file)
{
	output_discard(&file->output);
	detached_close(&file->detached);
	input_close(&file->input);
	plan_forget(&file->plan);
	free(file->output_name);
	free(file->journal_name);
	free(file->part_name);
	free(file->state);
	free(file);
}

int job_process(struct job *job, size_t operand)
{
	struct job_file *file = memory_or_exit(calloc(1, sizeof *file));
	char error[1024] = "";
	int status;

	job_set_kind(file, job->kind);
	file->input.source.fd = -1;
	file->input.name = job->operands.names[operand];
	file->output = OUTPUT_NONE;
	file->detached = DETACHED_NONE;
	status = take_steps(job, file, job->operands.names[operand]);
	job->abort_batch |= job->secret.refused;
	if (status != GPUCRYPT_OK) {
		snprintf(error, sizeof error, "%s", gpucrypt_error());
		if (manifest_run_reports(job, status))
			fail_clear();
		else
			print_failure(job, file, status);
		if (status == GPUCRYPT_CORRUPT && !job->options->quiet)
			warn_of_journal(file);
	}
	if (file->kind->close)
		status = file->kind->close(job, file, status);
	status = result_add(job, file, operand, status, error);
	job->abort_batch |= status == GPUCRYPT_OTHER || status == GPUCRYPT_DEVICE;
	close_file(file);
	return status;
}
