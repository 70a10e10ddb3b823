/* usage: completion bash|zsh|fish   the completion of the program's command line, from its tables */
#include "command/gen/completion.h"

#include <stdlib.h>
#include <string.h>

/* Values of an option: the words of its row, or the library's names. */
const char *value_words(const struct option_row *row)
{
	static char words[256];

	words[0] = '\0';
	if (row->type->names)
		value_list(words, sizeof words, row->type->names, " ");
	return row->words ? row->words : words;
}

enum value_kind value_kind(const struct option_row *row)
{
	const char *argument = row->argument;
	bool file = row->argument && (strstr(argument, "FILE") || strstr(argument, ".pem"));

	if (!row->argument)
		return VALUE_NONE;
	if (*value_words(row))
		return row->type == &type_passphrase ? VALUE_PREFIXES : file ? VALUE_WORDS_OR_FILE : VALUE_WORDS;
	return file ? VALUE_FILE : !strcmp(argument, "DIR") ? VALUE_FOLDER : VALUE_OTHER;
}

void put_text(FILE *stream, const char *text)
{
	for (; *text; text++)
		if (*text == '@')
			fputs(program.name, stream);
		else
			fputc(*text, stream);
}

void put_escaped(FILE *stream, const char *text, const char *quote, const char *special)
{
	for (; *text; text++)
		if (*text == '\'')
			fputs(quote, stream);
		else
			fprintf(stream, "%s%c", strchr(special, *text) ? "\\" : "", *text);
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
