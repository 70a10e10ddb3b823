/* Completion for bash: two functions made of the tables, and one that uses them. */
#include "cli/gen/completion.h"

/* --NAME, --no-NAME and -N. */
static void put_names(FILE *stream, const struct option_row *row, char separator)
{
	fprintf(stream, "--%s", row->name);
	if (row->type->negation)
		fprintf(stream, "%c--no-%s", separator, row->name);
	if (row->letter)
		fprintf(stream, "%c-%c", separator, row->letter);
}

static void put_options(FILE *stream)
{
	fputs("# The options of command $1.\n_gcrypt_options()\n{\n\tcase $1 in\n", stream);
	for (const struct command *c = command_table; c < command_table + n_commands; c++) {
		const char *before = "";

		fprintf(stream, "\t%s) values='", c->name);
		for (const struct option_row *row = option_table; row < option_table + n_option_rows; row++)
			if (row_is_of(row, c)) {
				fputs(before, stream);
				put_names(stream, row, ' ');
				before = " ";
			}
		fputs("' ;;\n", stream);
	}
	fputs("\tesac\n}\n\n", stream);
}

static void put_value(FILE *stream, const struct option_row *row)
{
	const char *words = value_words(row);
	enum value_kind kind = value_kind(row);

	/* What may be left out never is the next word. */
	if (kind == VALUE_NONE || row->type->optional)
		return;
	fputc('\t', stream);
	put_names(stream, row, '|');
	fputc(')', stream);
	if (*words)
		fprintf(stream, " values='%s'", words);
	if (kind == VALUE_PREFIXES)
		fputs(" && compopt -o nospace", stream);
	if (kind == VALUE_FILE || kind == VALUE_FOLDER)
		fprintf(stream, " compopt -o %s", kind == VALUE_FILE ? "default" : "dirnames");
	fputs(" ;;\n", stream);
}

static void put_actions(FILE *stream)
{
	fputs("# What the first operand of command $1 may be.\n_gcrypt_actions()\n{\n\tcase $1 "
	      "in\n",
	        stream);
	for (const struct command *c = command_table; c < command_table + n_commands; c++) {
		if (!c->actions)
			continue;
		fprintf(stream, "\t%s) values='", c->name);
		for (const char *const *action = c->actions; *action; action++)
			fprintf(stream, "%s%s", action == c->actions ? "" : " ", *action);
		fputs("' ;;\n", stream);
	}
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", stream);
}

/* What stands behind = or : is a word of its own to bash. */
static const char completer[] = "_gcrypt()\n"
                                "{\n"
                                "\tlocal word=$2 before=$3 values=''\n"
                                "\n"
                                "\t[ \"$word\" != = ] || word=''\n"
                                "\t[ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                                "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                                "\t\tvalues=$_gcrypt_commands\n"
                                "\telif [ \"$before\" = : ] || [ \"$word\" = : ]; then\n"
                                "\t\tcompopt -o default\n"
                                "\telif [[ $word == -* ]]; then\n"
                                "\t\t_gcrypt_options \"${COMP_WORDS[1]}\"\n"
                                "\telif ! _gcrypt_value \"$before\" &&\n"
                                "\t\t! { [ \"$COMP_CWORD\" -eq 2 ] && _gcrypt_actions \"${COMP_WORDS[1]}\"; }; then\n"
                                "\t\tcompopt -o default\n"
                                "\tfi\n"
                                "\tmapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n"
                                "}\n"
                                "complete -F _gcrypt gcrypt\n";

void completion_bash(FILE *stream)
{
	fputs("# shellcheck shell=bash\n"
	      "# Completion of gcrypt's command line, made from its tables.\n\n_gcrypt_commands='",
	        stream);
	for (const struct command *c = command_table; c < command_table + n_commands; c++)
		fprintf(stream, "%s ", c->name);
	fputs("--help --version'\n\n", stream);
	put_options(stream);
	fputs("# What can follow option $1; false: it takes no value.\n"
	      "_gcrypt_value()\n{\n\tcase $1 in\n",
	        stream);
	for (const struct option_row *row = option_table; row < option_table + n_option_rows; row++)
		put_value(stream, row);
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", stream);
	put_actions(stream);
	fputs(completer, stream);
}
