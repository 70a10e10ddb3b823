/* gcrypt enc, dec and verify: encrypt, decrypt or authenticate one file after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args/command.h"
#include "cli/files/output_name.h"
#include "cli/terminal/progress.h"
#include "cli/transform/decrypt.h"
#include "cli/transform/in_place.h"
#include "cli/transform/job.h"
#include "cli/transform/luks.h"
#include "cli/transform/raw_mode.h"
#include "cli/transform/read_back.h"
#include "cli/transform/resume.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"

static bool encrypts(const struct job *job)
{
	return job->kind->direction == ENCRYPT;
}

static enum input_kind input_kind(const struct options *options, const struct job_file *file)
{
	if (file->input.tree || file->output.kind == OUTPUT_TREE)
		return INPUT_TREE;
	if (file->detached.other.source.fd >= 0)
		return INPUT_DETACHED;
	return file->plan.content == CONTENT_BYTES_ZSTD && !options->salvage ? INPUT_COMPRESSED : INPUT_FILE;
}

/* Checks that depend on the kinds of the files. */
static int check_files(struct job *job, struct job_file *file, const struct output_terms *terms)
{
	const struct options *options = job->options;
	enum input_kind kind = input_kind(options, file);
	int status = options_check_input(options, kind, file->input.name);

	if (status != GPUCRYPT_OK)
		return status;
	if (options->resume || job_in_parts(job))
		status = resume_check_files(&file->input, &file->output);
	if (status == GPUCRYPT_OK && options->detached)
		status = detached_choose_side(
		        &file->detached, &file->output, terms, &file->input.source, file->plan.sector_log2);
	if (status == GPUCRYPT_OK && (kind == INPUT_TREE || kind == INPUT_COMPRESSED || options->zstd_level != 0))
		status = libarchive_load(file->input.name);
	if (status != GPUCRYPT_OK || !options->remove_source)
		return status;
	if (file->output.kind != OUTPUT_NAMED)
		return fail(GPUCRYPT_USAGE, "%s: --rm needs an output that can be read back", file->output.name);
	return remove_check(&file->input);
}

/* Choose the output's name, and check that the output may be written. */
static int choose_output(struct job *job, struct job_file *file)
{
	const char *operand = file->input.standard ? "-" : file->input.name;
	struct output_terms terms = job_output_terms(job, file);
	int status = output_name(&file->output_name, operand, job->kind->direction, job->options);

	terms.force |= manifest_run_replaces(job, file);
	if (status == GPUCRYPT_OK && terms.tree)
		output_trim_name(file->output_name);
	if (status == GPUCRYPT_OK)
		status = detached_check_output(&file->detached, job->options, file->output_name);
	if (status == GPUCRYPT_OK && (terms.resume || terms.part) && !job->options->dry_run)
		status = parts_end_naming(file->output_name, &terms, job->options->part.count);
	if (status == GPUCRYPT_OK)
		status = output_choose(&file->output, file->output_name, &terms);
	return status == GPUCRYPT_OK ? check_files(job, file, &terms) : status;
}

/* Once the content is known, examine the output and the image of a detached container; change nothing. */
static int look_at_others(struct job *job, struct job_file *file, bool writes)
{
	int status = GPUCRYPT_OK;

	if (file->looked)
		return GPUCRYPT_OK;
	file->looked = true;
	if (file->plan.sector_log2 && !encrypts(job))
		status = detached_open_image(&file->detached, job->options, &file->input);
	return status == GPUCRYPT_OK && writes ? choose_output(job, file) : status;
}

/* Every output gets a time: without it there is none. */
static bool writes(const struct job *job)
{
	return job->kind->keeps_time;
}

/* Before it is opened: that of a FIFO without a writer does not return. */
static int check_regular(const char *name)
{
	struct stat there;

	return strcmp(name, "-") != 0 && (stat(name, &there) != 0 || S_ISREG(there.st_mode))
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE, "%s: --manifest takes regular files", name);
}

static int look_at_files(struct job *job, struct job_file *file, const char *operand)
{
	int status = job->options->manifest.n > 0 ? check_regular(operand) : GPUCRYPT_OK;
	bool volume = false;

	if (status == GPUCRYPT_OK)
		status = job_open_input(job, file, operand, encrypts(job) && !job->options->parsed.raw);
	if (status == GPUCRYPT_OK && job->kind->of_volumes)
		status = luks_is_input(&volume, job->options, &file->input);
	if (status == GPUCRYPT_OK && volume) {
		file->kind = job->kind->of_volumes;
		return file->kind->look(job, file, operand);
	}
	if (status == GPUCRYPT_OK)
		status = plan_file(&file->plan, job->options, &file->input, job->kind->direction);
	return status == GPUCRYPT_OK && file->plan.content_known ? look_at_others(job, file, writes(job)) : status;
}

