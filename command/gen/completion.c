/* usage: completion bash|zsh|fish   the completion of the program's command line, from its tables */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/program.h"

/* The possible values of an option. */
enum value_kind {
	VALUE_NONE,
	VALUE_WORDS,
	VALUE_PREFIXES, /* words that end with a colon, behind which more follows */
	VALUE_WORDS_OR_FILE,
	VALUE_FILE,
	VALUE_FOLDER,
	VALUE_OTHER
};

/* Values of an option, separated by blanks: the words of its row, or the library's names. */
static const char *value_words(const struct option_row *row)
{
	static char words[256];

	words[0] = '\0';
	if (row->type->names)
		value_list(words, sizeof words, row->type->names, " ");
	return row->words ? row->words : words;
}

static enum value_kind value_kind(const struct option_row *row)
{
	const char *argument = row->argument;
	bool file = row->argument && (strstr(argument, "FILE") || strstr(argument, ".pem"));

	if (!row->argument)
		return VALUE_NONE;
	if (*value_words(row))
		return row->type == &type_passphrase ? VALUE_PREFIXES : file ? VALUE_WORDS_OR_FILE : VALUE_WORDS;
	return file ? VALUE_FILE : !strcmp(argument, "DIR") ? VALUE_FOLDER : VALUE_OTHER;
}

/* Text with the name of the program for each @. */
static void put_text(FILE *stream, const char *text)
{
	for (; *text; text++)
		if (*text == '@')
			fputs(program.name, stream);
		else
			fputc(*text, stream);
}

/* Print text inside single quotes: quote replaces each single quote in the text, and characters in special get a
 * backslash. */
static void put_escaped(FILE *stream, const char *text, const char *quote, const char *special)
{
	for (; *text; text++)
		if (*text == '\'')
			fputs(quote, stream);
		else
			fprintf(stream, "%s%c", strchr(special, *text) ? "\\" : "", *text);
}

/* Completion for bash: shell functions generated from the tables, and one function that calls them. */

/* --NAME, --no-NAME and -N, each behind `before`. */
static void put_bash_names(FILE *stream, const struct option_row *row, const char *before)
{
	if (row->name)
		fprintf(stream, "%s--%s", before, row->name);
	if (row->type->negation)
		fprintf(stream, "%s--no-%s", before, row->name);
	if (row->letter)
		fprintf(stream, "%s-%c", before, row->letter);
}

static void put_bash_options(FILE *stream)
{
	put_text(stream, "# The options of command $1.\n_@_options()\n{\n\tcase $1 in\n");
	FOR_EACH_COMMAND(c)
	{
		fprintf(stream, "\t%s) values='", c->name);
		FOR_EACH_ROW(row)
		if (option_row_bits(row) & c->bits)
			put_bash_names(stream, row, " ");
		fputs("' ;;\n", stream);
	}
	fputs("\tesac\n}\n\n", stream);
}

/* "COMMAND --NAME | COMMAND -N | …)", a pattern of case. */
static void put_bash_patterns(FILE *stream, const struct option_row *row)
{
	const char *separator = "\t";

	FOR_EACH_COMMAND(c)
	{
		if (option_row_bits(row) & c->bits && row->name) {
			fprintf(stream, "%s%s\\ --%s", separator, c->name, row->name);
			separator = " | ";
		}
		if (option_row_bits(row) & c->bits && row->letter) {
			fprintf(stream, "%s%s\\ -%c", separator, c->name, row->letter);
			separator = " | ";
		}
	}
	fputc(')', stream);
}

static void put_bash_value(FILE *stream, const struct option_row *row)
{
	const char *words = value_words(row);
	enum value_kind kind = value_kind(row);

	/* A value that may be left out is never the next word. */
	if (kind == VALUE_NONE || row->type->optional)
		return;
	put_bash_patterns(stream, row);
	if (*words)
		fprintf(stream, " values='%s'", words);
	if (kind == VALUE_PREFIXES)
		fputs(" && compopt -o nospace", stream);
	if (kind == VALUE_WORDS_OR_FILE)
		fputs(" && compopt -o default", stream);
	if (kind == VALUE_FILE || kind == VALUE_FOLDER)
		fprintf(stream, " compopt -o %s", kind == VALUE_FILE ? "default" : "dirnames");
	fputs(" ;;\n", stream);
}

