#include "ppf/study/figure/figure.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

const char *const verdict_names[] = { "holds", "does not hold", "cannot be told" };
const char *const note_names[] = { "not possible", "wrong result", "failed" };

#define NO_DIFFERENCE 0.02

enum verdict figure_greater(const struct figure *figure, double a, double b)
{
	double least = 1 + fmax(NO_DIFFERENCE, figure->spread);

	if (a > least * b)
		return VERDICT_HOLDS;
	return b > least * a ? VERDICT_FAILS : VERDICT_OPEN;
}

void figure_spread(struct figure *figure, double spread)
{
	figure->spread += (spread - figure->spread) / ++figure->n_spreads;
}

static void incomplete(struct figure *figure, const char *why)
{
	if (figure->failure[0] == '\0')
		snprintf(figure->failure, sizeof(figure->failure), "%s", why);
}

/* A text in its field; one that does not fit makes the figure incomplete. */
static void put_text(struct figure *figure, char *field, size_t n, const char *format, va_list list)
{
	int length = vsnprintf(field, n, format, list);

	if (length < 0 || (size_t)length >= n)
		incomplete(figure, "a text is too long");
}

static void copy_text(struct figure *figure, char *field, size_t n, const char *text)
{
	if ((size_t)snprintf(field, n, "%s", text) >= n)
		incomplete(figure, "a name is too long");
}

static struct figure_series *find_series(const struct figure *figure, const char *name)
{
	for (unsigned i = 0; i < figure->n_series; i++)
		if (strcmp(figure->series[i].name, name) == 0)
			return (struct figure_series *)&figure->series[i];
	return NULL;
}

static struct figure_series *series_of(struct figure *figure, const char *name)
{
	struct figure_series *series = find_series(figure, name);

	if (series != NULL)
		return series;
	if (figure->n_series == MAX_FIGURE_SERIES) {
		incomplete(figure, "too many series");
		return NULL;
	}
	series = &figure->series[figure->n_series++];
	copy_text(figure, series->name, sizeof(series->name), name);
	for (unsigned i = 0; i < MAX_FIGURE_ROWS; i++)
		series->y[i] = NAN;
	return series;
}

void figure_mark_printed(struct figure *figure, const char *name)
{
	struct figure_series *series = series_of(figure, name);

	if (series != NULL)
		series->printed = true;
}

/* Room for a row in place i. */
static bool open_row(struct figure *figure, unsigned i)
{
	unsigned behind = figure->n_rows - i;

	if (figure->n_rows == MAX_FIGURE_ROWS) {
		incomplete(figure, "too many rows");
		return false;
	}
	memmove(&figure->rows[i + 1], &figure->rows[i], behind * sizeof(figure->rows[0]));
	for (unsigned s = 0; s < figure->n_series; s++) {
		double *y = figure->series[s].y;
		memmove(&y[i + 1], &y[i], behind * sizeof(y[0]));
		y[i] = NAN;
	}
	figure->n_rows++;
	return true;
}

static unsigned find_label(const struct figure *figure, const char *label)
{
	unsigned i = 0;

	while (i < figure->n_rows && strcmp(figure->rows[i].label, label) != 0)
		i++;
	return i;
}

void figure_bar(struct figure *figure, const char *name, const char *label, double y)
{
	struct figure_series *series = series_of(figure, name);
	unsigned i = find_label(figure, label);

	if (series == NULL || (i == figure->n_rows && !open_row(figure, i)))
		return;
	figure->rows[i].x = i;
	copy_text(figure, figure->rows[i].label, sizeof(figure->rows[i].label), label);
	series->y[i] = y;
}

void figure_point(struct figure *figure, const char *name, double x, double y)
{
	struct figure_series *series = series_of(figure, name);
	unsigned i = 0;

	while (i < figure->n_rows && figure->rows[i].x < x)
		i++;
	if (series == NULL)
		return;
	if (i == figure->n_rows || figure->rows[i].x > x) {
		if (!open_row(figure, i))
			return;
		figure->rows[i] = (struct figure_row){ .x = x };
	}
	series->y[i] = y;
}

double figure_y(const struct figure *figure, const char *name, const char *label)
{
	const struct figure_series *series = find_series(figure, name);
	unsigned i = find_label(figure, label);

	return series == NULL || i == figure->n_rows ? NAN : series->y[i];
}

void figure_note(struct figure *figure, enum note_kind kind, const char *variant, const char *format, ...)
{
	struct figure_note *note = &figure->notes[figure->n_notes];
	va_list list;

	if (figure->n_notes == MAX_FIGURE_NOTES) {
		incomplete(figure, "too many notes");
		return;
	}
	figure->n_notes++;
	note->kind = kind;
	copy_text(figure, note->variant, sizeof(note->variant), variant);
	va_start(list, format);
	put_text(figure, note->reason, sizeof(note->reason), format, list);
	va_end(list);
}

/* printf's text for NAN as a whole word, not as part of another word. */
static char *find_nan(const char *text, char *from)
{
	char *nan = strstr(from, "nan");

	while (nan != NULL && (isalpha((unsigned char)nan[3]) || (nan > text && isalpha((unsigned char)nan[-1]))))
		nan = strstr(nan + 3, "nan");
	return nan != NULL && nan > text && strchr("+-", nan[-1]) != NULL ? nan - 1 : nan;
}

/* It is no word for a reader. */
static void name_missing(struct figure *figure, char *text, size_t n_bytes)
{
	char rest[sizeof(figure->conclusions[0].found)];

	for (char *nan = find_nan(text, text); nan != NULL; nan = find_nan(text, nan)) {
		copy_text(figure, rest, sizeof(rest), nan + strcspn(nan, "n") + 3);
		copy_text(figure, nan, n_bytes - (size_t)(nan - text), "(not measured)");
		nan += strlen(nan);
		copy_text(figure, nan, n_bytes - (size_t)(nan - text), rest);
	}
}

void figure_conclude(struct figure *figure, enum verdict verdict, const char *claim, const char *format, ...)
{
	struct conclusion *conclusion = &figure->conclusions[figure->n_conclusions];
	va_list list;

	if (figure->n_conclusions == MAX_FIGURE_CONCLUSIONS) {
		incomplete(figure, "too many conclusions");
		return;
	}
	figure->n_conclusions++;
	conclusion->verdict = verdict;
	copy_text(figure, conclusion->claim, sizeof(conclusion->claim), claim);
	va_start(list, format);
	put_text(figure, conclusion->found, sizeof(conclusion->found), format, list);
	va_end(list);
	name_missing(figure, conclusion->found, sizeof(conclusion->found));
}

const char *figure_row_text(char text[48], const struct figure_row *row)
{
	if (row->label[0] != '\0')
		snprintf(text, 48, "%s", row->label);
	else
		snprintf(text, 48, "%g", row->x);
	return text;
}
