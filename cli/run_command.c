#include "cli/run_command.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/args/options.h"
#include "cli/files/input.h"
#include "cli/terminal/signals.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/device/device.h"
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

/* If a descriptor below 3 is closed, the first file that is opened gets its number, and then messages or plaintext.
 * Open it as /dev/null in the wrong direction, so that a read or write still fails as on a closed descriptor. */
static void open_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(GPUCRYPT_IO);
}

/* Keep keys in memory out of core files, and from other processes of the same user. */
static void keep_memory_private(void)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
}

int program_end(int status)
{
	signals_expect_exit();
	if (devices_failed())
		_exit(status);
	return status;
}

void program_start(void)
{
	open_standard_descriptors();
	keep_memory_private();
	icd_environment();
	probe_main();
	/* exit() in a library must reach the handler of signals.c before libcrypto is torn down, which other threads
	 * still use: handlers run in reverse order, and libcrypto would register its own later. */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
	signals_install();
}
