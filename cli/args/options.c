/* Parsing of the command line, driven by the option table. */
#include "cli/args/options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/args/command.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"
#include "cli/args/nearest.h"
#include "cli/args/option_table.h"
#include "ppf/option_word.h"

/* Where parsing stands. */
struct parser {
	struct options *options;
	const struct command *command;
	int argc, next; /* argv[next] has not been looked at */
	char **argv;
};

static unsigned commands_of(const struct option_row *row)
{
	return row->native | row->raw;
}

static const struct option_row *row_by_name(const char *name, size_t length, unsigned commands)
{
	for (const struct option_row *row = option_table; row < option_table + n_option_rows; row++)
		if (commands_of(row) & commands && strlen(row->name) == length && !memcmp(row->name, name, length))
			return row;
	return NULL;
}

static const struct option_row *row_by_letter(char letter, unsigned commands)
{
	for (const struct option_row *row = option_table; row < option_table + n_option_rows; row++)
		if (commands_of(row) & commands && row->letter == letter)
			return row;
	return NULL;
}

/* What is lost by it does not come back: such an option is never proposed. */
static bool destroys(const struct option_row *row)
{
	return row->offset == offsetof(struct options, force) ||
	       row->offset == offsetof(struct options, remove_source) ||
	       row->offset == offsetof(struct options, in_place);
}

static int fail_unknown(const struct command *command, const char *name, size_t length)
{
	struct nearest nearest = { 0 };
	char word[64];

	snprintf(word, sizeof word, "%.*s", (int)length, name);
	if (row_by_name(name, length, ~0u))
		return fail(GPUCRYPT_USAGE, "--%s: not an option of gcrypt %s", word, command->name);
	for (const struct option_row *row = option_table; row < option_table + n_option_rows; row++)
		if (commands_of(row) & command->bit && !destroys(row))
			nearest_try(&nearest, word, row->name);
	return fail(GPUCRYPT_USAGE, "--%s: unknown option%s%s (see gcrypt %s --help)", word,
	        nearest.word ? ": nearest is --" : "", nearest.word ? nearest.word : "", command->name);
}

static int store(struct parser *parser, const struct option_row *row, char *text)
{
	struct options *options = parser->options;
	bool *given = &options->given[row - option_table];

	if (row->type->secret && !row->type->repeated && *given)
		return fail(GPUCRYPT_USAGE, "--%s: given twice", row->name);
	*given = true;
	return row->type->store(row, (char *)options + row->offset, text);
}

/* The value of an option: what stands right behind it, else the next word. */
static int store_with_argument(struct parser *parser, const struct option_row *row, char *attached)
{
	if (!attached && !row->type->optional) {
		if (parser->next == parser->argc)
			return fail(GPUCRYPT_USAGE, "--%s: needs a value: %s", row->name, row->argument);
		attached = parser->argv[parser->next++];
	}
	return store(parser, row, attached);
}

/* --NAME, --NAME=VALUE, --NAME VALUE, --no-NAME */
static int parse_long(struct parser *parser, char *word)
{
	size_t length = strcspn(word, "=");
	char *value = word[length] ? word + length + 1 : NULL;
	const struct option_row *row = row_by_name(word, length, parser->command->bit);
	bool yes = true;

	if (!row && length > 3 && !memcmp(word, "no-", 3)) {
		row = row_by_name(word + 3, length - 3, parser->command->bit);
		if (row && !row->type->negation)
			row = NULL;
		yes = false;
	}
	if (!row)
		return fail_unknown(parser->command, word, length);
	if (row->type->argument)
		return store_with_argument(parser, row, value);
	if (value)
		return fail(GPUCRYPT_USAGE, "--%s: takes no value", row->name);
	return store(parser, row, yes ? word : NULL);
}

/* -a, -abc, -oVALUE, -o VALUE */
static int parse_short(struct parser *parser, char *letters)
{
	int status = GPUCRYPT_OK;

	while (*letters && status == GPUCRYPT_OK) {
		const struct option_row *row = row_by_letter(*letters, parser->command->bit);

		if (!row)
			return fail(GPUCRYPT_USAGE, "-%c: unknown option (see gcrypt %s --help)", *letters,
			        parser->command->name);
		letters++;
		if (row->type->argument)
			return store_with_argument(parser, row, *letters ? letters : NULL);
		status = store(parser, row, letters);
	}
	return status;
}

static int parse_option(struct parser *parser, char *word)
{
	unsigned n_actions = parser->command->actions ? 1 : 0;
	int status = option_word_check(word, parser->options->n_operands > n_actions);

	if (status != GPUCRYPT_OK)
		return status;
	return word[1] == '-' ? parse_long(parser, word + 2) : parse_short(parser, word + 1);
}

