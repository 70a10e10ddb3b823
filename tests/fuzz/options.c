/* The command line: the first byte names the command, each line that follows is an argument.  What
 * parses goes on to the checks that look at options alone. */
#include "tests/fuzz/input.h"

#include "cli/args/command.h"
#include "cli/transform/plan.h"
#include "cli/transform/raw_mode.h"
#include "cli/secrets/secret.h"

#define MAX_ARGUMENTS 32

static const char *const actions[] = { "list", NULL };

static void check(const struct options *options)
{
	struct suite suite;
	struct source source;

	succeeded(plan_check(options, ENCRYPT));
	if (!options->raw || !succeeded(raw_mode_check(options)) ||
	        !succeeded(suite_of_plan(&suite, &options->plan, ENCRYPT)))
		return;
	source_open_memory(&source, (const uint8_t *)"0123456789abcdef", 16, 48);
	succeeded(raw_mode_crypt(&source, NULL, &suite, &options->plan, options,
	        &(struct gpucrypt_secret){ .bytes = options->key_hex.bytes, .length = options->key_hex.length }, NULL,
	        NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes, n_bytes };
	unsigned number = take_byte(&input) % 16;
	const struct command command = { .name = "command",
		.bit = (enum command_bit)(1u << number),
		.actions = number == 15 ? actions : NULL,
		.max_operands = 3 };
	struct options options;
	char *text = take_text(&input), *arguments[MAX_ARGUMENTS], *next = text;
	int n = 0;

	while (next && n < MAX_ARGUMENTS)
		arguments[n++] = strsep(&next, "\n");
	if (succeeded(options_parse(&options, &command, n, arguments)))
		check(&options);
	options_wipe(&options);
	free(text);
	return 0;
}
