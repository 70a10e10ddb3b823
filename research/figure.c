#include "research/figure.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "command/json.h"
#include "gpucrypt/status.h"

#define NO_DIFFERENCE 0.02
#define LEVEL         1.1
#define CONVERGED     0.95

const char *const verdict_names[] = { "holds", "does not hold", "cannot be told" };
static const char *const note_names[] = { "not possible", "wrong result", "failed" };

json_t *figure_new(const json_t *experiment)
{
	static const char *const copied[] = { "title", "kind", "x", "y", "log_x", "log_y" };
	static const char *const lists[] = { "rows", "series", "notes", "conclusions" };
	json_t *figure = json_object();

	json_object_set(figure, "figure", json_object_get(experiment, "name"));
	for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
		json_object_set(figure, copied[i], json_object_get(experiment, copied[i]));
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		json_object_set_new(figure, lists[i], json_array());
	json_object_set_new(figure, "seconds", json_real(0));
	json_object_set_new(figure, "spread", json_real(0));
	json_object_set_new(figure, "values", json_object());
	return figure;
}

const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Filling. */

/* The index at which an object with this x belongs in an array that is sorted by x. */
static size_t place_of(const json_t *array, double x)
{
	size_t i = 0;

	while (i < json_array_size(array) && number(json_array_get(array, i), "x") < x)
		i++;
	return i;
}

static void insert(json_t *array, double x, json_t *object)
{
	size_t i = place_of(array, x);

	if (number(json_array_get(array, i), "x") == x)
		json_array_set_new(array, i, object);
	else
		json_array_insert_new(array, i, object);
}

/* The index of the object whose member has this text; the array's size if no object has it. */
static size_t find(const json_t *array, const char *key, const char *text)
{
	size_t i = 0;

	while (i < json_array_size(array) && strcmp(text_of(json_array_get(array, i), key), text) != 0)
		i++;
	return i;
}

static json_t *series_of(json_t *figure, const char *name)
{
	json_t *all = json_object_get(figure, "series");
	size_t i = find(all, "name", name);

	if (i == json_array_size(all))
		json_array_append_new(all, json_pack("{s:s, s:b, s:[]}", "name", name, "printed", false, "points"));
	return json_array_get(all, i);
}

static void put_point(json_t *figure, const char *series, double x, const char *label, double y)
{
	insert(json_object_get(series_of(figure, series), "points"), x,
	        json_pack("{s:f, s:s, s:f}", "x", x, "label", label, "y", y));
}

void figure_bar(json_t *figure, const char *series, const char *row, double y)
{
	json_t *rows = json_object_get(figure, "rows");
	size_t i = find(rows, "label", row);

	if (i == json_array_size(rows))
		json_array_append_new(rows, json_pack("{s:f, s:s}", "x", (double)i, "label", row));
	if (!isnan(y))
		put_point(figure, series, (double)i, row, y);
}

void figure_point(json_t *figure, const char *series, double x, double y)
{
	char label[32];

	snprintf(label, sizeof label, "%g", x);
	insert(json_object_get(figure, "rows"), x, json_pack("{s:f, s:s}", "x", x, "label", ""));
	put_point(figure, series, x, label, y);
}

void figure_printed(json_t *figure, const char *series)
{
	json_object_set_new(series_of(figure, series), "printed", json_true());
}

void figure_note(json_t *figure, enum note kind, const char *variant, const char *reason)
{
	json_array_append_new(json_object_get(figure, "notes"), json_pack("{s:s, s:s, s:o}", "variant", variant, "kind",
	                                                                note_names[kind], "reason", json_text(reason)));
}

void figure_set(json_t *figure, const char *name, double value)
{
	json_object_set_new(json_object_get(figure, "values"), name, json_real(value));
}

/* Reading. */

double figure_value(const json_t *figure, const char *name)
{
	return number(json_object_get(figure, "values"), name);
}

