/* Parsing of the command line, driven by the tables of the program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command/program.h"
#include "gpucrypt/status.h"

struct parser {
	struct parsed *parsed; /* first member of struct options */
	const struct command *command;
	int argc, next; /* argv[next] is the next word */
	char **argv;
};

/* Find an option that one of the subcommands in `bits` takes: by its letter, or if letter is 0 by its name. */
static const struct option_row *find_row(char letter, const char *name, size_t length, unsigned bits)
{
	FOR_EACH_ROW(row)
	if (option_row_bits(row) & bits &&
	        (letter ? row->letter == letter
	                : name && row->name && strlen(row->name) == length && !memcmp(row->name, name, length)))
		return row;
	return NULL;
}

/* option: "--NAME" or "-x"; elsewhere: the option's row for other subcommands; NULL: no subcommand has the option. */
static int fail_unknown(const struct command *command, const char *option, const struct option_row *elsewhere)
{
	struct nearest nearest = { 0 };

	if (!nearest_know(&nearest, option) && elsewhere)
		return fail(GPUCRYPT_USAGE, "%s: not an option of %s %s", option, program.name, command->name);
	FOR_EACH_ROW(row)
	if (option_row_bits(row) & command->bits && row->name && !row->type->destroys)
		nearest_try(&nearest, option + 2, row->name);
	return fail(GPUCRYPT_USAGE, "%s: unknown option%s (see %s %s --help)", option, nearest_hint(&nearest, "--"),
	        program.name, command->name);
}

static int store_value(struct parser *parser, const struct option_row *row, char *text)
{
	bool *given = &parser->parsed->given[row - program.rows];

	if ((row->type->once || row->type->secret || (row->argument && program.once)) && !row->type->repeated && *given)
		return fail(GPUCRYPT_USAGE, "--%s: given twice", row->name);
	*given = text || row->type->optional;
	return row->type->store(row, (char *)parser->parsed + row->offset, text);
}

/* The value of an option is attached, else the next word. */
static int store_with_argument(struct parser *parser, const struct option_row *row, char *attached)
{
	if (!attached && !row->type->optional) {
		if (parser->next == parser->argc)
			return fail(GPUCRYPT_USAGE, "%s%s%.1s: needs a value: %s", row->name ? "--" : "-",
			        row->name ? row->name : "", row->name ? "" : &row->letter, row->argument);
		attached = parser->argv[parser->next++];
	}
	return store_value(parser, row, attached);
}

/* --NAME, --NAME=VALUE, --NAME VALUE, --no-NAME */
static int parse_long(struct parser *parser, char *word)
{
	size_t length = strcspn(word, "=");
	char *value = word[length] ? word + length + 1 : NULL;
	const struct option_row *row = find_row(0, word, length, parser->command->bits);
	char option[64];
	bool yes = true;

	if (!row && length > 3 && !memcmp(word, "no-", 3)) {
		row = find_row(0, word + 3, length - 3, parser->command->bits);
		if (row && !row->type->negation)
			row = NULL;
		yes = false;
	}
	if (!row) {
		snprintf(option, sizeof option, "--%.*s", (int)length, word);
		return fail_unknown(parser->command, option, find_row(0, word, length, ~0u));
	}
	if (row->argument)
		return store_with_argument(parser, row, value);
	if (value)
		return fail(GPUCRYPT_USAGE, "--%s: takes no value", row->name);
	return store_value(parser, row, yes ? word : NULL);
}

/* -a, -abc, -oVALUE, -o VALUE */
static int parse_short(struct parser *parser, char *letters)
{
	int status = GPUCRYPT_OK;

	while (*letters && status == GPUCRYPT_OK) {
		const char option[] = { '-', *letters, '\0' };
		const struct option_row *row = find_row(*letters, NULL, 0, parser->command->bits);

		if (!row)
			return fail_unknown(parser->command, option, find_row(*letters, NULL, 0, ~0u));
		letters++;
		if (row->argument)
			return store_with_argument(parser, row, *letters ? letters : NULL);
		status = store_value(parser, row, letters);
	}
	return status;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0' && strcmp(word, "--") != 0;
}

