/* The library's part of one file. */
#include "cli/transform/transform.h"

#include "cli/transform/decrypt.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"
#include "cli/terminal/progress.h"
#include "cli/transform/raw_mode.h"
#include "cli/transform/resume.h"
#include "cli/terminal/signals.h"

/* A file, whose plaintext a crash must not leave behind. */
struct guarded_sink {
	struct fd_sink file; /* first: its sink is this one's */
	int (*write)(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset);
};

static int write_guarded(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	signals_keep();
	return ((struct guarded_sink *)self)->write(self, bytes, n_bytes, offset);
}

static int guarded_sink_open(struct guarded_sink *guarded, const struct output *output)
{
	int status = fd_sink_open(&guarded->file, output->fd, output->name);

	guarded->write = guarded->file.sink.write;
	guarded->file.sink.write = write_guarded;
	return status;
}

/* Of what is going to be run, if it was predicted. */
static const char *bottleneck(const struct file *file)
{
	const struct choice *choice = &file->plan.choice;

	return file->plan.chosen && choice->predicted ? stage_names[choice->end_to_end.bottleneck] : NULL;
}

int transform_crypt(struct run *run, struct file *file, const struct gpucrypt_secret *secret)
{
	const struct options *options = run->options;
	const struct gpucrypt_plan *plan = &file->plan.run;
	const struct gpucrypt_progress *callback;
	struct progress progress;
	struct guarded_sink guarded;
	struct fd_sink *fd_sink = &guarded.file;
	struct sink *sink = file->output_name ? &fd_sink->sink : NULL;
	int status = GPUCRYPT_OK;

	if (sink && file->output.kind != OUTPUT_TREE)
		status = guarded_sink_open(&guarded, &file->output);
	if (status == GPUCRYPT_OK && file->input.tree)
		status = tree_open(&file->tree, &file->input, &file->output, options);
	if (status != GPUCRYPT_OK)
		return status;
	if (sink && file->output.kind == OUTPUT_NAMED) {
		fd_sink_allow_any_order(fd_sink);
		fd_sink->sink.one_content = !options->salvage;
		fd_sink->sink.content = CONTENT_BYTES;
	}
	if (file->detached.side_name)
		status = detached_join_sinks(&file->detached, sink, file->plan.group_log2, &sink);
	if (status != GPUCRYPT_OK)
		return status;
	progress_begin(&progress, file->input.name, bottleneck(file), options);
	callback = progress_callback(&progress);
	if (options->parsed.raw)
		status = raw_mode_crypt(
		        &file->input.source, sink, &file->plan.suite, plan, options, secret, callback, &file->report);
	else if (options->resume)
		status = resume_crypt(&file->input.source, &file->output, sink, plan, secret, callback, &file->report);
	else if (options->salvage)
		status = salvage_crypt(
		        &file->salvage, options, source_of(file), sink, plan, secret, callback, &file->report);
	else if (encrypts(run))
		status = container_encrypt(&file->input.source, sink, plan, secret, callback, &file->report);
	else if (file->output.kind == OUTPUT_TREE)
		status = tree_extract(&file->tree, &file->input, &file->output, file->plan.content, options, plan,
		        secret, callback, &file->report);
	else
		status = decrypt_input(source_of(file), sink, options, plan, secret, callback, &file->report);
	progress_end(&progress);
	file->seconds = progress_seconds(&progress);
	/* Not after a failure, whose text it would clear. */
	if (status == GPUCRYPT_OK && file->plan.chosen && file->report.class)
		choice_ran(&file->plan.choice, run->machine,
		        file->report.class == file->plan.run.engine && !file->report.engine_note[0]);
	return status;
}
