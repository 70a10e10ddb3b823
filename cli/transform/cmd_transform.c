/* gcrypt enc, dec and verify: one file after the other is encrypted, decrypted or authenticated. */
#include <stdlib.h>
#include <string.h>

#include "cli/args/command.h"
#include "cli/transform/decrypt.h"
#include "gpucrypt/status.h"
#include "cli/transform/in_place.h"
#include "cli/terminal/message.h"
#include "ppf/record/cache.h"
#include "cli/terminal/progress.h"
#include "cli/transform/raw_mode.h"
#include "cli/transform/read_back.h"
#include "cli/transform/resume.h"
#include "cli/transform/transform.h"

/* Encrypted for public keys alone: there is no secret. */
static bool only_recipients(const struct run *run)
{
	return run->options->opening.recipients.n > 0 && !secret_given(&run->options->opening);
}

/* What opens the container, or the first of those that are to open it. */
static const struct gpucrypt_secret *secrets(const struct run *run)
{
	return only_recipients(run) ? run->recipients.list : &run->secret.secret;
}

static int get_secret(struct run *run, const struct file *file)
{
	const struct suite *suite = &file->plan.suite;
	size_t key_bytes = run->options->parsed.raw ? (size_t)suite->mode->n_keys * suite->key_bytes : KEY_FILE_BYTES;
	int status;

	if (run->secret.bytes || only_recipients(run))
		return GPUCRYPT_OK;
	status = secret_read(
	        &run->secret, run->options, &run->options->opening, key_bytes, file->input.name, encrypts(run));
	if (status != GPUCRYPT_OK) {
		secret_wipe(&run->secret);
		run->hopeless = true;
	}
	if (run->options->opening.recipients.n > 0)
		run->secret.secret.next = run->recipients.list;
	return status;
}

static void print_done(const struct file *file)
{
	char amount[16], rate[16];
	double n_bytes = (double)file->report.plaintext_bytes;

	progress_amount(amount, n_bytes);
	progress_amount(rate, n_bytes / (file->seconds + 1e-9));
	fprintf(stderr, "done: %s in %.2f s, %s/s", amount, file->seconds, rate);
	if (file->report.busiest)
		fprintf(stderr, "; busiest stage: %s, %.0f %%", file->report.busiest, 100 * file->report.busy);
	fputc('\n', stderr);
}

static void warn(struct run *run, const struct file *file)
{
	const struct report *report = &file->report;

	if (run->options->quiet)
		return;
	if (report->engine_note[0] && !run->noted)
		message_warning(NULL, "%s", report->engine_note);
	run->noted |= report->engine_note[0] != '\0';
	if (report->header_note[0] && !run->verifies) /* there it is a failure */
		message_warning(file->input.name, "%s", report->header_note);
}

static int show_plan(const struct run *run, struct file *file)
{
	struct plan_lines lines;

	plan_describe(
	        &lines, run->options, &file->plan, file->input.name, file->output_name ? file->output.name : NULL);
	if (run->options->dry_run && run->options->json)
		return plan_print_json(&lines);
	plan_print(run->options->dry_run ? stdout : stderr, &lines);
	return GPUCRYPT_OK;
}

/* The model's choice of an engine may choose an engine that does not use some options. */
static void warn_unused(struct run *run, const struct file *file)
{
	char names[128];

	options_for_kernels(run->options, names, sizeof names);
	if (!file->plan.chosen || file->plan.run.engine != GPUCRYPT_CPU || !names[0] || run->unused_noted ||
	        run->options->quiet)
		return;
	message_warning(NULL, "%s: not used: the engine is the CPU (see --engine opencl)", names);
	run->unused_noted = true;
}

/* What the options leave open, where there is something to choose. */
static int choose_plan(struct run *run, struct file *file)
{
	int status;

	if (!file->output_name)
		return GPUCRYPT_OK;
	status = plan_choose(&file->plan, run->options, source_of(file), &file->output, &run->machine);
	if (run->machine && run->machine->note[0] && !run->options->quiet) {
		message_warning(
		        NULL, "%s%s", run->machine->note, cache_refused() ? "" : "; `gcrypt advise` replaces it");
		run->machine->note[0] = '\0';
	}
	warn_unused(run, file);
	return status;
}

/* The secret, and what a container's header says under it. */
static int unlock(struct run *run, struct file *file)
{
	int status = get_secret(run, file);

	if (status == GPUCRYPT_OK && !encrypts(run) && !run->options->parsed.raw)
		status = plan_authenticate(&file->plan, run->options, NULL, &file->input, &run->secret.secret);
	return status;
}

/* Refuse what can be refused before asking for the secret, and read the secret before an engine starts: drivers start
 * programs, which inherit the environment.  Raw mode's key is no question, and may be refused itself.  When the header
 * copies disagree, output and image are known only after the header is authenticated. */
