/*
 * Result of one of the dissertation's figures: a table of measured values, the values that could not be measured with
 * reasons, and whether the dissertation's conclusions hold. The writers print every figure in the same way and order.
 */
#ifndef FIGURE_H
#define FIGURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define MAX_FIGURE_ROWS        96
#define MAX_FIGURE_SERIES      16
#define MAX_FIGURE_NOTES       64
#define MAX_FIGURE_CONCLUSIONS 12

enum verdict { VERDICT_HOLDS, VERDICT_FAILS, VERDICT_OPEN, N_VERDICTS };

/* Why a variant has no value. */
enum note_kind { NOTE_IMPOSSIBLE, NOTE_WRONG, NOTE_FAILED };

struct figure_note {
	enum note_kind kind;
	char variant[64], reason[240];
};

struct conclusion {
	enum verdict verdict;
	char claim[320]; /* what the dissertation says, in other words */
	char found[400]; /* the value found here, in words with numbers */
};

/* A row is a group of bars, named by label, or a place on the x axis. */
struct figure_row {
	double x;
	char label[48]; /* "": the number */
};

struct figure_series {
	char name[64];
	bool printed;              /* in the dissertation, and not measured here */
	double y[MAX_FIGURE_ROWS]; /* by row; NAN: none */
};

struct figure {
	char name[24]; /* "4.8": of the files too */
	char title[120], x_label[64], y_label[64];
	bool bars, log_x, log_y;
	struct figure_row rows[MAX_FIGURE_ROWS]; /* bars: in order of mention, lines: of x */
	struct figure_series series[MAX_FIGURE_SERIES];
	struct figure_note notes[MAX_FIGURE_NOTES];
	struct conclusion conclusions[MAX_FIGURE_CONCLUSIONS];
	unsigned n_rows, n_series, n_notes, n_conclusions, n_spreads;
	double seconds;    /* that the run took */
	double spread;     /* of a kernel's runs: median over the shortest, less 1; the mean of all */
	char failure[400]; /* why it is not complete; "" if it is */
};

/* Filling.  What does not fit, in number or length, becomes the figure's failure; a series and a row
 * are made when they are first mentioned. */
void figure_bar(struct figure *figure, const char *series, const char *label, double y);
void figure_point(struct figure *figure, const char *series, double x, double y);
void figure_spread(struct figure *figure, double spread); /* of one kernel's runs */
void figure_mark_printed(struct figure *figure, const char *series);
void figure_note(struct figure *figure, enum note_kind kind, const char *variant, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
void figure_conclude(struct figure *figure, enum verdict verdict, const char *claim, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

static inline enum verdict verdict_of(bool holds)
{
	return holds ? VERDICT_HOLDS : VERDICT_FAILS;
}

/* Whether a is greater than b; less than 2 %, or than the runs of a kernel differ by, is no difference.
 * NAN: not measured. */
enum verdict figure_greater(const struct figure *figure, double a, double b);

/* A value that was filled in; NAN: there is none. */
double figure_y(const struct figure *figure, const char *series, const char *label);

extern const char *const verdict_names[], *const note_names[];

/* A row's label, or its x. */
const char *figure_row_text(char text[48], const struct figure_row *row);

/* Read the output of figure_json(). GPUCRYPT_CORRUPT for any other input; name is for the message. */
int figure_read(struct figure *figure, const json_t *json, const char *name);

/* Writers.  JSON: NULL if out of memory; freed by the caller.  The script is gnuplot's and draws an
 * SVG picture. */
json_t *figure_json(const struct figure *figure);
void figure_script(FILE *stream, const void *figure);
void figure_print(FILE *stream, const struct figure *figure);

/* A page with all figures; remark: date, driver and the like; pictures[i]: figure i has NAME.svg
 * beside it. */
void figure_page(FILE *stream, const char *device, const char *remark, const struct figure *figures,
        const bool *pictures, unsigned n);

#endif
