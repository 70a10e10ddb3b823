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

/* With the name, title and axes of the experiment, and without points. */
json_t *figure_new(const json_t *experiment);

/* Rows and series are made when they are first mentioned; a point that is there is replaced.  A NAN is left out.
 * figure_bar(): rows are in the order of mention; figure_point(): rows are in the order of x. */
void figure_bar(json_t *figure, const char *series, const char *row, double y);
void figure_point(json_t *figure, const char *series, double x, double y);
void figure_printed(json_t *figure, const char *series); /* in the dissertation, and not measured here */
void figure_note(json_t *figure, enum note kind, const char *variant, const char *reason);
void figure_set(json_t *figure, const char *name, double value);

/* Reading; NAN: not there.  figure_best(): the greatest y of the series and rows that match the patterns of fnmatch(3);
 * a printed series counts only by its whole name. */
double figure_value(const json_t *figure, const char *name);
double figure_best(const json_t *figure, const char *series, const char *row);
const json_t *figure_best_point(const json_t *figure, const char *series, const char *row, const char **name);
double figure_y(const json_t *series, double x);

/* A series as a line from left to right. */
struct line {
	unsigned n;
	double first, last, most, most_x; /* y of the ends, the greatest y, and its x */
	double level_x;                   /* from there on no y is more than 10 % above the last one */
	double converged_x;               /* from there on no y is more than 5 % below the greatest one */
};
struct line figure_line(const json_t *figure, const char *series);
double figure_last_x(const json_t *figure, bool first); /* of the last row, or the first one */

/* Whether a is greater than b.  A difference below 2 %, or below the spread of a kernel's runs, is none. */
enum verdict figure_greater(const json_t *figure, double a, double b);

static inline enum verdict verdict_of(bool holds)
{
	return holds ? VERDICT_HOLDS : VERDICT_FAILS;
}

/* The one that is true: GPUCRYPT_OK, or GPUCRYPT_CORRUPT if it is not a figure; name is for the message. */
int figure_check(const json_t *figure, const char *name);

const char *text_of(const json_t *object, const char *key); /* "": none */
void figure_print(FILE *stream, const json_t *figure);

/* Write FOLDER/NAME.json and NAME.svg for each figure of the array, and FOLDER/index.html.  The folder is made. Without
 * gnuplot there are no pictures, and *drawn is false. */
int figures_write(const char *folder, const json_t *figures, bool *drawn);

#endif
