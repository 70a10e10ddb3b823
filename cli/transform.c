#include "transform.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gpucrypt/container.h"
#include "gpucrypt/keys.h"
#include "gpucrypt/status.h"
#include "input.h"
#include "message.h"
#include "output.h"
#include "output_name.h"
#include "plan.h"
#include "progress.h"
#include "raw_mode.h"
#include "read_back.h"
#include "secret.h"

/* What is the same for all files of a run. */
struct run {
	const struct transform *transform;
	const struct options *options;
	struct secret secret; /* read when the first file needs it */
	bool hopeless;        /* the next file will fail as this one did */
	bool noted;           /* that another engine than wished is used */
};

/* One file on its way. */
struct file {
	struct input input;
	struct output output;
	char *output_name; /* owned; NULL: nothing is written */
	struct report report;
};

static bool encrypts(const struct run *run)
{
	return run->transform->direction == ENCRYPT;
}

static int get_secret(struct run *run, const char *name)
{
	size_t key_bytes;
	int status;

	if (run->secret.bytes)
		return GPUCRYPT_OK;
	if (run->options->raw) {
		status = raw_mode_key_bytes(&key_bytes, run->options);
		if (status == GPUCRYPT_OK)
			status = secret_read_raw(&run->secret, run->options, key_bytes);
	} else
		status = secret_read(&run->secret, run->options, name, encrypts(run));
	if (status != GPUCRYPT_OK) {
		secret_wipe(&run->secret);
		run->hopeless = true;
	}
	return status;
}

/* The work itself, from the open input into the open output. */
static int crypt_file(struct run *run, struct file *file)
{
	const struct options *options = run->options;
	const struct gpucrypt_secret *secret = &run->secret.secret;
	const struct gpucrypt_progress *callback;
	struct progress progress;
	struct fd_sink fd_sink;
	struct sink *sink = file->output_name ? &fd_sink.sink : NULL;
	int status = GPUCRYPT_OK;

	if (sink)
		status = fd_sink_open(&fd_sink, file->output.fd, file->output.name);
	if (status != GPUCRYPT_OK)
		return status;
	progress_begin(&progress, file->input.name, options);
	callback = progress_callback(&progress);
	if (options->raw)
		status = raw_mode_crypt(&file->input.source, sink, run->transform->direction,
		        options, secret, callback, &file->report);
	else if (encrypts(run))
		status = container_encrypt(
		        &file->input.source, sink, &options->plan, secret, callback, &file->report);
	else
		status = container_decrypt(
		        &file->input.source, sink, &options->plan, secret, callback, &file->report);
	progress_end(&progress);
	if (options->verbose && status == GPUCRYPT_OK) {
		char amount[16], rate[16];
		double seconds = progress_seconds(&progress);

		progress_amount(amount, (double)file->report.plaintext_bytes);
		progress_amount(rate, (double)file->report.plaintext_bytes / (seconds + 1e-9));
		fprintf(stderr, "done: %s in %.2f s, %s/s\n", amount, seconds, rate);
	}
	return status;
}

static void warn(struct run *run, const struct file *file)
{
	const struct report *report = &file->report;

	if (run->options->quiet)
		return;
	if (report->engine_note[0] && !run->noted)
		message_warning(NULL, "%s", report->engine_note);
	run->noted |= report->engine_note[0] != '\0';
	if (report->header_note[0] && !run->transform->verifies) /* there it is a failure */
		message_warning(file->input.name, "%s", report->header_note);
}

/* Decide the output's name and whether it may be written. */
static int choose_output(struct run *run, struct file *file, const char *operand)
{
	struct output_terms terms = { .input = &file->input.stat,
		.standard_input = file->input.standard,
		.force = run->options->force,
		.ciphertext = encrypts(run) };
	int status =
	        output_name(&file->output_name, operand, run->transform->direction, run->options);

	if (status == GPUCRYPT_OK)
		status = output_choose(&file->output, file->output_name, &terms);
	if (status == GPUCRYPT_OK && run->options->remove_source)
		status = remove_check(&file->input);
	if (status != GPUCRYPT_OK || !run->options->remove_source)
		return status;
	if (file->output.kind != OUTPUT_NAMED)
		return fail(GPUCRYPT_USAGE, "%s: --rm needs an output that can be read back",
		        file->output.name);
	return remove_check(&file->input);
}

