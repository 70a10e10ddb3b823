/* gcrypt: runs a subcommand of the table, which is also the usage text; a status becomes the exit
 * code. */
#include <errno.h>
#include <fcntl.h>
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
#include "cli/args/nearest.h"
#include "cli/terminal/signals.h"

#define VERSION "0.2"

static void print_usage(FILE *stream)
{
	fputs("usage: gcrypt COMMAND [options] [FILE]\n\n", stream);
	for (const struct command *c = command_table; c < command_table + n_commands; c++)
		fprintf(stream, "  gcrypt %-8s %-14s %s\n", c->name, c->operands, c->summary);
	fputs("\ngcrypt COMMAND --help shows the options; gcrypt --version the version.\n", stream);
}

static const struct command *find_command(const char *name)
{
	struct nearest nearest = { 0 };

	for (const struct command *c = command_table; c < command_table + n_commands; c++) {
		if (!strcmp(c->name, name))
			return c;
		nearest_try(&nearest, name, c->name);
	}
	fail(GPUCRYPT_USAGE, "%s: unknown command%s%s (see gcrypt --help)", name, nearest.word ? ": nearest is " : "",
	        nearest.word ? nearest.word : "");
	return NULL;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	void *locked = locked_stack();
	struct options options;
	int status = options_parse(&options, command, argc, argv);

	if (status == GPUCRYPT_OK && options.help)
		options_help(stdout, command);
	else if (status == GPUCRYPT_OK) {
		if (!options.quiet)
			key_files_warn(&options);
		status = command->run(&options);
	}
	options_wipe(&options);
	locked_stack_release(locked);
	return status;
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

/* What was printed counts only when it got through. */
static int close_output(int status)
{
	bool failed = ferror(stdout) != 0;

	if ((fflush(stdout) != 0 || failed) && status == GPUCRYPT_OK)
		status = fail(GPUCRYPT_IO, "standard output: cannot write: %s", strerror(errno));
	return status;
}

static int run(int argc, char **argv)
{
	const struct command *command;
	const char *word = argc > 1 ? argv[1] : "";
	int status;

	if (argc < 2) {
		print_usage(stderr);
		return GPUCRYPT_USAGE;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
		print_usage(stdout), status = GPUCRYPT_OK;
	else if (!strcmp(word, "--version"))
		puts("gcrypt " VERSION), status = GPUCRYPT_OK;
	else if ((command = find_command(word)))
		status = run_command(command, argc - 2, argv + 2);
	else
		status = GPUCRYPT_USAGE;
	status = close_output(status);
	if (*gpucrypt_error())
		message_failure(NULL, status);
	return status;
}

int main(int argc, char **argv)
{
	int status;

	open_standard_descriptors();
	keep_memory_private();
	icd_environment();
	signals_install();
	status = run(argc, argv);
	signals_expect_exit();
	return status;
}