/* Operands move to the front of argv; where the first one is an action it must be a known one, and
 * that is said before an option of an unknown action is found unknown. */
static int parse_operand(struct parser *parser, char *word)
{
	struct options *options = parser->options;
	const char *const *action = parser->command->actions;

	if (action && options->n_operands == 0) {
		char list[80] = "";

		for (; *action && strcmp(*action, word) != 0; action++)
			snprintf(list + strlen(list), sizeof list - strlen(list), " %s", *action);
		if (!*action)
			return fail(GPUCRYPT_USAGE, "%s %s: unknown action: there is:%s", parser->command->name, word,
			        list);
	}
	parser->argv[options->n_operands++] = word;
	return GPUCRYPT_OK;
}

/* What was given must fit together with --raw, or with its absence. */
static int check_raw(const struct options *options, const struct command *command)
{
	for (unsigned i = 0; i < n_option_rows; i++) {
		const struct option_row *row = option_table + i;

		if (options->given[i] && !((options->raw ? row->raw : row->native) & command->bit))
			return fail(
			        GPUCRYPT_USAGE, "--%s: %s --raw", row->name, options->raw ? "not with" : "only with");
	}
	return GPUCRYPT_OK;
}

static int check_operands(const struct options *options, const struct command *command)
{
	if (options->n_operands < command->min_operands)
		return fail(GPUCRYPT_USAGE, "%s: operand missing: %s", command->name, command->operands);
	if (options->n_operands > command->max_operands)
		return fail(GPUCRYPT_USAGE, "%s: operand too many: %s", command->name,
		        options->operands[command->max_operands]);
	return GPUCRYPT_OK;
}

int options_parse(struct options *options, const struct command *command, int argc, char **argv)
{
	struct parser parser = { options, command, argc, 0, argv };
	bool operands_only = false;
	int status = GPUCRYPT_OK;

	*options = (struct options){ .operands = argv, .raw_options.length = UINT64_MAX, .shard.count = 1 };
	while (parser.next < argc && status == GPUCRYPT_OK && !options->help) {
		char *word = argv[parser.next++];

		if (!operands_only && option_word(word))
			status = parse_option(&parser, word);
		else if (!operands_only && !strcmp(word, "--"))
			operands_only = true;
		else
			status = parse_operand(&parser, word);
	}
	if (status == GPUCRYPT_OK && !options->help)
		status = check_raw(options, command);
	if (status == GPUCRYPT_OK && !options->help)
		status = check_operands(options, command);
	return status;
}

bool option_given(const struct options *options, const char *name)
{
	const struct option_row *row = row_by_name(name, strlen(name), ~0u);

	return row && options->given[row - option_table];
}

void options_for_kernels(const struct options *options, char *text, size_t n)
{
	static const char *const names[] = { "table", "table-space", "key-space", "portable", "copies", "counters",
		"work-items", "work-groups" };

	text[0] = '\0';
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (option_given(options, names[i]) && (i > 0 || options->plan.kernel.table < TABLE_INSTRUCTIONS))
			snprintf(text + strlen(text), n - strlen(text), "%s--%s", text[0] ? ", " : "", names[i]);
}

void options_wipe(struct options *options)
{
	wipe(&options->key_hex, sizeof options->key_hex);
	wipe(&options->iv_hex, sizeof options->iv_hex);
}

/* "  -o, --output FILE", padded, then the help text. */
static void help_row(FILE *stream, const struct option_row *row)
{
	char left[48];
	const struct option_type *type = row->type;

	snprintf(left, sizeof left, "  %c%c%c --%s%s%s%s%s", row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
	        row->letter ? ',' : ' ', type->negation ? "[no-]" : "", row->name,
	        !type->argument  ? ""
	        : type->optional ? "[="
	                         : " ",
	        type->argument ? row->argument : "", type->optional ? "]" : "");
	fprintf(stream, "%-30s %s\n", left, row->help);
}

void options_help(FILE *stream, const struct command *command)
{
	bool raw_rows = false;

	fprintf(stream, "usage: gcrypt %s [options] %s\n%s\n\n", command->name, command->operands, command->summary);
	for (const struct option_row *row = option_table; row < option_table + n_option_rows; row++)
		if (row->native & command->bit)
			help_row(stream, row);
		else
			raw_rows |= (row->raw & command->bit) != 0;
	if (!raw_rows)
		return;
	fputs("\nonly with --raw:\n", stream);
	for (const struct option_row *row = option_table; row < option_table + n_option_rows; row++)
		if (row->raw & command->bit & ~row->native)
			help_row(stream, row);
}