/* Reject an option that is also the name of a file here: the shell may have expanded `*.gcr` to a file named
 * --new-recipient=m.gcr. */
static int refuse_file_name(const char *word)
{
	struct stat there;

	/* A folder that can be listed but not searched gives its names to a pattern, and no file. */
	if (lstat(word, &there) == 0 || (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG))
		return fail(GPUCRYPT_USAGE,
		        "%s: refused: this option is also the name of a file in the working directory: "
		        "write ./%s for the file, or rename the file to use the option",
		        word, word);
	return GPUCRYPT_OK;
}

static int parse_option(struct parser *parser, char *word)
{
	int status = refuse_file_name(word);

	if (status != GPUCRYPT_OK)
		return status;
	return word[1] == '-' ? parse_long(parser, word + 2) : parse_short(parser, word + 1);
}

/* An unknown action is reported before an option that it may have. */
static int parse_action(struct parser *parser, const char *word)
{
	struct nearest nearest = { 0 };

	for (const struct action *action = parser->command->actions; action->name; action++) {
		if (!strcmp(action->name, word)) {
			parser->parsed->action = action;
			return GPUCRYPT_OK;
		}
		nearest_try(&nearest, word, action->name);
	}
	return fail(GPUCRYPT_USAGE, "%s: unknown action '%s'%s (choose from: %s)", parser->command->name, word,
	        nearest_hint(&nearest, ""), nearest.list);
}

static int parse_operand(struct parser *parser, char *word)
{
	int status = GPUCRYPT_OK;

	if (parser->command->actions && parser->parsed->n_operands == 0)
		status = parse_action(parser, word);
	parser->argv[parser->parsed->n_operands++] = word;
	return status;
}

static int check_operands(const struct parser *parser)
{
	const struct command *command = parser->command;
	const struct parsed *parsed = parser->parsed;
	unsigned max = parsed->action ? parsed->action->max_operands : command->max_operands;

	if (parsed->n_operands < command->min_operands)
		return fail(GPUCRYPT_USAGE, "%s: operand missing: %s", command->name, command->operands);
	if (parsed->n_operands > max)
		return fail(GPUCRYPT_USAGE, "%s: too many operands: %s", command->name, parsed->operands[max]);
	if (parsed->n_members > 0 && parsed->n_operands > 1)
		return fail(GPUCRYPT_USAGE, "%s: a PATH after -- needs one operand before it, not %u", command->name,
		        parsed->n_operands);
	return GPUCRYPT_OK;
}

int options_parse(struct options *options, const struct command *command, int argc, char **argv)
{
	struct parsed *parsed = (struct parsed *)options;
	struct parser parser = { parsed, command, argc, 0, argv };
	bool operands_only = false;
	int status = GPUCRYPT_OK;

	*parsed = (struct parsed){ .command = command, .operands = argv };
	while (parser.next < argc && status == GPUCRYPT_OK && !parsed->help) {
		char *word = argv[parser.next++];

		if (!operands_only && is_option(word))
			status = parse_option(&parser, word);
		else if (operands_only || strcmp(word, "--") != 0)
			status = parse_operand(&parser, word);
		else if (command->bits & program.members && parsed->n_operands > 0) {
			parsed->members = argv + parser.next;
			parsed->n_members = (unsigned)(argc - parser.next);
			parser.next = argc;
		} else
			operands_only = true;
	}
	if (status != GPUCRYPT_OK || parsed->help)
		return status;
	return check_operands(&parser) ?: options_check(parsed);
}

bool option_given(const struct options *options, const char *name)
{
	const struct option_row *row = find_row(0, name, strlen(name), ~0u);

	return row && ((const struct parsed *)options)->given[row - program.rows];
}