static void put_bash_actions(FILE *stream)
{
	put_text(stream, "# The possible first operands of command $1.\n_@_actions()\n{\n\tcase $1 in\n");
	FOR_EACH_COMMAND(c)
	if (c->actions) {
		fprintf(stream, "\t%s) values='", c->name);
		for (const struct action *action = c->actions; action->name; action++)
			fprintf(stream, "%s ", action->name);
		fputs("' ;;\n", stream);
	}
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", stream);
}

/* For bash, the text after = or : is a separate word. */
static const char completer[] = "_@()\n"
                                "{\n"
                                "\tlocal word=$2 before=$3 values=''\n"
                                "\n"
                                "\t[ \"$word\" != = ] || word=''\n"
                                "\t[ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                                "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                                "\t\tvalues=$_@_commands\n"
                                "\telif [ \"$before\" = : ] || [ \"$word\" = : ]; then\n"
                                "\t\tcompopt -o default\n"
                                "\telif [[ $word == -* ]]; then\n"
                                "\t\t_@_options \"${COMP_WORDS[1]}\"\n"
                                "\telif ! _@_value \"${COMP_WORDS[1]}\" \"$before\" &&\n"
                                "\t\t! { [ \"$COMP_CWORD\" -eq 2 ] && _@_actions \"${COMP_WORDS[1]}\"; }; then\n"
                                "\t\tcompopt -o default\n"
                                "\tfi\n"
                                "\tmapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n"
                                "}\n"
                                "complete -F _@ @\n";

static void completion_bash(FILE *stream)
{
	put_text(stream, "# shellcheck shell=bash\n"
	                 "# Completion of @'s command line, made from its tables.\n\n_@_commands='");
	FOR_EACH_COMMAND(c)
	fprintf(stream, "%s ", c->name);
	fputs("--help --version'\n\n", stream);
	put_bash_options(stream);
	put_text(stream, "# What can follow option $2 of command $1; false: it has no value.\n"
	                 "_@_value()\n{\n\tcase \"$1 $2\" in\n");
	FOR_EACH_ROW(row)
	put_bash_value(stream, row);
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", stream);
	put_bash_actions(stream);
	put_text(stream, completer);
}

/* Completion for zsh: a list of _arguments for each command. */

/* In a quoted word a quote ends it, stands, and begins it again. */
#define ZSH_QUOTE "'\\''"

/* ":ARGUMENT:what completes it" */
static void put_zsh_value(FILE *stream, const struct option_row *row)
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
		put_escaped(stream, value_words(row), ZSH_QUOTE, ":");
	} else
		fprintf(stream, formats[kind], value_words(row));
}

/* One spelling of an option; assigned stands where its value is attached. */
static void put_zsh_spelling(
        FILE *stream, const struct option_row *row, const char *dashes, const char *name, const char *assigned)
{
	fprintf(stream, " \\\n\t\t\t'%s%s%s%s[", row->type->repeated ? "*" : "", dashes, name,
	        row->argument ? assigned : "");
	put_escaped(stream, row->help, ZSH_QUOTE, "[]\\");
	fputc(']', stream);
	if (row->argument)
		put_zsh_value(stream, row);
	fputc('\'', stream);
}

static void put_zsh_option(FILE *stream, const struct option_row *row)
{
	const char letter[] = { row->letter, '\0' };

	if (row->name)
		put_zsh_spelling(stream, row, "--", row->name, row->type->optional ? "=-" : "=");
	if (row->letter)
		put_zsh_spelling(stream, row, "-", letter, "+");
	if (row->type->negation)
		put_zsh_spelling(stream, row, "--no-", row->name, "");
}

