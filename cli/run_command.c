#include "cli/run_command.h"

#include "cli/args/command.h"
#include "cli/files/key_files.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"

static int parse_and_run(const struct command *command, int argc, char **argv)
{
	void *locked = locked_stack();
	struct options options = OPTIONS_DEFAULT;
	int status = options_parse(&options, command, argc, argv);

	if (status == GPUCRYPT_OK && !options.parsed.help && !options.quiet)
		key_files_warn(&options);
	if (status == GPUCRYPT_OK)
		status = command_run(command, &options);
	options_wipe(&options);
	locked_stack_release(locked);
	return status;
}

int run_command(int argc, char **argv)
{
	const struct command *command;
	int status = command_find(&command, argc, argv);

	return command ? parse_and_run(command, argc - 2, argv + 2) : status;
}
