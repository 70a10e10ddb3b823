/* gcrypt enc, dec and verify: encrypt, decrypt or authenticate one file after the other. */
#include <string.h>

#include "cli/args/options.h"
#include "cli/files/output.h"
#include "cli/transform/job.h"
#include "cli/tree/bundle.h"
#include "gpucrypt/container/raw.h"
#include "gpucrypt/status.h"

static unsigned input_kinds(const struct job_file *file)
{
	bool compressed = file->plan.content == CONTENT_BYTES_ZSTD && !file->kind->salvages;

	return (file->input.tree || file->output.kind == OUTPUT_TREE ? INPUT_TREE : INPUT_NO_TREE) |
	       (file->detached.other.source.fd >= 0 ? INPUT_DETACHED : 0) | (compressed ? INPUT_COMPRESSED : 0);
}

/* Checks that depend on the kinds of the files. */
static int check_files(struct job *job, struct job_file *file)
{
	const struct options *options = job->options;
	unsigned kinds = input_kinds(file);
	int status = options_check_input(options, kinds, file->input.name);

	if (status == GPUCRYPT_OK && (kinds & (INPUT_TREE | INPUT_COMPRESSED) || options->zstd_level != 0))
		status = libarchive_load(file->input.name);
	if (status != GPUCRYPT_OK || !options->remove_source)
		return status;
	if (file->output.kind != OUTPUT_NAMED)
		return fail(GPUCRYPT_USAGE, "%s: --rm needs an output that can be read back", file->output.name);
	return remove_check(&file->input);
}

int job_choose_output(struct job *job, struct job_file *file)
{
	const struct job_kind *kind = file->kind;
	const char *operand = file->input.standard ? "-" : file->input.name;
	struct output_terms terms = job_output_terms(job, file);
	int status = output_name(&file->output_name, operand, kind->direction, job->options);

	terms.force |= manifest_run_replaces(job, file);
	if (status == GPUCRYPT_OK && terms.tree)
		output_trim_name(file->output_name);
	if (status == GPUCRYPT_OK)
		status = detached_check_output(&file->detached, job->options, file->output_name);
	if (status == GPUCRYPT_OK)
		status = kind->choose_output ? kind->choose_output(job, file, &terms)
		                             : output_choose(&file->output, file->output_name, &terms);
	if (status == GPUCRYPT_OK && file->output.kind == OUTPUT_TREE && kind->of_trees)
		job_set_kind(file, kind->of_trees);
	return status ?: check_files(job, file);
}

/* Once the content is known, examine the output and the image of a detached container; change nothing. */
static int look_at_others(struct job *job, struct job_file *file)
{
	int status = GPUCRYPT_OK;

	if (file->looked)
		return GPUCRYPT_OK;
	file->looked = true;
	if (file->plan.sector_log2 && !job_encrypts(job))
		status = detached_open_image(&file->detached, job->options, &file->input);
	/* Every output gets a time: without it there is none. */
	return status == GPUCRYPT_OK && file->kind->keeps_time ? job_choose_output(job, file) : status;
}

/* Before it is opened: that of a FIFO without a writer does not return. */
static int check_regular(const char *name)
{
	struct stat there;

	return strcmp(name, "-") != 0 && (stat(name, &there) != 0 || S_ISREG(there.st_mode))
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE, "%s: --manifest takes regular files", name);
}

int job_examine_input(struct job *job, struct job_file *file, const char *operand)
{
	bool volume = false;
	int status = job->kind->of_volumes ? luks_is_input(&volume, job->options, &file->input) : GPUCRYPT_OK;

	if (volume) {
		job_set_kind(file, job->kind->of_volumes);
		return file->kind->look(job, file, operand);
	}
	return status ?: plan_file(&file->plan, job->options, &file->input, job->kind->direction);
}

int job_look_at_files(struct job *job, struct job_file *file, const char *operand)
{
	int status = job->options->manifest.n > 0 ? check_regular(operand) : GPUCRYPT_OK;

	status = status ?: job_open_input(job, file, operand, job->kind->takes_trees)
	                 ?: job_examine_input(job, file, operand);
	return status == GPUCRYPT_OK && file->plan.content_known ? look_at_others(job, file) : status;
}

int job_authenticate(struct job *job, struct job_file *file)
{
	return plan_authenticate(&file->plan, job->options, NULL, &file->input, &job->secret.secret);
}

static int unlock_header(struct job *job, struct job_file *file)
{
	int status = job_get_secret(job, file, job_encrypts(job));

	return status == GPUCRYPT_OK && file->kind->authenticate ? file->kind->authenticate(job, file) : status;
}

/* Read the secret before an engine starts: drivers start programs, which inherit the environment.  If the header copies
 * disagree, authenticate the header before output and image are examined. */
