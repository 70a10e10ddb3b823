/* The usage text, --help and --version. */
#include <archive.h>
#include <jansson.h>
#include <openssl/crypto.h>
#include <string.h>

#include "command/nearest.h"
#include "command/option_table.h"
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
	fprintf(stream, "usage: %s COMMAND [options] [FILE]\n\n", program.name);
	FOR_EACH_COMMAND(c)
	fprintf(stream, "  %s %-8s %-14s %s\n", program.name, c->name, c->operands, c->summary);
	fprintf(stream, "\n%s COMMAND --help shows the options; %s --version the version.\n", program.name,
	        program.name);
}

static int fail_unknown_command(const char *word)
{
	struct nearest nearest = { 0 };

	for (const struct synonym *s = program.synonyms; s->word; s++)
		if (!strcmp(s->word, word))
			return fail(GPUCRYPT_USAGE, "%s: unknown command: use %s %s (see %s --help)", word,
			        program.name, s->command, program.name);
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

int command_find(const struct command **command, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	*command = NULL;
	if (argc < 2) {
		print_usage(stderr);
		return GPUCRYPT_USAGE;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
		return print_usage(stdout), GPUCRYPT_OK;
	if (!strcmp(word, "--version"))
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
	const struct option_type *type = row->type;
	char letter[8] = "", left[48];

	if (row->letter)
		snprintf(letter, sizeof letter, "-%c%s", row->letter, row->name ? "," : "");
	snprintf(left, sizeof left, "  %-3s %s%s%s%s%s%s", letter, row->name ? "--" : "", type->negation ? "[no-]" : "",
	        row->name ? row->name : "",
	        !type->argument  ? ""
	        : type->optional ? "[="
	        : row->name      ? " "
	                         : "",
	        type->argument ? row->argument : "", type->optional ? "]" : "");
	fprintf(stream, "%-26s %s\n", left, row->help);
}

/* The options that the subcommand takes without --raw; raw: only with it. */
static void print_rows(FILE *stream, const struct command *command, bool all, bool raw)
{
	const struct option_row *heading = NULL; /* not printed yet */
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
	fprintf(stream, "usage: %s %s [options] %s\n%s\n", program.name, command->name, command->operands,
	        command->summary);
	print_rows(stream, command, all, false);
	if (all)
		print_rows(stream, command, all, true);
}

int command_run(const struct command *command, const struct options *options)
{
	const struct parsed *parsed = (const struct parsed *)options;

	if (parsed->help)
		return print_command_help(stdout, command, !strcmp(parsed->help, "all")), GPUCRYPT_OK;
	return (parsed->action ? parsed->action->run : command->run)(options);
}
