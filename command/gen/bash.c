/* Completion for bash: shell functions generated from the tables, and one function that calls them. */
#include "command/gen/completion.h"

/* --NAME, --no-NAME and -N, each behind `before`. */
static void put_names(FILE *stream, const struct option_row *row, const char *before)
{
	if (row->name)
		fprintf(stream, "%s--%s", before, row->name);
	if (row->type->negation)
		fprintf(stream, "%s--no-%s", before, row->name);
	if (row->letter)
		fprintf(stream, "%s-%c", before, row->letter);
}

static void put_options(FILE *stream)
{
	put_text(stream, "# The options of command $1.\n_@_options()\n{\n\tcase $1 in\n");
	FOR_EACH_COMMAND(c)
	{
		fprintf(stream, "\t%s) values='", c->name);
		FOR_EACH_ROW(row)
		if (option_row_bits(row) & c->bits)
			put_names(stream, row, " ");
		fputs("' ;;\n", stream);
	}
	fputs("\tesac\n}\n\n", stream);
}

/* "COMMAND --NAME | COMMAND -N | …)", a pattern of case. */
static void put_patterns(FILE *stream, const struct option_row *row)
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

static void put_value(FILE *stream, const struct option_row *row)
{
	const char *words = value_words(row);
	enum value_kind kind = value_kind(row);

	/* A value that may be left out is never the next word. */
	if (kind == VALUE_NONE || row->type->optional)
		return;
	put_patterns(stream, row);
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

static void put_actions(FILE *stream)
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

void completion_bash(FILE *stream)
{
	put_text(stream, "# shellcheck shell=bash\n"
	                 "# Completion of @'s command line, made from its tables.\n\n_@_commands='");
	FOR_EACH_COMMAND(c)
	fprintf(stream, "%s ", c->name);
	fputs("--help --version'\n\n", stream);
	put_options(stream);
	put_text(stream, "# What can follow option $2 of command $1; false: it has no value.\n"
	                 "_@_value()\n{\n\tcase \"$1 $2\" in\n");
	FOR_EACH_ROW(row)
	put_value(stream, row);
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", stream);
	put_actions(stream);
	put_text(stream, completer);
}
