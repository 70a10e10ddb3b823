/* Parsing of the command line, driven by the tables of the program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command/program.h"
#include "gpucrypt/status.h"

/* Conflicts between options: by the bits of their rows and by the program's rules. */

static bool has_value(const struct parsed *parsed, const struct option_row *row, const char *value, size_t n)
{
	const void *field = (const char *)parsed + row->offset;
	const char *text =
	        row->type->names ? value_name(row->type->names, *(const unsigned *)field) : *(const char *const *)field;

	return strlen(text) == n && !memcmp(text, value, n);
}

/* Is the row's option in a list of names, or of names with its value: NAME=VALUE? */
static bool is_listed(const struct parsed *parsed, const struct option_row *row, const char *names)
{
	size_t length = row->name ? strlen(row->name) : 0;

	for (const char *at = names; length > 0 && *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " "), n_name = strcspn(at, "= ");

		if (n_name == length && !memcmp(at, row->name, n_name) &&
		        (n == n_name || has_value(parsed, row, at + n_name + 1, n - n_name - 1)))
			return true;
		at += n;
	}
	return false;
}

/* The first option of the list that the command line has; NULL: it has none of them. */
static const struct option_row *find_given(const struct parsed *parsed, const char *names)
{
	FOR_EACH_ROW(row)
	if (parsed->given[row - program.rows] && is_listed(parsed, row, names))
		return row;
	return NULL;
}

static unsigned bits_of(const struct parsed *parsed)
{
	return parsed->action ? parsed->action->bit : parsed->command->bits;
}

static bool rule_applies(const struct option_rule *rule, const struct parsed *parsed)
{
	unsigned bits = bits_of(parsed);

	if (!((parsed->raw ? rule->raw : rule->native) & bits))
		return false;
	FOR_EACH_ROW(row)
	if (option_row_bits(row) & bits && is_listed(parsed, row, rule->given) && !parsed->given[row - program.rows])
		return false;
	return true;
}

/* "--a, --b or --c"; word stands before the last one. */
static void list_options(char text[256], const char *names, const char *word)
{
	const char *separator = "";

	text[0] = '\0';
	while (*names) {
		size_t n = strcspn(names, " "), used = strlen(text);

		snprintf(text + used, 256 - used, "%s--%.*s", separator, (int)n, names);
		names += n + strspn(names + n, " ");
		separator = strchr(names, ' ') ? ", " : word;
	}
}

int option_rule_check(const struct option_rule *rule, const struct parsed *parsed, const char *name)
{
	const struct option_row *other = find_given(parsed, rule->others);
	char given[256], others[256];

	if (!rule_applies(rule, parsed) || (other != NULL) == (rule->kind == RULE_NEEDS))
		return GPUCRYPT_OK;
	if (name && rule->kind == RULE_EXCLUDES)
		return fail(GPUCRYPT_USAGE, "%s: %s: not with --%s", name, rule->why, other->name);
	if (name || rule->kind == RULE_REFUSES)
		return fail(GPUCRYPT_USAGE, "%s%s%s", name ? name : "", name ? ": " : "", rule->why);
	list_options(given, rule->given, " with ");
	list_options(others, rule->others, " or ");
	return fail(GPUCRYPT_USAGE, "%s%s%s: %s%s%s%s", *given ? given : parsed->command->name,
	        *given || !parsed->action ? "" : " ", *given || !parsed->action ? "" : parsed->action->name,
	        rule->kind == RULE_NEEDS ? "needs " : "not with --", rule->kind == RULE_NEEDS ? others : other->name,
	        rule->why ? ": " : "", rule->why ? rule->why : "");
}

/* An option of the subcommand may lack the bit of the action, or of --raw, or of its absence. */
static int check_row(const struct option_row *row, const struct parsed *parsed, unsigned bits)
{
	if ((parsed->raw ? row->raw : row->native) & bits)
		return GPUCRYPT_OK;
	if (parsed->action != NULL && !(option_row_bits(row) & bits))
		return fail(
		        GPUCRYPT_USAGE, "--%s: not with %s %s", row->name, parsed->command->name, parsed->action->name);
	return fail(GPUCRYPT_USAGE, "--%s: %s --raw", row->name, parsed->raw ? "not with" : "only with");
}

/* Does the command take the given options, and do program.rules allow them? */
static int options_check(const struct parsed *parsed)
{
	int status = GPUCRYPT_OK;

	FOR_EACH_ROW(row)
	if (status == GPUCRYPT_OK && parsed->given[row - program.rows])
		status = check_row(row, parsed, bits_of(parsed));
	FOR_EACH_RULE(rule)
	if (status == GPUCRYPT_OK)
		status = option_rule_check(rule, parsed, NULL);
	return status;
}

/* Words. */

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
