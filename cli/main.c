/* gcrypt: the subcommand table, which is also the usage text; a status becomes the exit code. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "command.h"
#include "gpucrypt/locked.h"
#include "gpucrypt/status.h"
#include "message.h"
#include "nearest.h"
#include "signals.h"

#define VERSION "0.1"

static const char *const key_actions[] = { "list", "add", "remove", NULL };

static const struct command commands[] = {
	{ "enc", CMD_ENC, "FILE|DIR...|-", NULL, 1, UINT_MAX, cmd_enc,
	        "encrypt FILE or a directory into FILE.gcr, or standard input" },
	{ "dec", CMD_DEC, "FILE.gcr...|-", NULL, 1, UINT_MAX, cmd_dec,
	        "decrypt FILE.gcr into FILE, or standard input to standard output" },
	{ "verify", CMD_VERIFY, "FILE.gcr...|-", NULL, 1, UINT_MAX, cmd_verify,
	        "authenticate everything in FILE.gcr, write nothing" },
	{ "info", CMD_INFO, "FILE.gcr", NULL, 1, 1, cmd_info,
	        "show the header of FILE.gcr, or the keys of its groups" },
	{ "list", CMD_LIST, "FILE.gcr|-", NULL, 1, 1, cmd_list,
	        "print the names in an encrypted directory" },
	{ "key", CMD_KEY, "ACTION FILE.gcr...", key_actions, 2, UINT_MAX, cmd_key,
	        "list, add or remove key slots of FILE.gcr" },
	{ "retag", CMD_RETAG, "IMAGE.gcr", NULL, 1, 1, cmd_retag,
	        "new tags in IMAGE.gcr for an image that was written to" },
	{ "rekey", CMD_REKEY, "FILE.gcr", NULL, 1, 1, cmd_rekey,
	        "decrypt and encrypt FILE.gcr under a new file key in one pass" },
	{ "keygen", CMD_KEYGEN, "", NULL, 0, 0, cmd_keygen, "make a key file" },
	{ "devices", CMD_DEVICES, "", NULL, 0, 0, cmd_devices,
	        "show what can be used, and why something cannot" },
	{ "advise", CMD_ADVISE, "", NULL, 0, 0, cmd_advise,
	        "predict and compare ciphers and engines on this machine" },
	{ "bench", CMD_BENCH, "", NULL, 0, 0, cmd_bench,
	        "measure ciphers on the devices and the CPU of this machine" },
	{ "selftest", CMD_SELFTEST, "", NULL, 0, 0, cmd_selftest,
	        "known answers of all ciphers on every device" },
};

#define N_COMMANDS (sizeof commands / sizeof *commands)

static void print_usage(FILE *stream)
{
	fputs("usage: gcrypt COMMAND [options] [FILE]\n\n", stream);
	for (const struct command *c = commands; c < commands + N_COMMANDS; c++)
		fprintf(stream, "  gcrypt %-8s %-14s %s\n", c->name, c->operands, c->summary);
	fputs("\ngcrypt COMMAND --help shows the options; gcrypt --version the version.\n", stream);
}

static const struct command *find_command(const char *name)
{
	struct nearest nearest = { 0 };

	for (const struct command *c = commands; c < commands + N_COMMANDS; c++) {
		if (!strcmp(c->name, name))
			return c;
		nearest_try(&nearest, name, c->name);
	}
	fail(GPUCRYPT_USAGE, "%s: unknown command%s%s (see gcrypt --help)", name,
	        nearest.word ? ": nearest is " : "", nearest.word ? nearest.word : "");
	return NULL;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct options options;
	int status = options_parse(&options, command, argc, argv);

	if (status == GPUCRYPT_OK && options.help)
		options_help(stdout, command);
	else if (status == GPUCRYPT_OK)
		status = command->run(&options);
	options_wipe(&options);
	locked_stack_wipe();
	return status;
}

/* A descriptor below 3 that is closed would be taken by the first file opened, and get messages or
 * plaintext.  It is opened the wrong way round, so that using it still fails as it should. */
static void open_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		        open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(GPUCRYPT_IO);
}

/* Keys in memory get into no core file, no process of the same user reads them, and what is on the
 * stack is not swapped. */
static void keep_memory_private(void)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	locked_stack();
}

/* What was printed counts only when it got through. */
static int close_output(int status)
{
	bool failed = ferror(stdout) != 0;

	if ((fflush(stdout) != 0 || failed) && status == GPUCRYPT_OK)
		status = fail(GPUCRYPT_IO, "standard output: cannot write: %s", strerror(errno));
	return status;
}

int main(int argc, char **argv)
{
	const struct command *command;
	const char *word = argc > 1 ? argv[1] : "";
	int status;

	open_standard_descriptors();
	keep_memory_private();
	signals_install();
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