int job_unlock_file(struct job *job, struct job_file *file)
{
	bool dry;
	int status = (file->looked ? GPUCRYPT_OK : unlock_header(job, file))
	                     ?: look_at_others(job, file)
	                     ?: job_create_outputs(job, file);

	dry = job_is_planned(job, file);
	if (status == GPUCRYPT_OK && !dry)
		status = unlock_header(job, file);
	else if (status == GPUCRYPT_OK && secret_in_environment(&job->options->opening))
		status = job_get_secret(job, file, job_encrypts(job));
	return status == GPUCRYPT_OK && !dry && file->kind->prepare ? file->kind->prepare(job, file) : status;
}

/* dec and verify of a whole container, of a byte range, or of one part. */

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
	const struct part_number part = parts_number(job->options);

	return container_verify_part(
	        job_source(file), &part, &file->plan.run, job_secrets(job), file->progress, &file->report);
}

const struct job_kind dec_kind = { DEC_CONTAINER_STEPS, .of_trees = &dec_tree_kind, .run = decrypt_whole,
	.check_stored = job_read_back };
const struct job_kind dec_range_kind = { DEC_CONTAINER_STEPS, .run = decrypt_range };
const struct job_kind verify_kind = { VERIFY_STEPS, .of_volumes = &verify_luks_kind, .run = decrypt_whole,
	.report = result_print_verified };
const struct job_kind verify_part_kind = { VERIFY_STEPS, .of_volumes = &verify_luks_kind, .run = verify_part,
	.report = result_print_verified };
const struct job_kind verify_manifest_kind = { VERIFY_STEPS, .run = decrypt_whole };

/* enc and dec --raw. */

struct raw_options raw_mode_options(const struct options *options, const struct gpucrypt_secret *key)
{
	struct raw_options raw = options->raw_options;

	raw.key = key->bytes;
	raw.key_length = key->length;
	raw.have_iv = options->iv_hex.length > 0;
	raw.have_iv_start = option_given(options, "iv-start");
	memcpy(raw.iv, options->iv_hex.bytes, sizeof raw.iv);
	return raw;
}

int job_raw_crypt(struct job_file *file, struct sink *sink, const struct raw_options *raw)
{
	const struct file_plan *plan = job_output_plan(file);

	return raw_crypt(&file->input.source, sink, &plan->suite, &plan->run, raw, file->progress, &file->report);
}

static int run_raw(struct job *job, struct job_file *file)
{
	const struct raw_options raw = raw_mode_options(job->options, job_secrets(job));

	return file->sink ? job_raw_crypt(file, file->sink, &raw)
	                  : raw_check(&file->input.source, &file->plan.suite, &raw);
}

/* Check the key before the output is created: --raw never prompts, and a mode may refuse the key. */
static int unlock_raw(struct job *job, struct job_file *file)
{
	return job_get_secret(job, file, job_encrypts(job))
	               ?: run_raw(job, file) /* without a sink: only checks */
	               ?: job_create_outputs(job, file);
}

#define RAW_STEPS                                                                                        \
	.keeps_time = true, .has_plan = true, .chooses = true, .shows_rate = true, .notes_choice = true, \
	.reports_change = true, .look = job_look_at_files, .unlock = unlock_raw, .run = run_raw

const struct job_kind enc_raw_kind = { RAW_STEPS, .direction = ENCRYPT, .writes_ciphertext = true };
const struct job_kind dec_raw_kind = { RAW_STEPS, .direction = DECRYPT };

/* The commands. */

int job_check_options(const struct options *options, enum direction direction)
{
	int status = plan_check(options, direction);

	return status ?: options->luks2 ? luks_check(options) ?: luks_load("--luks2") : GPUCRYPT_OK;
}

int cmd_enc(const struct options *options)
{
	int status = job_check_options(options, ENCRYPT);

	if (status == GPUCRYPT_OK && options->plan.mode)
		plan_warn_of_mode(mode_by_id(options->plan.mode));
	return status
	               ?: job_run(options->luks2        ? &enc_luks_kind
	                          : options->update     ? &enc_update_kind
	                          : options->in_place   ? &enc_in_place_kind
	                          : options->parsed.raw ? &enc_raw_kind
	                          : options->part.count ? &enc_part_kind
	                          : options->resume     ? &enc_resume_kind
	                          : options->detached   ? &enc_detached_kind
	                                                : &enc_kind,
	                          options);
}

int cmd_dec(const struct options *options)
{
	bool range = option_given(options, "offset") || option_given(options, "length");

	return job_check_options(options, DECRYPT)
	               ?: job_run(options->in_place     ? &dec_in_place_kind
	                          : options->parsed.raw ? &dec_raw_kind
	                          : options->part.count ? &dec_part_kind
	                          : options->salvage    ? &dec_salvage_kind
	                          : range               ? &dec_range_kind
	                                                : &dec_kind,
	                          options);
}

int cmd_verify(const struct options *options)
{
	int status = job_check_options(options, DECRYPT);

	if (status == GPUCRYPT_OK && options->manifest.n > 0 && options->parsed.n_operands > 0)
		return fail(GPUCRYPT_USAGE, "--manifest: not with the operand %s", options->parsed.operands[0]);
	return status
	               ?: job_run(options->manifest.n > 0 ? &verify_manifest_kind
	                          : options->part.count   ? &verify_part_kind
	                                                  : &verify_kind,
	                          options);
}
