#include "command/json.h"

#include <stdlib.h>
#include <string.h>

#include "command/message.h"
#include "command/text.h"

/* Members. */

static const json_t *find_below(const json_t *json, const char *path)
{
	char name[64];

	for (size_t n; json && *path; path += n + (path[n] == '.')) {
		n = strcspn(path, ".");
		snprintf(name, sizeof name, "%.*s", (int)n, path);
		json = json_is_array(json) ? json_array_get(json, strtoul(name, NULL, 10))
		                           : json_object_get(json, name);
	}
	return json;
}

/* A pattern that is being filled. */
struct filling {
	const char *at; /* the next character of the pattern */
	const json_t *object, *whole;
	char *text;
};

static const json_t *find_member(const struct filling *filling, const char *path)
{
	const json_t *json = find_below(filling->object, path);

	if (!json)
		json = find_below(filling->whole, path);
	return json_is_null(json) ? NULL : json;
}

static bool is_true(const json_t *json)
{
	return json_is_true(json) || json_number_value(json) > 0 || json_string_length(json) > 0 ||
	       json_array_size(json) > 0;
}

/* Counts above 2^53 are strings (json_count()).  A quotient by 0 does not exist. */
static double find_number(const struct filling *filling, const char *formula)
{
	const char *sign = strchr(formula, '/') ? strchr(formula, '/') : strchr(formula, '-');
	const json_t *json;
	char left[64];
	double right;

	if (!sign) {
		json = find_member(filling, formula);
		return json_is_string(json) ? strtod(json_string_value(json), NULL) : json_number_value(json);
	}
	snprintf(left, sizeof left, "%.*s", (int)(sign - formula), formula);
	right = find_number(filling, sign + 1);
	if (*sign == '-')
		return find_number(filling, left) - right;
	return right > 0 ? find_number(filling, left) / right : 0;
}

/* Units. */

static void show_figure(char text[32], double value)
{
	figure_text(text, value);
}

/* 41521181 as 4.15e7, which is how the dissertation writes cycles. */
static void show_cycles(char text[32], double value)
{
	int exponent = 0;

	if (value < 1e4) {
		figure_text(text, value);
		return;
	}
	for (; value >= 9.995; exponent++)
		value /= 10;
	snprintf(text, 32, "%.2fe%d", value, exponent);
}

static void show_size(char text[32], double value)
{
	size_text(text, value < 0x1p64 ? (uint64_t)value : UINT64_MAX);
}

