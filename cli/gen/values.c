/* What can stand behind an option: names of a plan's values from the library, the rest here. */
#include "cli/gen/completion.h"

#include <string.h>

#define SOURCES "env: file: fd: cmd:"

static const struct {
	const char *option, *words;
} fixed[] = {
	{ "allow", "sc2000" },
	{ "bits", "128 192 256" },
	{ "passphrase", SOURCES },
	{ "new-passphrase", SOURCES },
	{ "kdf-cost", "auto" },
	{ "sector-size", "512 1024 2048 4096" },
};

const char *value_words(const struct option_row *row)
{
	static char words[256];

	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		if (!strcmp(fixed[i].option, row->name))
			return fixed[i].words;
	words[0] = '\0';
	if (row->type->names)
		value_list(words, sizeof words, row->type->names, " ");
	return words;
}

enum value_kind value_kind(const struct option_row *row)
{
	const char *argument = row->argument;

	if (!row->type->argument)
		return VALUE_NONE;
	if (*value_words(row))
		return row->type == &type_passphrase ? VALUE_PREFIXES : VALUE_WORDS;
	if (!strcmp(argument, "DIR"))
		return VALUE_FOLDER;
	return !strcmp(argument, "FILE") || strstr(argument, ".pem") ? VALUE_FILE : VALUE_OTHER;
}

bool row_is_of(const struct option_row *row, const struct command *command)
{
	return ((row->native | row->raw) & command->bit) != 0;
}

void put_escaped(FILE *stream, const char *text, const char *quote, const char *special)
{
	for (; *text; text++)
		if (*text == '\'')
			fputs(quote, stream);
		else
			fprintf(stream, "%s%c", strchr(special, *text) ? "\\" : "", *text);
}
