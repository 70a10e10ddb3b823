/* A figure from the JSON of an earlier run. */
#include <math.h>
#include <string.h>

#include "ppf/study/figure/figure.h"
#include "gpucrypt/status.h"

static bool take_text(char *field, size_t n, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL && (size_t)snprintf(field, n, "%s", text) < n;
}

static bool take_number(double *field, const json_t *object, const char *key)
{
	const json_t *number = json_object_get(object, key);

	*field = json_number_value(number);
	return json_is_number(number);
}

/* Read one of n names. */
static bool take_name(unsigned *field, unsigned n, const char *const *names, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	for (*field = 0; text != NULL && *field < n; ++*field)
		if (strcmp(names[*field], text) == 0)
			return true;
	return false;
}

static bool take_row(struct figure *figure, const json_t *json)
{
	struct figure_row *row = &figure->rows[figure->n_rows++];

	return take_number(&row->x, json, "x") && take_text(row->label, sizeof(row->label), json, "label");
}

/* The row that a point of a series is in. */
static bool find_row(const struct figure *figure, double x, const char *label, unsigned *row)
{
	char text[48];

	for (*row = 0; label != NULL && *row < figure->n_rows; ++*row)
		if (figure->rows[*row].x == x && strcmp(figure_row_text(text, &figure->rows[*row]), label) == 0)
			return true;
	return false;
}

static bool take_series(struct figure *figure, const json_t *json)
{
	struct figure_series *series = &figure->series[figure->n_series++];
	const json_t *points = json_object_get(json, "points"), *point;
	bool good = take_text(series->name, sizeof(series->name), json, "name");
	size_t i;

	series->printed = json_is_true(json_object_get(json, "printed"));
	for (unsigned row = 0; row < MAX_FIGURE_ROWS; row++)
		series->y[row] = NAN;
	json_array_foreach(points, i, point)
	{
		const char *label = json_string_value(json_object_get(point, "label"));
		unsigned row = 0;
		double x, y;
		good = good && take_number(&x, point, "x") && take_number(&y, point, "y") &&
		       find_row(figure, x, label, &row);
		if (good)
			series->y[row] = y;
	}
	return good;
}

static bool take_note(struct figure *figure, const json_t *json)
{
	struct figure_note *note = &figure->notes[figure->n_notes++];
	unsigned kind;
	bool good = take_name(&kind, NOTE_FAILED + 1, note_names, json, "kind");

	note->kind = (enum note_kind)kind;
	return good && take_text(note->variant, sizeof(note->variant), json, "variant") &&
	       take_text(note->reason, sizeof(note->reason), json, "reason");
}

static bool take_conclusion(struct figure *figure, const json_t *json)
{
	struct conclusion *conclusion = &figure->conclusions[figure->n_conclusions++];
	unsigned verdict;
	bool good = take_name(&verdict, N_VERDICTS, verdict_names, json, "verdict");

	conclusion->verdict = (enum verdict)verdict;
	return good && take_text(conclusion->claim, sizeof(conclusion->claim), json, "claim") &&
	       take_text(conclusion->found, sizeof(conclusion->found), json, "found");
}

static const struct {
	const char *key;
	size_t most;
	bool (*take)(struct figure *figure, const json_t *json);
} lists[] = {
	{ "rows", MAX_FIGURE_ROWS, take_row }, /* before the series, which refer to them */
	{ "series", MAX_FIGURE_SERIES, take_series },
	{ "notes", MAX_FIGURE_NOTES, take_note },
	{ "conclusions", MAX_FIGURE_CONCLUSIONS, take_conclusion },
};

static bool take_lists(struct figure *figure, const json_t *json)
{
	const json_t *item;
	size_t i;

	for (size_t list = 0; list < sizeof(lists) / sizeof(lists[0]); list++) {
		const json_t *array = json_object_get(json, lists[list].key);
		if (!json_is_array(array) || json_array_size(array) > lists[list].most)
			return false;
		json_array_foreach(array, i, item) if (!lists[list].take(figure, item)) return false;
	}
	return true;
}

int figure_read(struct figure *figure, const json_t *json, const char *name)
{
	static const char *const kinds[] = { "lines", "bars" };
	unsigned kind;
	bool good;

	memset(figure, 0, sizeof(*figure));
	good = take_name(&kind, 2, kinds, json, "kind") &&
	       take_text(figure->name, sizeof(figure->name), json, "figure") &&
	       take_text(figure->title, sizeof(figure->title), json, "title") &&
	       take_text(figure->x_label, sizeof(figure->x_label), json, "x") &&
	       take_text(figure->y_label, sizeof(figure->y_label), json, "y") &&
	       take_number(&figure->seconds, json, "seconds") && take_number(&figure->spread, json, "spread") &&
	       take_lists(figure, json);
	if (!good)
		return fail(GPUCRYPT_CORRUPT, "%s: not a figure of ppf study", name);
	figure->bars = kind == 1;
	figure->log_x = json_is_true(json_object_get(json, "log_x"));
	figure->log_y = json_is_true(json_object_get(json, "log_y"));
	if (json_object_get(json, "failure") != NULL)
		take_text(figure->failure, sizeof(figure->failure), json, "failure");
	return GPUCRYPT_OK;
}