static int prepare(struct run *run, struct file *file)
{
	const struct options *options = run->options;
	bool dry = options->dry_run;
	int status = GPUCRYPT_OK;

	if (options->parsed.raw) {
		status = get_secret(run, file);
		if (status == GPUCRYPT_OK)
			status = raw_mode_crypt(&file->input.source, NULL, &file->plan.suite, &options->plan, options,
			        &run->secret.secret, NULL, NULL);
	}
	if (status == GPUCRYPT_OK && !file->looked)
		status = unlock(run, file);
	if (status == GPUCRYPT_OK)
		status = transform_look_at_others(run, file);
	if (status == GPUCRYPT_OK && file->output_name && !dry)
		status = output_create(&file->output);
	if (status == GPUCRYPT_OK && file->detached.side_name && !dry)
		status = output_create(&file->detached.side);
	if (status == GPUCRYPT_OK && !dry)
		status = unlock(run, file);
	else if (status == GPUCRYPT_OK && secret_in_environment(&options->opening))
		status = get_secret(run, file);
	if (status == GPUCRYPT_OK && options->resume && !dry)
		status = resume_plan(&file->plan, &file->input.source, &file->output, secrets(run));
	if (status == GPUCRYPT_OK)
		status = choose_plan(run, file);
	if (status == GPUCRYPT_OK && (dry || options->verbose))
		status = show_plan(run, file);
	return status;
}

/* The output is complete: make it last, and appear; with --rm the source goes. */
static int finish(struct run *run, struct file *file)
{
	const struct source *from = &file->input.source;
	const struct source to = { .fd = file->output.fd, .name = file->output.name };
	int status = output_sync(&file->output);

	if (status == GPUCRYPT_OK && run->options->remove_source)
		status = read_back(encrypts(run) ? &to : from, encrypts(run) ? from : &to, run->options, &run->secret,
		        &file->report);
	if (status == GPUCRYPT_OK)
		status = file->detached.side_name ? detached_commit(&file->detached, &file->output)
		                                  : output_commit(&file->output);
	if (status == GPUCRYPT_OK && run->options->remove_source)
		status = remove_input(&file->input);
	return status;
}

static int transform_file(struct run *run, const char *operand)
{
	struct file file = { .input.source.fd = -1, .output = OUTPUT_NONE, .detached = DETACHED_NONE };
	int status = transform_look(run, &file, operand);

	if (status == GPUCRYPT_OK)
		status = prepare(run, &file);
	if (status != GPUCRYPT_OK || run->options->dry_run)
		goto done;
	status = transform_crypt(run, &file, secrets(run));
	warn(run, &file);
	if (status == GPUCRYPT_OK && file.output_name)
		status = finish(run, &file);
	if (status == GPUCRYPT_OK && run->options->salvage)
		status = salvage_finish(&file.salvage);
	if (status == GPUCRYPT_OK)
		status = tree_result(&file.tree);
	if (status == GPUCRYPT_OK && run->options->verbose)
		print_done(&file);
done:
	/* The library may not say which file it is about; the secret is about none. */
	if (status != GPUCRYPT_OK)
		message_failure(run->hopeless || message_names(file.output.name) ||
		                                message_names(file.detached.image_name) ||
		                                message_names(file.detached.side_name)
		                        ? NULL
		                        : file.input.name,
		        status);
	run->hopeless |= status == GPUCRYPT_OTHER || status == GPUCRYPT_DEVICE;
	output_discard(&file.output);
	salvage_drop(&file.salvage);
	detached_close(&file.detached);
	tree_close(&file.tree);
	input_close(&file.input);
	free(file.output_name);
	return status;
}

/* Failures that concern one file are printed and the next one follows; the first one's status is
 * returned. */
static int transform_files(const struct options *options, enum direction direction, bool verifies)
{
	struct run run = {
		.options = options, .direction = direction, .verifies = verifies, .keys = key_files_of(options)
	};
	int first = transform_check(options, direction);

	if (first == GPUCRYPT_OK)
		first = recipients_read(&run.recipients, &options->opening.recipients);
	if (first != GPUCRYPT_OK)
		return first;
	if (encrypts(&run) && options->plan.mode)
		plan_warn_of_mode(mode_by_id(options->plan.mode));
	for (unsigned i = 0; i < options->parsed.n_operands && !run.hopeless; i++) {
		int status = transform_file(&run, options->parsed.operands[i]);

		if (first == GPUCRYPT_OK)
			first = status;
	}
	secret_wipe(&run.secret);
	free(run.machine);
	return first;
}

int cmd_enc(const struct options *options)
{
	int status;

	if (options->in_place) {
		status = transform_check(options, ENCRYPT);
		return status == GPUCRYPT_OK ? in_place_encrypt(options) : status;
	}
	return transform_files(options, ENCRYPT, false);
}

int cmd_dec(const struct options *options)
{
	return transform_files(options, DECRYPT, false);
}

int cmd_verify(const struct options *options)
{
	return transform_files(options, DECRYPT, true);
}
