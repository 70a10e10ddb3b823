/* Completion for fish: a line for each option, with the commands that take it. */
#include "command/gen/completion.h"

#define QUOTE "\\'"

static void put_condition(FILE *stream, const struct option_row *row)
{
	put_text(stream, "complete -c @ -n '__@_is");
	FOR_EACH_COMMAND(c)
	if (option_row_bits(row) & c->bits)
		fprintf(stream, " %s", c->name);
	fputc('\'', stream);
}

static void put_value(FILE *stream, const struct option_row *row)
{
	static const char *const formats[] = { [VALUE_NONE] = "",
		[VALUE_WORDS] = " -x -a '%s'",
		[VALUE_PREFIXES] = " -x -a '%s'",
		[VALUE_WORDS_OR_FILE] = " -r -F -a '%s'",
		[VALUE_FILE] = " -r -F",
		[VALUE_FOLDER] = " -x -a '(__fish_complete_directories)'",
		[VALUE_OTHER] = " -x" };

	if (row->type->optional)
		fprintf(stream, *value_words(row) ? " -a '%s'" : "", value_words(row));
	else
		fprintf(stream, formats[value_kind(row)], value_words(row));
}

static void put_option(FILE *stream, const struct option_row *row)
{
	put_condition(stream, row);
	if (row->name)
		fprintf(stream, " -l %s", row->name);
	if (row->letter)
		fprintf(stream, " -s %c", row->letter);
	put_value(stream, row);
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
	const char *name = program.name;

	fprintf(stream, "complete -c %s -n __%s_starts -a %s -d '", name, name, command->name);
	put_escaped(stream, command->summary, QUOTE, "\\");
	fputs("'\n", stream);
	for (const struct action *action = command->actions; action && action->name; action++)
		fprintf(stream, "complete -c %s -n '__%s_is %s' -a %s\n", name, name, command->name, action->name);
	if (command->max_operands > 0)
		fprintf(stream, "complete -c %s -n '__%s_is %s' -F\n", name, name, command->name);
}

void completion_fish(FILE *stream)
{
	put_text(stream, "# Completion of @'s command line, made from its tables.\n\n"
	                 "function __@_starts\n\ttest (count (commandline -opc)) -eq 1\nend\n\n"
	                 "function __@_is\n\tset -l words (commandline -opc)\n"
	                 "\ttest (count $words) -ge 2; and contains -- $words[2] $argv\nend\n\n"
	                 "complete -c @ -f\n"
	                 "complete -c @ -n __@_starts -l help -d 'print the commands'\n"
	                 "complete -c @ -n __@_starts -l version -d 'print the version'\n");
	FOR_EACH_COMMAND(c)
	put_command(stream, c);
	FOR_EACH_ROW(row)
	if (option_row_bits(row))
		put_option(stream, row);
}
