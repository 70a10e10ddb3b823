#include "cli/run_command.h"

#include <sys/resource.h>

#include "cli/args/command.h"
#include "cli/files/key_files.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"

/* Half of the stack is for locked_stack(), half for libcrypto and drivers; threads get stacks of this limit too. */
#define LEAST_STACK_BYTES (2 * LOCKED_STACK_BYTES)

static int check_stack(void)
{
	struct rlimit stack;

	if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= LEAST_STACK_BYTES)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_OTHER, "the stack is limited to %llu KiB (ulimit -s): at least %zu are needed",
	        (unsigned long long)stack.rlim_cur >> 10, LEAST_STACK_BYTES >> 10);
}

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

	if (command)
		status = check_stack();
	return command && status == GPUCRYPT_OK ? parse_and_run(command, argc - 2, argv + 2) : status;
}