/* Get the secret, and complete the plan from the authenticated header. */
static int unlock_header(struct job *job, struct job_file *file)
{
	int status = job_get_secret(job, file, encrypts(job));

	if (status == GPUCRYPT_OK && !encrypts(job) && !job->options->parsed.raw)
		status = plan_authenticate(&file->plan, job->options, NULL, &file->input, &job->secret.secret);
	return status;
}

/* Check raw mode's key before the output is created: --raw never prompts, and a mode may refuse the key. */
static int check_raw(struct job *job, struct job_file *file)
{
	int status = job_get_secret(job, file, encrypts(job));

	return status == GPUCRYPT_OK ? raw_mode_crypt(&file->input.source, NULL, &file->plan.suite, &job->options->plan,
	                                       job->options, &job->secret.secret, NULL, NULL)
	                             : status;
}

static int prepare_part(struct job *job, struct job_file *file)
{
	const struct parts_start start = { &file->input.source, &file->plan.run, job_secrets(job),
		parts_wanted(job->options) };

	return encrypts(job) ? parts_prepare(&start, &file->output, job->options) : decrypt_parts_prepare(job, file);
}

/* Read the secret before an engine starts: drivers start programs, which inherit the environment.  If the header copies
 * disagree, authenticate the header before output and image are examined. */
static int unlock_file(struct job *job, struct job_file *file)
{
	const struct options *options = job->options;
	bool dry = options->dry_run;
	int status = options->parsed.raw ? check_raw(job, file) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK && !file->looked)
		status = unlock_header(job, file);
	if (status == GPUCRYPT_OK)
		status = look_at_others(job, file, writes(job));
	if (status == GPUCRYPT_OK)
		status = job_create_outputs(job, file);
	if (status == GPUCRYPT_OK && !dry)
		status = unlock_header(job, file);
	else if (status == GPUCRYPT_OK && secret_in_environment(&options->opening))
		status = job_get_secret(job, file, encrypts(job));
	if (status == GPUCRYPT_OK && options->resume && !dry)
		status = resume_plan(&file->plan, &file->input.source, &file->output, job_secrets(job));
	if (status == GPUCRYPT_OK && job_in_parts(job) && writes(job) && !dry)
		status = prepare_part(job, file);
	return status;
}

/* Record whether the chosen engine did the work.  After a failure choice_ran() would clear the failure's message. */
static int end_run(const struct job *job, struct job_file *file, int status)
{
	const struct report *report = &file->report;

	if (status == GPUCRYPT_OK && file->plan.chosen && report->class && !devices_failed())
		choice_ran(&file->plan.choice, job->chooser.machine,
		        report->class == file->plan.run.engine && !report->engine_note[0]);
	return status;
}

static int run_encryption(
        struct job *job, struct job_file *file, struct sink *sink, const struct gpucrypt_progress *progress)
{
	const struct options *options = job->options;
	const struct gpucrypt_plan *plan = &file->plan.run;
	struct source *source = &file->input.source;
	int status;

	if (options->parsed.raw)
		status = raw_mode_crypt(
		        source, sink, &file->plan.suite, plan, options, job_secrets(job), progress, &file->report);
	else if (job_in_parts(job))
		status = parts_crypt(job, file, sink, progress);
	else if (options->resume)
		status = resume_crypt(source, &file->output, sink, plan, job_secrets(job), progress, &file->report);
	else
		status = container_encrypt(source, sink, plan, job_secrets(job), progress, &file->report);
	return end_run(job, file, status);
}

static int run_decryption(
        struct job *job, struct job_file *file, struct sink *sink, const struct gpucrypt_progress *progress)
{
	const struct options *options = job->options;
	const struct gpucrypt_plan *plan = &file->plan.run;
	const struct gpucrypt_secret *secret = job_secrets(job);
	struct source *source = job_source(file);
	int status;

