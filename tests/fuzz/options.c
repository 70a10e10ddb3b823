/* The command line: the first byte selects the command, and each following line is an argument. Options that parse are
 * passed to the checks that need no file. */
#include "tests/fuzz/input.h"

#include "cli/args/options.h"
#include "cli/transform/plan.h"
#include "cli/transform/job.h"
#include "cli/secrets/secret.h"

#define MAX_ARGUMENTS 32

static void check(const struct options *options)
{
	struct suite suite;
	struct source source;
	struct raw_options raw;

	succeeded(plan_check(options, ENCRYPT));
	if (!options->parsed.raw || !succeeded(suite_of_plan(&suite, &options->plan, ENCRYPT)))
		return;
	source_open_memory(&source, (const uint8_t *)"0123456789abcdef", 16, 48);
	raw = raw_mode_options(options, &(struct gpucrypt_secret){ .bytes = options->opening.key_hex.bytes,
	                                        .length = options->opening.key_hex.length });
	succeeded(raw_check(&source, &suite, &raw));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes, n_bytes };
	unsigned number = take_byte(&input);
	unsigned n_commands = 0;
	struct options options = OPTIONS_DEFAULT;
	char *text = take_text(&input), *arguments[MAX_ARGUMENTS], *next = text;
	int n = 0;

	while (next && n < MAX_ARGUMENTS)
		arguments[n++] = strsep(&next, "\n");
	FOR_EACH_COMMAND(c)
	n_commands++;
	if (succeeded(options_parse(&options, &program.commands[number % n_commands], n, arguments)))
		check(&options);
	options_wipe(&options);
	free(text);
	return 0;
}
