/* The usage text, --help and --version. */
#include <archive.h>
#include <jansson.h>
#include <openssl/crypto.h>
#include <string.h>

#include "command/program.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/status.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif
#if defined(__x86_64__)
#define PROCESSOR "x86-64"
#elif defined(__aarch64__)
#define PROCESSOR "arm64"
#else
#define PROCESSOR "another processor"
#endif

static void print_usage(FILE *stream)
{
	const char *name = program.name;

	fprintf(stream, "usage: %s COMMAND [options] [FILE]\n\n", name);
	FOR_EACH_COMMAND(c)
	fprintf(stream, "  %s %-8s %s\n", name, c->name, c->summary);
	fprintf(stream, "\n%s help COMMAND: options and examples; %s version: the version.\n%s\n", name, name,
	        program.statuses);
}

static int fail_unknown_command(const char *word)
{
	struct nearest nearest = { 0 };

	nearest_know(&nearest, word);
	FOR_EACH_COMMAND(c)
	nearest_try(&nearest, word, c->name);
	return fail(GPUCRYPT_USAGE, "%s: unknown command%s (see %s --help)", word, nearest_hint(&nearest, ""),
	        program.name);
}

static void print_version(void)
{
	char forms[256];

	instruction_forms_text(forms, sizeof forms);
	printf("%s " VERSION "\n", program.name);
	printf("compiler: " COMPILER " for " PROCESSOR "\n");
	printf("libraries: %s, " ARCHIVE_VERSION_STRING ", jansson " JANSSON_VERSION "\n",
	        OpenSSL_version(OPENSSL_VERSION));
	printf("instruction forms on this machine: %s\n", forms);
}

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "--help=all") || !strcmp(word, "-h") || !strcmp(word, "help");
}

int command_find(const struct command **command, int argc, char **argv)
{
	static char help[] = "--help";
	const char *word;

	*command = NULL;
	if (argc < 2) {
		print_usage(stderr);
		return GPUCRYPT_USAGE;
	}
	if (argc > 2 && is_help(argv[1])) {
		char *wish = strchr(argv[1], '=') ? argv[1] : help;

		argv[1] = argv[2];
		argv[2] = wish;
	}
	word = argv[1];
	if (is_help(word))
		return print_usage(stdout), GPUCRYPT_OK;
	if (!strcmp(word, "--version") || !strcmp(word, "-V") || !strcmp(word, "version"))
		return print_version(), GPUCRYPT_OK;
	FOR_EACH_COMMAND(c)
	if (!strcmp(c->name, word)) {
		*command = c;
		return GPUCRYPT_OK;
	}
	return fail_unknown_command(word);
}

/* "  -o, --output FILE", padded, then the help text. */
static void print_row(FILE *stream, const struct option_row *row)
{
	char left[48] = "      ";
	size_t n = 6;

	if (row->letter)
		snprintf(left, sizeof left, "  -%c%s ", row->letter, row->name ? "," : " ");
	if (row->name)
		n += (size_t)snprintf(
		        left + n, sizeof left - n, "--%s%s", row->type->negation ? "[no-]" : "", row->name);
	if (row->argument)
		snprintf(left + n, sizeof left - n,
		        row->type->optional ? "[=%s]"
		        : row->name         ? " %s"
		                            : "%s",
		        row->argument);
	fprintf(stream, "%-25s  %s\n", left, row->help);
}

/* Print the options that the subcommand takes without --raw; raw: those that it takes only with --raw. */
static void print_rows(FILE *stream, const struct command *command, bool all, bool raw)
{
	const struct option_row *heading = NULL; /* printed before its first option */
	bool shown = true;

	FOR_EACH_ROW(row)
	if (!row->type->store) {
		heading = row;
		shown = all || row->type == &type_heading;
	} else if (shown && (raw ? row->raw & ~row->native : row->native) & command->bits) {
		if (heading)
			fprintf(stream, "%s%s:\n", raw ? "only with --raw, " : "", heading->help);
		heading = NULL;
		print_row(stream, row);
	}
}

static void print_command_help(FILE *stream, const struct command *command, bool all)
{
	fprintf(stream, "usage: %s %s [options]%s%s\n%s\n%s", program.name, command->name,
	        *command->operands ? " " : "", command->operands, command->summary, command->examples);
	print_rows(stream, command, all, false);
	if (all)
		print_rows(stream, command, all, true);
	fprintf(stream, "%s\n", program.statuses);
}

int command_run(const struct command *command, const struct options *options)
{
	const struct parsed *parsed = (const struct parsed *)options;

	if (parsed->help)
		return print_command_help(stdout, command, !strcmp(parsed->help, "all")), GPUCRYPT_OK;
	return (parsed->action ? parsed->action->run : command->run)(options);
}