static void show_clock(char text[32], double value)
{
	unsigned long s = (unsigned long)value;

	snprintf(text, 32, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
}

static void show_factor(char text[32], double value)
{
	if (value >= 1.5)
		snprintf(text, 32, "%.*f times as fast as", value < 10, value);
	else
		snprintf(text, 32, "%.0f %% faster than", 100 * (value - 1));
}

static void show_time(char text[32], double value)
{
	bool minutes = value >= 100;

	snprintf(text, 32, "%.0f %s", minutes ? value / 60 : value + 0.5, minutes ? "minutes" : "s");
}

static const struct {
	const char *name;
	double factor, offset;
	const char *format;                        /* of factor × (value + offset); or NULL: */
	void (*show)(char text[32], double value); /* of factor × value */
} units[] = {
	{ "figure", 1, .show = show_figure },       /* three digits */
	{ "giga", 1e-9, .show = show_figure },      /* three digits, in units of 10^9 */
	{ "percent", 100, .format = "%.0f %%" },    /* "97 %" */
	{ "error", 100, -1, .format = "%+.1f %%" }, /* "-1.9 %" of a ratio of 0.981 */
	{ "factor", 1, .show = show_factor },       /* of two speeds */
	{ "cycles", 1, .show = show_cycles },       /* "4.15e7" */
	{ "size", 1, .show = show_size },           /* "16 GiB" */
	{ "amount", 1, .show = amount_text },       /* "1.07 GB" */
	{ "clock", 1, .show = show_clock },         /* "0:01:07" */
	{ "time", 1, .show = show_time },           /* "40 s", "3 minutes" */
};

static bool show_number(char text[PATTERN_TEXT], double value, const char *unit)
{
	for (size_t i = 0; unit && value > 0 && i < sizeof units / sizeof *units; i++)
		if (!strcmp(units[i].name, unit) && units[i].show)
			units[i].show(text, units[i].factor * value);
		else if (!strcmp(units[i].name, unit))
			snprintf(text, 32, units[i].format, units[i].factor * (value + units[i].offset));
	if (!unit)
		snprintf(text, PATTERN_TEXT, "%.9g", value);
	return value > 0;
}

static bool show_member(char text[PATTERN_TEXT], const json_t *json)
{
	if (json_is_string(json))
		snprintf(text, PATTERN_TEXT, "%s", json_string_value(json));
	else if (json_is_integer(json))
		snprintf(text, PATTERN_TEXT, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
	else if (json_is_real(json))
		snprintf(text, PATTERN_TEXT, "%.9g", json_real_value(json));
	else if (json_is_array(json))
		snprintf(text, PATTERN_TEXT, "%zu", json_array_size(json));
	else
		return false;
	return true;
}

/* Patterns. */

static void add_text(struct filling *filling, const char *text, size_t length)
{
	size_t used = strlen(filling->text);

	snprintf(filling->text + used, PATTERN_TEXT - used, "%.*s", (int)length, text);
}

/* Fill one field, from "{" to "}".  Returns false if the member does not exist. */
static bool add_member(struct filling *filling)
{
	char formula[96], text[PATTERN_TEXT] = "", *unit, *except;
	size_t length = strcspn(filling->at, "}");
	bool exists;

	snprintf(formula, sizeof formula, "%.*s", (int)length - 1, filling->at + 1);
	filling->at += length + (filling->at[length] == '}');
	if (*formula == '?')
		return is_true(find_member(filling, formula + 1));
	if ((unit = strchr(formula, ':')))
		*unit++ = '\0';
	if ((except = strchr(formula, '!')))
		*except++ = '\0';
	exists = unit || strpbrk(formula, "/-") ? show_number(text, find_number(filling, formula), unit)
	                                        : show_member(text, find_member(filling, formula));
	message_clean(text, true);
	add_text(filling, text, sizeof text);
	return exists && !(except && !strcmp(text, except));
}

/* Fill up to the end of the pattern, or up to the "]" that ends the alternatives. */
static bool add_alternatives(struct filling *filling)
{
	bool found = false, complete;

	do {
		size_t used = strlen(filling->text), n;

		for (complete = true; *filling->at && !strchr("|]", *filling->at);)
			if (*filling->at == '{')
				complete &= add_member(filling);
			else if (*filling->at == '[') {
				filling->at++;
				add_alternatives(filling);
			} else {
				n = strcspn(filling->at, "{[|]");
				add_text(filling, filling->at, n);
				filling->at += n;
			}
		if (found || !complete)
			filling->text[used] = '\0';
		found |= complete;
	} while (*filling->at && *filling->at++ == '|');
	return found;
}

bool pattern_fill(char text[PATTERN_TEXT], const char *pattern, const json_t *object, const json_t *whole)
{
	struct filling filling = { pattern, object, whole, text };
	bool found;

	text[0] = '\0';
	found = add_alternatives(&filling);
	message_clean(text, false); /* the text may end within a UTF-8 character */
	if (!found)
		snprintf(text, PATTERN_TEXT, "-");
	return found;
}

void pattern_print(FILE *stream, const char *pattern, const json_t *object, const json_t *whole)
{
	char text[PATTERN_TEXT];

	if (pattern_fill(text, pattern, object, whole))
		fprintf(stream, "%s\n", text);
}

void patterns_print(FILE *stream, const char *const *patterns, const json_t *json)
{
	for (size_t i = 0; i < json_array_size(json); i++)
		patterns_print(stream, patterns, json_array_get(json, i));
	for (; !json_is_array(json) && *patterns; patterns++)
		pattern_print(stream, *patterns, json, NULL);
}

/* Tables. */

static void print_cell(FILE *stream, const struct column *columns, unsigned i, unsigned n, const char *text)
{
	fprintf(stream, "%*s%s", columns[i].width, text, i + 1 < n ? " " : "\n");
}

void columns_print_heading(FILE *stream, const struct column *columns, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		print_cell(stream, columns, i, n, columns[i].heading);
}

void columns_print_row(
        FILE *stream, const struct column *columns, unsigned n, const json_t *object, const json_t *whole)
{
	char text[PATTERN_TEXT];

	for (unsigned i = 0; i < n; i++) {
		pattern_fill(text, columns[i].pattern, object, whole);
		print_cell(stream, columns, i, n, text);
	}
}

void columns_print(FILE *stream, const struct column *columns, unsigned n, const json_t *array, const json_t *whole)
{
	columns_print_heading(stream, columns, n);
	for (size_t i = 0; i < json_array_size(array); i++)
		columns_print_row(stream, columns, n, json_array_get(array, i), whole);
}

/* Data of plots. */

void pattern_data(FILE *stream, const char *name, const json_t *rows, const char *const *patterns, unsigned n)
{
	char text[PATTERN_TEXT];

	fprintf(stream, "%s << EOD\n", name);
	for (size_t r = 0; r < json_array_size(rows); r++)
		for (unsigned i = 0; i < n; i++) {
			bool exists = pattern_fill(text, patterns[i], json_array_get(rows, r), NULL);

			for (char *quote = text; (quote = strchr(quote, '"')) != NULL;)
				*quote = '\''; /* no tab ends a cell between two of them */
			fprintf(stream, "%s%s", exists ? text : "NaN", i + 1 < n ? "\t" : "\n");
		}
	fputs("EOD\n", stream);
}

bool pattern_exists(const json_t *rows, const char *pattern)
{
	char text[PATTERN_TEXT];

	for (size_t r = 0; r < json_array_size(rows); r++)
		if (pattern_fill(text, pattern, json_array_get(rows, r), NULL))
			return true;
	return false;
}
