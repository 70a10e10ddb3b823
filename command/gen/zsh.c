/* Completion for zsh: a list of _arguments for each command. */
#include "command/gen/completion.h"

/* In a quoted word a quote ends it, stands, and begins it again. */
#define QUOTE "'\\''"

/* ":ARGUMENT:what completes it" */
static void put_value(FILE *stream, const struct option_row *row)
{
	static const char *const formats[] = { [VALUE_WORDS] = "(%s)",
		[VALUE_WORDS_OR_FILE] = "{compadd %s; _files}",
		[VALUE_FILE] = "_files",
		[VALUE_FOLDER] = "_files -/",
		[VALUE_OTHER] = " " };
	enum value_kind kind = value_kind(row);

	fprintf(stream, "%s%s:", row->type->optional ? "::" : ":", row->argument);
	if (kind == VALUE_PREFIXES) {
		fputs("compadd -S \"\" -- ", stream);
		put_escaped(stream, value_words(row), QUOTE, ":");
	} else
		fprintf(stream, formats[kind], value_words(row));
}

/* One spelling of an option; assigned stands where its value is attached. */
static void put_spelling(
        FILE *stream, const struct option_row *row, const char *dashes, const char *name, const char *assigned)
{
	fprintf(stream, " \\\n\t\t\t'%s%s%s%s[", row->type->repeated ? "*" : "", dashes, name,
	        row->argument ? assigned : "");
	put_escaped(stream, row->help, QUOTE, "[]\\");
	fputc(']', stream);
	if (row->argument)
		put_value(stream, row);
	fputc('\'', stream);
}

static void put_option(FILE *stream, const struct option_row *row)
{
	const char letter[] = { row->letter, '\0' };

	if (row->name)
		put_spelling(stream, row, "--", row->name, row->type->optional ? "=-" : "=");
	if (row->letter)
		put_spelling(stream, row, "-", letter, "+");
	if (row->type->negation)
		put_spelling(stream, row, "--no-", row->name, "");
}

static void put_command(FILE *stream, const struct command *command)
{
	fprintf(stream, "\t\t%s)\n\t\t\t_arguments -s -S", command->name);
	FOR_EACH_ROW(row)
	if (option_row_bits(row) & command->bits)
		put_option(stream, row);
	if (command->actions) {
		fputs(" \\\n\t\t\t'1:ACTION:(", stream);
		for (const struct action *action = command->actions; action->name; action++)
			fprintf(stream, "%s ", action->name);
		fputs(")'", stream);
	}
	if (command->max_operands > 0)
		fputs(" \\\n\t\t\t'*:FILE:_files'", stream);
	fputs("\n\t\t\t;;\n", stream);
}

void completion_zsh(FILE *stream)
{
	put_text(stream, "#compdef @\n# Completion of @'s command line, made from its tables.\n\n"
	                 "_@()\n{\n\tlocal curcontext=$curcontext state line\n\tlocal -A opt_args\n"
	                 "\tlocal -a commands=(\n");
	FOR_EACH_COMMAND(c)
	{
		fprintf(stream, "\t\t'%s:", c->name);
		put_escaped(stream, c->summary, QUOTE, "");
		fputs("'\n", stream);
	}
	fputs("\t)\n\n\t_arguments -C '1: :->command' '*:: :->argument' \\\n"
	      "\t\t'(- *)--help[print the commands]' '(- *)--version[print the version]'\n"
	      "\tcase $state in\n\tcommand)\n\t\t_describe command commands\n\t\t;;\n"
	      "\targument)\n\t\tcase $words[1] in\n",
	        stream);
	FOR_EACH_COMMAND(c)
	put_command(stream, c);
	put_text(stream, "\t\tesac\n\t\t;;\n\tesac\n}\n\n_@ ");
	fputs("\"$@\"\n", stream);
}
