/* Completion for fish: a line for each option, with the commands that take it. */
#include "cli/gen/completion.h"

#define QUOTE "\\'"

static const char *const actions[] = { [VALUE_NONE] = "",
	[VALUE_FILE] = " -r -F",
	[VALUE_FOLDER] = " -x -a '(__fish_complete_directories)'",
	[VALUE_OTHER] = " -x" };

static void put_condition(FILE *stream, const struct option_row *row)
{
	fputs("complete -c gcrypt -n '__gcrypt_is", stream);
	for (const struct command *c = command_table; c < command_table + n_commands; c++)
		if (row_is_of(row, c))
			fprintf(stream, " %s", c->name);
	fputc('\'', stream);
}

static void put_option(FILE *stream, const struct option_row *row)
{
	enum value_kind kind = value_kind(row);

	put_condition(stream, row);
	fprintf(stream, " -l %s", row->name);
	if (row->letter)
		fprintf(stream, " -s %c", row->letter);
	if (kind == VALUE_WORDS || kind == VALUE_PREFIXES)
		fprintf(stream, " -x -a '%s'", value_words(row));
	else if (!row->type->optional)
		fputs(actions[kind], stream);
	fputs(" -d '", stream);
	put_escaped(stream, row->help, QUOTE, "\\");
	fputs("'\n", stream);
	if (row->type->negation) {
		put_condition(stream, row);
		fprintf(stream, " -l no-%s\n", row->name);
	}
}

static void put_command(FILE *stream, const struct command *command)
{
	fprintf(stream, "complete -c gcrypt -n __gcrypt_starts -a %s -d '", command->name);
	put_escaped(stream, command->summary, QUOTE, "\\");
	fputs("'\n", stream);
	if (command->actions)
		for (const char *const *action = command->actions; *action; action++)
			fprintf(stream, "complete -c gcrypt -n '__gcrypt_is %s' -a %s\n", command->name, *action);
	if (command->max_operands > 0)
		fprintf(stream, "complete -c gcrypt -n '__gcrypt_is %s' -F\n", command->name);
}

void completion_fish(FILE *stream)
{
	fputs("# Completion of gcrypt's command line, made from its tables.\n\n"
	      "function __gcrypt_starts\n\ttest (count (commandline -opc)) -eq 1\nend\n\n"
	      "function __gcrypt_is\n\tset -l words (commandline -opc)\n"
	      "\ttest (count $words) -ge 2; and contains -- $words[2] $argv\nend\n\n"
	      "complete -c gcrypt -f\n"
	      "complete -c gcrypt -n __gcrypt_starts -l help -d 'print the commands'\n"
	      "complete -c gcrypt -n __gcrypt_starts -l version -d 'print the version'\n",
	        stream);
	for (const struct command *c = command_table; c < command_table + n_commands; c++)
		put_command(stream, c);
	for (const struct option_row *row = option_table; row < option_table + n_option_rows; row++)
		put_option(stream, row);
}
