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

static const char *engine_name(unsigned value)
{
	static const char *const names[] = { "auto", "opencl", "cpu", "all" };

	return names[value];
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

static const char *const space_names[N_MEMORY_SPACES] = { [MEMORY_LOCAL] = "local",
	[MEMORY_CONSTANT] = "constant",
	[MEMORY_GLOBAL] = "global",
	[MEMORY_ARGUMENT] = "argument" };

static const char *table_space_name(unsigned value)
{
	return value != MEMORY_ARGUMENT ? space_names[value] : NULL;
}

static const char *key_space_name(unsigned value)
{
	return value != MEMORY_GLOBAL ? space_names[value] : NULL;
}

static const char *tag_place_name(unsigned value)
{
	static const char *const names[] = { NULL, [TAGS_ON_DEVICE] = "device", [TAGS_ON_HOST] = "host" };

	return names[value];
}

/* The contents that a program may declare, in the order of their numbers in gcrypt(5), "Header". */
static const char *content_name(unsigned value)
{
	static const char *const names[] = { "bytes", "tree" };

	return names[value];
}

const struct value_names cipher_names = { "cipher", UINT8_MAX + 1, cipher_name },
                         mode_names = { "mode", UINT8_MAX + 1, mode_name },
                         engine_names = { "engine", GPUCRYPT_HYBRID + 1, engine_name },
                         table_names = { "table form", N_TABLES, table_name },
                         table_space_names = { "table space", N_MEMORY_SPACES, table_space_name },
                         key_space_names = { "key space", N_MEMORY_SPACES, key_space_name },
                         tag_place_names = { "place for tags", TAGS_ON_HOST + 1, tag_place_name },
                         content_names = { "content", 2, content_name };

void value_list(char *text, size_t n, const struct value_names *names, const char *separator)
{
	text[0] = '\0';
	for (unsigned value = 0; value < names->n_values; value++) {
		const char *name = names->name(value);
		size_t used = strlen(text);

		if (name != NULL)
			snprintf(text + used, n - used, "%s%s", used > 0 ? separator : "", name);
	}
}

static bool find_value(unsigned *value, const struct value_names *names, const char *text)
{
	for (*value = 0; *value < names->n_values; ++*value) {
		const char *name = names->name(*value);

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
	const char *name = value < names->n_values ? names->name(value) : NULL;

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