	if (options->parsed.raw)
		status =
		        raw_mode_crypt(source, sink, &file->plan.suite, plan, options, secret, progress, &file->report);
	else if (file->parts != NULL)
		status = decrypt_parts_run(file, sink, progress);
	else if (options->salvage)
		status = salvage_crypt(&file->salvage, options, source, sink, plan, secret, progress, &file->report);
	else if (file->output.kind == OUTPUT_TREE)
		status = tree_extract(&file->tree, &file->input, &file->output, file->plan.content, options, plan,
		        secret, progress, &file->report);
	else
		status =
		        decrypt_input(source, file->plan.content, sink, options, plan, secret, progress, &file->report);
	return end_run(job, file, status);
}

static int compare_stored(struct job *job, struct job_file *file)
{
	const struct source *from = &file->input.source;
	const struct source to = { .fd = file->output.fd, .name = file->output.name };

	if (job_in_parts(job))
		return encrypts(job) ? parts_store_record(file) : decrypt_parts_finish(file);
	if (!job->options->remove_source || file->changed)
		return GPUCRYPT_OK;
	return encrypts(job) ? read_back(&to, from, from->content, job->options, &job->secret, &file->report)
	                     : read_back(from, &to, file->plan.content, job->options, &job->secret, &file->report);
}

static void report_kept(const struct job *job, const struct job_file *file)
{
	const struct report *report = &file->report;
	const struct shard *part = &job->options->part;
	char kept[16], all[16];

	if ((!job->options->resume && !job_in_parts(job)) || report->kept_bytes == 0)
		return;
	progress_amount(kept, (double)report->kept_bytes);
	progress_amount(all, (double)report->plaintext_bytes);
	if (part->count > 1)
		fprintf(stderr, "%s: part %u of %u: ", file->output.name, part->index, part->count);
	else
		fprintf(stderr, "%s: ", file->input.name);
	fprintf(stderr, "%s of %s had been done by an earlier run\n", kept, all);
}

const struct job_kind enc_kind = { .direction = ENCRYPT,
	.reports_change = true,
	.writes_ciphertext = true,
	.keeps_time = true,
	.has_plan = true,
	.chooses = true,
	.shows_rate = true,
	.warns_of_header = true,
	.look = look_at_files,
	.unlock = unlock_file,
	.run = run_encryption,
	.check_stored = compare_stored,
	.report = report_kept };
const struct job_kind dec_kind = { .direction = DECRYPT,
	.of_volumes = &dec_luks_kind,
	.keeps_time = true,
	.has_plan = true,
	.chooses = true,
	.shows_rate = true,
	.warns_of_header = true,
	.look = look_at_files,
	.unlock = unlock_file,
	.run = run_decryption,
	.check_stored = compare_stored,
	.report = decrypt_parts_report,
	.close = decrypt_parts_end };
const struct job_kind verify_kind = { .direction = DECRYPT,
	.of_volumes = &verify_luks_kind,
	.has_plan = true,
	.shows_rate = true,
	.look = look_at_files,
	.unlock = unlock_file,
	.run = run_decryption,
	.report = result_print_verified };
static const struct job_kind verify_manifest_kind = { .direction = DECRYPT,
	.has_plan = true,
	.shows_rate = true,
	.look = look_at_files,
	.unlock = unlock_file,
	.run = run_decryption };

int job_check_options(const struct options *options, enum direction direction)
{
	int status = plan_check(options, direction);

	if (status == GPUCRYPT_OK && options->luks2)
		status = luks_check(options);
	return status == GPUCRYPT_OK && options->luks2 ? luks_load("--luks2") : status;
}

int cmd_enc(const struct options *options)
{
	int status = job_check_options(options, ENCRYPT);

	if (status != GPUCRYPT_OK)
		return status;
	if (options->plan.mode)
		plan_warn_of_mode(mode_by_id(options->plan.mode));
	return job_run(options->luks2 ? &enc_luks_kind : options->in_place ? &enc_in_place_kind : &enc_kind, options);
}

int cmd_dec(const struct options *options)
{
	int status = job_check_options(options, DECRYPT);

	return status == GPUCRYPT_OK ? job_run(options->in_place ? &dec_in_place_kind : &dec_kind, options) : status;
}

int cmd_verify(const struct options *options)
{
	int status = job_check_options(options, DECRYPT);

	if (status == GPUCRYPT_OK && options->manifest.n > 0 && options->parsed.n_operands > 0)
		return fail(GPUCRYPT_USAGE, "--manifest: not with the operand %s", options->parsed.operands[0]);
	return status == GPUCRYPT_OK ? job_run(options->manifest.n > 0 ? &verify_manifest_kind : &verify_kind, options)
	                             : status;
}
