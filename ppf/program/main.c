/* ppf: performance prediction for ciphers on GPUs; the subcommand table, which is also the usage
 * text.  A status becomes the exit code. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ppf/program/command.h"
#include "gpucrypt/device/icd.h"
#include "gpucrypt/status.h"

static const struct command commands[] = {
	{ "analyze", cmd_analyze, "count what a cipher's C source does for one block" },
	{ "measure", cmd_measure, "run the micro-benchmarks: a device record" },
	{ "predict", cmd_predict, "bounds of a kernel's time from counts and a device record" },
	{ "study", cmd_study, "run the dissertation's experiments on a device" },
	{ "profiles", cmd_profiles, "analyse the built-in ciphers, for ppf/analysis/profiles.inc" },
};

#define N_COMMANDS (sizeof commands / sizeof *commands)

static void print_usage(FILE *stream)
{
	fputs("usage: ppf COMMAND [options]\n\n", stream);
	for (const struct command *c = commands; c < commands + N_COMMANDS; c++)
		fprintf(stream, "  ppf %-9s %s\n", c->name, c->summary);
	fputs("\nppf COMMAND --help shows the options.\n", stream);
}

static const struct command *find_command(const char *name)
{
	for (const struct command *c = commands; c < commands + N_COMMANDS; c++)
		if (!strcmp(c->name, name))
			return c;
	fail(GPUCRYPT_USAGE, "%s: unknown command (see ppf --help)", name);
	return NULL;
}

/* Without the control characters that names of files may have. */
static void print_failure(void)
{
	char line[2048];

	snprintf(line, sizeof line, "%s", gpucrypt_error());
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	fprintf(stderr, "ppf: %s\n", line);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	const struct command *command;
	int status = GPUCRYPT_USAGE;

	icd_environment();
	if (argc < 2) {
		print_usage(stderr);
		return status;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		print_usage(stdout), status = GPUCRYPT_OK;
	else if ((command = find_command(word)))
		status = command->run(argc - 1, argv + 1);
	if (fflush(stdout) != 0 && status == GPUCRYPT_OK)
		status = fail(GPUCRYPT_IO, "standard output: cannot write: %s", strerror(errno));
	if (status != GPUCRYPT_OK && *gpucrypt_error())
		print_failure();
	return status;
}
