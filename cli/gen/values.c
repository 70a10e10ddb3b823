/* What can stand behind an option: names of ciphers and modes from their descriptors, the rest
 * here. */
#include "cli/gen/completion.h"

#include <string.h>

#include "gpucrypt/crypto/cipher.h"

#define SOURCES "env: file: fd: cmd:"

static const struct {
	const char *option, *words;
} fixed[] = {
	{ "allow", "sc2000" },
	{ "bits", "128 192 256" },
	{ "passphrase", SOURCES },
	{ "new-passphrase", SOURCES },
	{ "kdf-cost", "auto" },
	{ "engine", "auto opencl cpu all" },
	{ "table-space", "local constant global" },
	{ "key-space", "local constant argument" },
	{ "sector-size", "512 1024 2048 4096" },
};

static char words[256];

static void add(const char *word)
{
	char spaced[270];

	snprintf(spaced, sizeof spaced, " %s ", words);
	if (strstr(spaced, word) && strstr(spaced, word)[strlen(word)] == ' ')
		return;
	snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", *words ? " " : "", word);
}

static void add_ciphers(void)
{
	add("auto");
	for (const struct cipher *const *cipher = ciphers; *cipher; cipher++)
		add((*cipher)->name);
}

static void add_modes(void)
{
	for (const struct mode *mode = modes; mode < modes + N_MODES; mode++)
		add(mode->name);
}

static void add_forms(void)
{
	for (const struct cipher *const *cipher = ciphers; *cipher; cipher++)
		for (unsigned i = 0; i < (*cipher)->n_forms; i++)
			add((*cipher)->forms[i].name);
}

static const struct {
	const char *option;
	void (*add)(void);
} derived[] = { { "cipher", add_ciphers }, { "mode", add_modes }, { "table", add_forms } };

const char *value_words(const struct option_row *row)
{
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		if (!strcmp(fixed[i].option, row->name))
			return fixed[i].words;
	words[0] = '\0';
	for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
		if (!strcmp(derived[i].option, row->name))
			derived[i].add();
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
