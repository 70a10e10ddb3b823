#include "ppf/analysis/profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const operator_names[N_OPERATORS] = { "add", "logic", "shift", "rotate", "mul", "compare", "permute",
	"wide" };

const char *const slow_names[N_SLOW_OPERATORS] = { "add", "mul", "turn", "carry" };
const char *const core_part_names[N_CORE_PARTS] = { "", " counter", " shared" };
const char *const turn_names[N_TURNS] = { "word", "long" };
const char *const field_names[N_FIELDS] = { "byte", "part", "across" };

/* The built-in ciphers, as `ppf profiles` wrote them. */
static const struct profile builtin[] = {
#include "ppf/analysis/profiles.inc"
};

/* Table 6.4 of the dissertation has no operator classes: N_inst counts as logic, the cheapest class, as in equation
 * (6.4).  The first digit of 590 is not legible in the table. */
#define THESIS(of, tables, keys, n_inst)                                                                           \
	{                                                                                                          \
		.name = of, .n_tbl = tables, .n_key = keys, .operators = { [OPERATOR_LOGIC] = n_inst }, .n_pt = 4, \
		.n_ct = 4, .fields = { tables }, .logic_functions = n_inst                                         \
	}
static const struct profile thesis[] = {
	THESIS("aes-128 table 6.4 4", 160, 44, 436),
	THESIS("camellia-128 table 6.4 4", 144, 48, 642),
	THESIS("sc2000-128 table 6.4 11,10,11", 72, 56, 506),
	THESIS("sc2000-128 table 6.4 6,10,10,6", 96, 56, 590),
};

static const struct profile *find(const struct profile *rows, size_t n, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

static const struct profile *find(const struct profile *rows, size_t n, const char *format, ...)
{
	char name[sizeof rows->name];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(name, sizeof name, format, arguments);
	va_end(arguments);
	for (const struct profile *row = rows; row < rows + n; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

unsigned profile_n_inst(const struct profile *profile)
{
	unsigned n = 0;

	for (int i = 0; i < N_OPERATORS; i++)
		n += profile->operators[i];
	return n;
}

const struct profile *profile_builtin(enum core_part part, const char *cipher, unsigned key_bits, const char *form)
{
	if (part == CORE_SHARED)
		key_bits = 128; /* the first rounds are those of all key sizes */
	return find(builtin, sizeof builtin / sizeof *builtin, "%s-%u table %s%s", cipher, key_bits, form,
	        core_part_names[part]);
}

const struct profile *profile_mode(const char *cipher, const char *mode)
{
	return find(builtin, sizeof builtin / sizeof *builtin, "%s %s", cipher, mode);
}

const struct profile *profile_thesis(const char *cipher, const char *form)
{
	return find(thesis, sizeof thesis / sizeof *thesis, "%s-128 table 6.4 %s", cipher, form);
}
