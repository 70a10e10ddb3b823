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

	if (status != GPUCRYPT_OK)
		return status;
	if (options->parsed.raw && options->plan.cipher == GPUCRYPT_CIPHER_AUTO)
		return fail(GPUCRYPT_USAGE, "--raw: needs a named cipher, not auto");
	if (options->parsed.raw && options->parsed.n_operands > 1)
		return fail(GPUCRYPT_USAGE, "--raw: takes one input: two under one key and IV reveal each other");
	if (options->salvage && options->json && options->output && !strcmp(options->output, "-"))
		return fail(GPUCRYPT_USAGE, "--json: not with --output -: standard output gets the plaintext");
	if (options->output && options->parsed.n_operands > 1)
		return fail(GPUCRYPT_USAGE, "-o: there are %u inputs, each makes its own output (see --output-dir)",
		        options->parsed.n_operands);
	for (unsigned i = 0; i < options->parsed.n_operands && options->parsed.n_operands > 1; i++)
		if (!strcmp(options->parsed.operands[i], "-"))
			return fail(GPUCRYPT_USAGE, "-: standard input is not one of several");
	return GPUCRYPT_OK;
}
