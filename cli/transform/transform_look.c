/* What is read and what is written, and what of that is refused. */
#include "cli/transform/transform.h"

#include <sys/stat.h>
#include <sys/xattr.h>

#include "gpucrypt/status.h"
#include "cli/files/output_name.h"
#include "cli/transform/read_back.h"
#include "cli/transform/resume.h"

/* Decide the output's name and whether it may be written. */
static int choose_output(struct run *run, struct file *file)
{
	const struct input *input = &file->input;
	const char *operand = input->standard ? "-" : input->name;
	struct output_terms terms = { .input = &input->stat,
		.keys = &run->keys,
		.standard_input = input->standard,
		.acl = fgetxattr(input->source.fd, ACCESS_LIST, NULL, 0) > 0,
		.force = run->options->force,
		.resume = run->options->resume,
		.tree = file->plan.content != CONTENT_BYTES && !run->options->salvage,
		.ciphertext = encrypts(run) };
	int status = output_name(&file->output_name, operand, run->direction, run->options);

	if (status == GPUCRYPT_OK && terms.tree)
		output_trim_name(file->output_name);
	if (status == GPUCRYPT_OK)
		status = detached_check_output(&file->detached, run->options, file->output_name);
	if (status == GPUCRYPT_OK)
		status = output_choose(&file->output, file->output_name, &terms);
	if (status == GPUCRYPT_OK && run->options->resume)
		status = resume_check_files(input, &file->output);
	if (status == GPUCRYPT_OK && run->options->detached)
		status = detached_choose_side(
		        &file->detached, &file->output, &terms, &input->source, file->plan.sector_log2);
	if (status == GPUCRYPT_OK)
		status = tree_check(run->options, input, input->tree || file->output.kind == OUTPUT_TREE);
	if (status != GPUCRYPT_OK || !run->options->remove_source)
		return status;
	if (file->output.kind != OUTPUT_NAMED)
		return fail(GPUCRYPT_USAGE, "%s: --rm needs an output that can be read back", file->output.name);
	return remove_check(input);
}

int transform_look(struct run *run, struct file *file, const char *operand)
{
	bool trees = encrypts(run) && !run->options->parsed.raw;
	int status = trees ? input_open_any(&file->input, operand) : input_open(&file->input, operand);

	if (status == GPUCRYPT_OK)
		status = key_files_check_input(run->options, &run->keys, &file->input);
	if (status == GPUCRYPT_OK)
		status = plan_file(&file->plan, run->options, &file->input, run->direction);
	return status == GPUCRYPT_OK && file->plan.content_known ? transform_look_at_others(run, file) : status;
}

int transform_look_at_others(struct run *run, struct file *file)
{
	int status = GPUCRYPT_OK;

	if (file->looked)
		return GPUCRYPT_OK;
	file->looked = true;
	if (file->plan.sector_log2 && !encrypts(run))
		status = detached_open_image(&file->detached, run->options, &file->input);
	if (status == GPUCRYPT_OK && !run->verifies)
		status = choose_output(run, file);
	return status;
}