static int show_plan(const struct run *run, struct file *file)
{
	struct plan_lines lines;
	int status = plan_describe(&lines, run->options, &file->input,
	        file->output_name ? file->output.name : NULL, run->transform->direction);

	if (status != GPUCRYPT_OK)
		return status;
	if (run->options->dry_run && run->options->json)
		return plan_print_json(&lines);
	plan_print(run->options->dry_run ? stdout : stderr, &lines);
	return GPUCRYPT_OK;
}

/* The output is complete: make it last, and appear; with --rm the source goes. */
static int finish(struct run *run, struct file *file)
{
	struct end from = { file->input.source.fd, file->input.name };
	struct end to = { file->output.fd, file->output.name };
	int status = output_sync(&file->output);

	if (status == GPUCRYPT_OK && run->options->remove_source)
		status = read_back(encrypts(run) ? &to : &from, encrypts(run) ? &from : &to,
		        run->options, &run->secret, &file->report);
	if (status == GPUCRYPT_OK)
		status = output_commit(&file->output);
	if (status == GPUCRYPT_OK && run->options->remove_source)
		status = remove_input(&file->input);
	return status;
}

static int transform_file(struct run *run, const char *operand)
{
	struct file file = { .input.source.fd = -1, .output = OUTPUT_NONE };
	const char *about = NULL; /* the library's messages may not say which file */
	int status = input_open(&file.input, operand);

	if (status == GPUCRYPT_OK && !run->transform->verifies)
		status = choose_output(run, &file, operand);
	if (status == GPUCRYPT_OK && (run->options->dry_run || run->options->verbose)) {
		about = file.input.name;
		status = show_plan(run, &file);
	}
	if (status != GPUCRYPT_OK || run->options->dry_run)
		goto done;
	status = get_secret(run, file.input.name);
	if (status == GPUCRYPT_OK && file.output_name)
		status = output_create(&file.output);
	if (status == GPUCRYPT_OK) {
		about = file.input.name;
		status = crypt_file(run, &file);
		warn(run, &file);
	}
	if (status == GPUCRYPT_OK && file.output_name)
		status = finish(run, &file);
done:
	if (status != GPUCRYPT_OK)
		message_failure(message_names(file.output.name) ? NULL : about, status);
	output_discard(&file.output);
	input_close(&file.input);
	free(file.output_name);
	return status;
}

/* Said before any file is opened or any question asked. */
static int check(const struct transform *transform, const struct options *options)
{
	int status = plan_check(options, transform->direction);

	if (status == GPUCRYPT_OK)
		status = secret_check(options);
	if (status == GPUCRYPT_OK && options->raw)
		status = raw_mode_check(options);
	if (status != GPUCRYPT_OK)
		return status;
	if (options->output && options->n_operands > 1)
		return fail(GPUCRYPT_USAGE, "-o: there are %u inputs, each makes its own output",
		        options->n_operands);
	if (options->json && !options->dry_run)
		return fail(GPUCRYPT_USAGE, "--json: needs --dry-run here");
	return GPUCRYPT_OK;
}

int transform_files(const struct transform *transform, const struct options *options)
{
	struct run run = { .transform = transform, .options = options };
	int first = check(transform, options);

	if (first != GPUCRYPT_OK)
		return first;
	if (transform->direction == ENCRYPT && options->plan.mode &&
	        !strcmp(options->plan.mode, "ecb") && !options->quiet)
		message_warning(NULL, "mode ecb: equal blocks of plaintext stay equal");
	for (unsigned i = 0; i < options->n_operands && !run.hopeless; i++) {
		int status = transform_file(&run, options->operands[i]);

		if (first == GPUCRYPT_OK)
			first = status;
		run.hopeless |= status == GPUCRYPT_OTHER || status == GPUCRYPT_USAGE ||
		                status == GPUCRYPT_DEVICE;
	}
	secret_wipe(&run.secret);
	return first;
}
