/* gcrypt enc, dec and verify: encrypt, decrypt or authenticate one file after the other. */
#include <string.h>

#include "cli/args/options.h"
#include "cli/files/output.h"
#include "cli/transform/job.h"
#include "cli/transform/luks.h"
#include "cli/tree/bundle.h"
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
