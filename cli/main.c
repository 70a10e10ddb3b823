/* gcrypt: run a subcommand; its status is the exit code. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/args/command.h"
#include "gpucrypt/device/icd.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"
#include "cli/files/key_files.h"
#include "cli/terminal/message.h"
#include "cli/terminal/signals.h"

static int run_command(const struct command *command, int argc, char **argv)
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

/* exit() in a library must reach the handler of signals.c before libcrypto is torn down, which other threads still use:
 * handlers run in reverse order, and libcrypto would register its own later. */
static void keep_libcrypto_until_end(void)
{
	OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

/* A descriptor below 3 that is closed would be taken by the first file opened, and get messages or
 * plaintext.  It is opened the wrong way round, so that using it still fails as it should. */
static void open_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(GPUCRYPT_IO);
}

/* Keys in memory get into no core file, and no process of the same user reads them. */
static void keep_memory_private(void)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
}

int main(int argc, char **argv)
{
	const struct command *command;
	int status;

	open_standard_descriptors();
	keep_memory_private();
	icd_environment();
	keep_libcrypto_until_end();
	signals_install();
	status = command_find(&command, argc, argv);
	if (command)
		status = run_command(command, argc - 2, argv + 2);
	status = message_end(status);
	signals_expect_exit();
	return status;
}
