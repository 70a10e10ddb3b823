#include "cli/transform/transform.h"

#include <string.h>

#include "cli/transform/decrypt.h"
#include "gpucrypt/status.h"
#include "cli/transform/in_place.h"
#include "cli/transform/raw_mode.h"
#include "cli/transform/resume.h"

int transform_check(const struct options *options, enum direction direction)
{
	int status = plan_check(options, direction);

	if (status == GPUCRYPT_OK)
		status = secret_check(options);
	if (status == GPUCRYPT_OK && options->raw)
		status = raw_mode_check(options);
	if (status == GPUCRYPT_OK && options->salvage)
		status = salvage_check(options);
	if (status == GPUCRYPT_OK)
		status = decrypt_check(options);
	if (status == GPUCRYPT_OK)
		status = options->in_place ? in_place_check(options) : detached_check(options);
	if (status == GPUCRYPT_OK && options->resume)
		status = resume_check(options);
	if (status != GPUCRYPT_OK)
		return status;
	if (options->output && options->n_operands > 1)
		return fail(GPUCRYPT_USAGE, "-o: there are %u inputs, each makes its own output (see --output-dir)",
		        options->n_operands);
	if (options->output && options->output_folder)
		return fail(GPUCRYPT_USAGE, "--output-dir: not with -o");
	for (unsigned i = 0; i < options->n_operands && options->n_operands > 1; i++)
		if (!strcmp(options->operands[i], "-"))
			return fail(GPUCRYPT_USAGE, "-: standard input is not one of several");
	if (options->remove_source && options->recipients.n > 0 && !secret_given(options))
		return fail(GPUCRYPT_USAGE, "--rm: with --recipient alone nothing can be read back: add a --key-file");
	if (options->json && !options->dry_run && !options->salvage && options->progress != CHOICE_YES)
		return fail(GPUCRYPT_USAGE, "--json: needs --dry-run or --progress here");
	return GPUCRYPT_OK;
}
