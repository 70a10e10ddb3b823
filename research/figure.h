/*
 * A figure is one JSON object, which is filled while an experiment runs, written to a file, and read again:
 * names of figure and axes; rows {x, label}; series {name, printed, points {x, label, y}}, in the order of the rows;
 * notes on variants without a value; conclusions {claim, found, verdict}; values {name: number}, which conclusions need
 * besides the points; and where and when it was measured.
 */
#ifndef RESEARCH_FIGURE_H
#define RESEARCH_FIGURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum verdict { VERDICT_HOLDS, VERDICT_FAILS, VERDICT_OPEN, N_VERDICTS };
enum note { NOTE_IMPOSSIBLE, NOTE_WRONG, NOTE_FAILED };

extern const char *const verdict_names[N_VERDICTS];

/* Make a figure with the name, title and axes of the experiment, and without points.  The caller owns the figure. */
json_t *figure_new(const json_t *experiment);

/* Add a point, with its row and series if the figure has none of these names, or replace the point.  A y of NAN adds
 * nothing.  figure_bar() appends new rows; figure_point() keeps the rows in the order of x. */
void figure_bar(json_t *figure, const char *series, const char *row, double y);
void figure_point(json_t *figure, const char *series, double x, double y);
void figure_printed(json_t *figure, const char *series); /* the dissertation printed the series; not measured */
void figure_note(json_t *figure, enum note kind, const char *variant, const char *reason);
void figure_set(json_t *figure, const char *name, double value);

/* Read values; NAN: the figure has no such value.  figure_best() is the greatest y in the series and rows whose names
 * match the patterns of fnmatch(3); a printed series must match as a whole name, without a pattern. */
double figure_value(const json_t *figure, const char *name);
double figure_best(const json_t *figure, const char *series, const char *row);
const json_t *figure_best_point(const json_t *figure, const char *series, const char *row, const char **name);
double figure_y(const json_t *series, double x);

/* A series as a line from left to right. */
struct line {
	unsigned n;
	double first, last, most, most_x; /* y of the first and last point, the greatest y, and its x */
	double level_x;                   /* from this x on, no y is more than 10 % above the last y */
	double converged_x;               /* from this x on, no y is more than 5 % below the greatest y */
};
struct line figure_line(const json_t *figure, const char *series);
double figure_last_x(const json_t *figure, bool first); /* x of the last row, or of the first row */

/* Is a greater than b?  VERDICT_OPEN if the difference is below 2 %, or below the spread of a kernel's runs. */
enum verdict figure_greater(const json_t *figure, double a, double b);

static inline enum verdict verdict_of(bool holds)
{
	return holds ? VERDICT_HOLDS : VERDICT_FAILS;
}

/* Check the structure of a figure that was read from a file.  GPUCRYPT_CORRUPT: the JSON is not a figure; the message
 * has the name. */
int figure_check(const json_t *figure, const char *name);

const char *text_of(const json_t *object, const char *key); /* "" if the member is missing */
void figure_print(FILE *stream, const json_t *figure);

/* Write FOLDER/NAME.json and NAME.svg for each figure of the array, and FOLDER/index.html.  Makes the folder if it is
 * missing.  Without gnuplot no pictures are written, and *drawn is false. */
int figures_write(const char *folder, const json_t *figures, bool *drawn);

#endif