static void put_zsh_command(FILE *stream, const struct command *command)
{
	fprintf(stream, "\t\t%s)\n\t\t\t_arguments -s -S", command->name);
	FOR_EACH_ROW(row)
	if (option_row_bits(row) & command->bits)
		put_zsh_option(stream, row);
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

static void completion_zsh(FILE *stream)
{
	put_text(stream, "#compdef @\n# Completion of @'s command line, made from its tables.\n\n"
	                 "_@()\n{\n\tlocal curcontext=$curcontext state line\n\tlocal -A opt_args\n"
	                 "\tlocal -a commands=(\n");
	FOR_EACH_COMMAND(c)
	{
		fprintf(stream, "\t\t'%s:", c->name);
		put_escaped(stream, c->summary, ZSH_QUOTE, "");
		fputs("'\n", stream);
	}
	fputs("\t)\n\n\t_arguments -C '1: :->command' '*:: :->argument' \\\n"
	      "\t\t'(- *)--help[print the commands]' '(- *)--version[print the version]'\n"
	      "\tcase $state in\n\tcommand)\n\t\t_describe command commands\n\t\t;;\n"
	      "\targument)\n\t\tcase $words[1] in\n",
	        stream);
	FOR_EACH_COMMAND(c)
	put_zsh_command(stream, c);
	put_text(stream, "\t\tesac\n\t\t;;\n\tesac\n}\n\n_@ ");
	fputs("\"$@\"\n", stream);
}

/* Completion for fish: a line for each option, with the commands that take it. */

#define FISH_QUOTE "\\'"

static void put_fish_condition(FILE *stream, const struct option_row *row)
{
	put_text(stream, "complete -c @ -n '__@_is");
	FOR_EACH_COMMAND(c)
	if (option_row_bits(row) & c->bits)
		fprintf(stream, " %s", c->name);
	fputc('\'', stream);
}

static void put_fish_value(FILE *stream, const struct option_row *row)
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

static void put_fish_option(FILE *stream, const struct option_row *row)
{
	put_fish_condition(stream, row);
	if (row->name)
		fprintf(stream, " -l %s", row->name);
	if (row->letter)
		fprintf(stream, " -s %c", row->letter);
	put_fish_value(stream, row);
	fputs(" -d '", stream);
	put_escaped(stream, row->help, FISH_QUOTE, "\\");
	fputs("'\n", stream);
	if (row->type->negation) {
		put_fish_condition(stream, row);
		fprintf(stream, " -l no-%s\n", row->name);
	}
}

static void put_fish_command(FILE *stream, const struct command *command)
{
	const char *name = program.name;

	fprintf(stream, "complete -c %s -n __%s_starts -a %s -d '", name, name, command->name);
	put_escaped(stream, command->summary, FISH_QUOTE, "\\");
	fputs("'\n", stream);
	for (const struct action *action = command->actions; action && action->name; action++)
		fprintf(stream, "complete -c %s -n '__%s_is %s' -a %s\n", name, name, command->name, action->name);
	if (command->max_operands > 0)
		fprintf(stream, "complete -c %s -n '__%s_is %s' -F\n", name, name, command->name);
}

static void completion_fish(FILE *stream)
{
	put_text(stream, "# Completion of @'s command line, made from its tables.\n\n"
	                 "function __@_starts\n\ttest (count (commandline -opc)) -eq 1\nend\n\n"
	                 "function __@_is\n\tset -l words (commandline -opc)\n"
	                 "\ttest (count $words) -ge 2; and contains -- $words[2] $argv\nend\n\n"
	                 "complete -c @ -f\n"
	                 "complete -c @ -n __@_starts -l help -d 'print the commands'\n"
	                 "complete -c @ -n __@_starts -l version -d 'print the version'\n");
	FOR_EACH_COMMAND(c)
	put_fish_command(stream, c);
	FOR_EACH_ROW(row)
	if (option_row_bits(row))
		put_fish_option(stream, row);
}

static const struct {
	const char *name;
	void (*write)(FILE *stream);
} shells[] = { { "bash", completion_bash }, { "zsh", completion_zsh }, { "fish", completion_fish } };

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
		if (argc == 2 && !strcmp(argv[1], shells[i].name)) {
			shells[i].write(stdout);
			return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
		}
	fputs("usage: completion bash|zsh|fish\n", stderr);
	return EXIT_FAILURE;
}
