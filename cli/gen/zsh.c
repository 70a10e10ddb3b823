/* Completion for zsh: a list of _arguments for each command. */
#include "cli/gen/completion.h"

/* In a quoted word a quote ends it, stands, and begins it again. */
#define QUOTE "'\\''"

static const char *const actions[] = { [VALUE_FILE] = "_files", [VALUE_FOLDER] = "_files -/", [VALUE_OTHER] = " " };

/* ":ARGUMENT:what completes it" */
static void put_value(FILE *stream, const struct option_row *row)
{
	enum value_kind kind = value_kind(row);

	fprintf(stream, "%s%s:", row->type->optional ? "::" : ":", row->argument);
	if (kind == VALUE_WORDS)
		fprintf(stream, "(%s)", value_words(row));
	else if (kind == VALUE_PREFIXES) {
		fputs("compadd -S \"\" -- ", stream);
		put_escaped(stream, value_words(row), QUOTE, ":");
	} else
		fputs(actions[kind], stream);
}

/* One spelling of an option; assigned stands where its value is attached. */
static void put_spelling(FILE *stream, const struct option_row *row, const char *name, const char *assigned)
{
	fprintf(stream, " \\\n\t\t\t'%s%s%s[", row->type->repeated ? "*" : "", name,
	        row->type->argument ? assigned : "");
	put_escaped(stream, row->help, QUOTE, "[]\\");
	fputc(']', stream);
	if (row->type->argument)
		put_value(stream, row);
	fputc('\'', stream);
}

static void put_option(FILE *stream, const struct option_row *row)
{
	char name[64];

	snprintf(name, sizeof name, "--%s", row->name);
	put_spelling(stream, row, name, row->type->optional ? "=-" : "=");
	if (row->letter) {
		snprintf(name, sizeof name, "-%c", row->letter);
		put_spelling(stream, row, name, "+");
	}
	if (row->type->negation) {
		snprintf(name, sizeof name, "--no-%s", row->name);
		put_spelling(stream, row, name, "");
	}
}

static void put_command(FILE *stream, const struct command *command)
{
	fprintf(stream, "\t\t%s)\n\t\t\t_arguments -s -S", command->name);
	for (const struct option_row *row = option_table; row < option_table + n_option_rows; row++)
		if (row_is_of(row, command))
			put_option(stream, row);
	if (command->actions) {
		fputs(" \\\n\t\t\t'1:ACTION:(", stream);
		for (const char *const *action = command->actions; *action; action++)
			fprintf(stream, "%s ", *action);
		fputs(")'", stream);
	}
	if (command->max_operands > 0)
		fputs(" \\\n\t\t\t'*:FILE:_files'", stream);
	fputs("\n\t\t\t;;\n", stream);
}

void completion_zsh(FILE *stream)
{
	fputs("#compdef gcrypt\n# Completion of gcrypt's command line, made from its tables.\n\n"
	      "_gcrypt()\n{\n\tlocal curcontext=$curcontext state line\n\tlocal -A opt_args\n"
	      "\tlocal -a commands=(\n",
	        stream);
	for (const struct command *c = command_table; c < command_table + n_commands; c++) {
		fprintf(stream, "\t\t'%s:", c->name);
		put_escaped(stream, c->summary, QUOTE, "");
		fputs("'\n", stream);
	}
	fputs("\t)\n\n\t_arguments -C '1: :->command' '*:: :->argument' \\\n"
	      "\t\t'(- *)--help[print the commands]' '(- *)--version[print the version]'\n"
	      "\tcase $state in\n\tcommand)\n\t\t_describe command commands\n\t\t;;\n"
	      "\targument)\n\t\tcase $words[1] in\n",
	        stream);
	for (const struct command *c = command_table; c < command_table + n_commands; c++)
		put_command(stream, c);
	fputs("\t\tesac\n\t\t;;\n\tesac\n}\n\n_gcrypt \"$@\"\n", stream);
}