const json_t *figure_best_point(const json_t *figure, const char *series, const char *row, const char **name)
{
	const json_t *each, *point, *best = NULL;
	size_t i, j;

	json_array_foreach(json_object_get(figure, "series"), i, each)
	{
		const char *own = text_of(each, "name");
		bool printed = json_is_true(json_object_get(each, "printed"));

		if (printed ? strcmp(series, own) != 0 : fnmatch(series, own, 0) != 0)
			continue;
		json_array_foreach(json_object_get(each, "points"), j, point)
		{
			if (fnmatch(row, text_of(point, "label"), 0) == 0 &&
			        (best == NULL || number(point, "y") > number(best, "y")))
				best = point, *name = own;
		}
	}
	return best;
}

double figure_best(const json_t *figure, const char *series, const char *row)
{
	const char *name;

	return number(figure_best_point(figure, series, row, &name), "y");
}

double figure_y(const json_t *series, double x)
{
	const json_t *points = json_object_get(series, "points"), *point = json_array_get(points, place_of(points, x));

	return number(point, "x") == x ? number(point, "y") : NAN;
}

double figure_last_x(const json_t *figure, bool first)
{
	const json_t *rows = json_object_get(figure, "rows");

	return number(json_array_get(rows, first ? 0 : json_array_size(rows) - 1), "x");
}

struct line figure_line(const json_t *figure, const char *name)
{
	const json_t *all = json_object_get(figure, "series"),
	             *points = json_object_get(json_array_get(all, find(all, "name", name)), "points"), *point;
	struct line line = { (unsigned)json_array_size(points), NAN, NAN, NAN, NAN, NAN, NAN };
	size_t i;

	line.first = number(json_array_get(points, 0), "y");
	line.last = number(json_array_get(points, line.n - 1), "y");
	json_array_foreach(points, i, point)
	{
		if (!(number(point, "y") <= line.most))
			line.most = number(point, "y"), line.most_x = number(point, "x");
	}
	json_array_foreach(points, i, point)
	{
		double x = number(point, "x"), y = number(point, "y");

		line.level_x = y > LEVEL * line.last ? NAN : isnan(line.level_x) ? x : line.level_x;
		if (y < CONVERGED * line.most || isnan(line.converged_x))
			line.converged_x = i + 1 < line.n && y < CONVERGED * line.most ? NAN : x;
	}
	return line;
}

enum verdict figure_greater(const json_t *figure, double a, double b)
{
	double least = 1 + fmax(NO_DIFFERENCE, number(figure, "spread"));

	if (a > least * b)
		return VERDICT_HOLDS;
	return b > least * a ? VERDICT_FAILS : VERDICT_OPEN;
}

/* Check the file of an earlier run. */

#define VALID(json, ...) (json_unpack_ex((json_t *)(json), NULL, JSON_VALIDATE_ONLY, __VA_ARGS__) == 0)

int figure_check(const json_t *figure, const char *name)
{
	const json_t *rows = json_object_get(figure, "rows"), *item, *point;
	size_t i, j;
	bool good = VALID(figure, "{s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:F, s:F, s:o, s:o, s:o, s:o}", "figure",
	                    "title", "kind", "x", "y", "log_x", "log_y", "seconds", "spread", "rows", "series", "notes",
	                    "conclusions") &&
	            VALID(figure, "{s:s, s:s, s:s, s:b, s:s}", "device", "driver", "date", "quick", "clock");

	json_array_foreach(rows, i, item)
	{
		good = good && VALID(item, "{s:F, s:s}", "x", "label");
	}
	json_array_foreach(json_object_get(figure, "notes"), i, item)
	{
		good = good && VALID(item, "{s:s, s:s, s:s}", "variant", "kind", "reason");
	}
	json_array_foreach(json_object_get(figure, "series"), i, item)
	{
		good = good && VALID(item, "{s:s, s:b, s:o}", "name", "printed", "points");
		json_array_foreach(json_object_get(item, "points"), j, point)
		{
			good = good && VALID(point, "{s:F, s:s, s:F}", "x", "label", "y") &&
			       number(json_array_get(rows, place_of(rows, number(point, "x"))), "x") ==
			               number(point, "x");
		}
	}
	return good ? GPUCRYPT_OK : fail(GPUCRYPT_CORRUPT, "%s: not a figure of ppf study", name);
}
