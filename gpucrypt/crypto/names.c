#include "gpucrypt/crypto/names.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/status.h"

static const char *cipher_name(unsigned value)
{
	const struct cipher *cipher = cipher_by_id(value);

	return value == GPUCRYPT_CIPHER_AUTO ? "auto" : cipher != NULL ? cipher->name : NULL;
}

static const char *mode_name(unsigned value)
{
	const struct mode *mode = mode_by_id(value);

	return mode != NULL ? mode->name : NULL;
}

/* The name that the first cipher with this form has for it. */
static const char *table_name(unsigned value)
{
	enum table_id id = (enum table_id)value;

	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		if (cipher_form(*c, id) != NULL)
			return cipher_form(*c, id)->name;
		if (instruction_form_by_id(*c, id) != NULL)
			return instruction_form_by_id(*c, id)->name;
	}
	return NULL;
}

/* By value; NULL: no name.  The contents are in the order of their numbers in gcrypt(5), "Header". */
static const char *const engines[] = { "auto", "opencl", "cpu", "all" };
static const char *const tables[] = {
	[MEMORY_LOCAL] = "local", [MEMORY_CONSTANT] = "constant", [MEMORY_GLOBAL] = "global"
};
static const char *const keys[] = {
	[MEMORY_LOCAL] = "local", [MEMORY_CONSTANT] = "constant", [MEMORY_ARGUMENT] = "argument"
};
static const char *const tag_places[] = { [TAGS_ON_DEVICE] = "device", [TAGS_ON_HOST] = "host" };
static const char *const contents[] = { "bytes", "tree" };

#define LISTED(names) sizeof(names) / sizeof *(names), NULL, names

const struct value_names cipher_names = { "cipher", UINT8_MAX + 1, cipher_name, NULL },
                         mode_names = { "mode", UINT8_MAX + 1, mode_name, NULL },
                         table_names = { "table form", N_TABLES, table_name, NULL },
                         engine_names = { "engine", LISTED(engines) },
                         table_space_names = { "table space", LISTED(tables) },
                         key_space_names = { "key space", LISTED(keys) },
                         tag_place_names = { "place for tags", LISTED(tag_places) },
                         content_names = { "content", LISTED(contents) };

/* NULL: none. */
static const char *name_of(const struct value_names *names, unsigned value)
{
	if (value >= names->n_values)
		return NULL;
	return names->list != NULL ? names->list[value] : names->name(value);
}

void value_list(char *text, size_t n, const struct value_names *names, const char *separator)
{
	text[0] = '\0';
	for (unsigned value = 0; value < names->n_values; value++) {
		const char *name = name_of(names, value);
		size_t used = strlen(text);

		if (name != NULL)
			snprintf(text + used, n - used, "%s%s", used > 0 ? separator : "", name);
	}
}

static bool find_value(unsigned *value, const struct value_names *names, const char *text)
{
	for (*value = 0; *value < names->n_values; ++*value) {
		const char *name = name_of(names, *value);

		if (name != NULL && strcmp(name, text) == 0)
			return true;
	}
	return false;
}

int value_parse(unsigned *value, const struct value_names *names, const char *text)
{
	char list[160];

	if (find_value(value, names, text))
		return GPUCRYPT_OK;
	*value = 0;
	value_list(list, sizeof(list), names, ", ");
	return fail(GPUCRYPT_USAGE, "unknown %s '%s' (choose from: %s)", names->what, text, list);
}

const char *value_name(const struct value_names *names, unsigned value)
{
	const char *name = name_of(names, value);

	return name != NULL ? name : "";
}

const struct cipher *cipher_by_name(const char *name)
{
	unsigned id;

	return find_value(&id, &cipher_names, name) ? cipher_by_id(id) : NULL;
}

const struct table_form *form_by_name(const struct cipher *cipher, const char *name)
{
	unsigned id;

	return find_value(&id, &table_names, name) ? cipher_form(cipher, (enum table_id)id) : NULL;
}
