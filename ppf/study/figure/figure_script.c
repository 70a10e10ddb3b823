/* A figure as a script for gnuplot. */
#include <math.h>
#include <string.h>

#include "ppf/study/figure/figure.h"
#include "ppf/gnuplot.h"

#define WIDTH       1100
#define HEIGHT      480
#define BARS_HEIGHT 620 /* with names of rows below */
#define MAX_LETTERS 140 /* of these, side by side */

/* Plot measured values beside those that the dissertation printed. */
static const char *const colours[2][8] = {
	{ "#08519c", "#d7301f", "#238b45", "#fd8d3c", "#6a51a3", "#252525", "#0097a7", "#8d6e63" },
	{ "#9ecae1", "#fcae91", "#a1d99b", "#fdd0a2", "#cbc9e2", "#bdbdbd", "#b2ebf2", "#d7ccc8" },
};

#define N_COLOURS (sizeof(colours[0]) / sizeof(colours[0][0]))

/* "$data": a line a row: name, x, values. */
static void put_data(FILE *stream, const struct figure *figure)
{
	char label[48];

	fputs("$data << EOD\n", stream);
	for (unsigned i = 0; i < figure->n_rows; i++) {
		fputc('"', stream);
		for (const char *c = figure_row_text(label, &figure->rows[i]); *c != '\0'; c++)
			fputc((unsigned char)*c < ' ' || *c == '"' ? '?' : *c, stream);
		fprintf(stream, "\" %.9g", figure->rows[i].x);
		for (unsigned s = 0; s < figure->n_series; s++)
			if (isnan(figure->series[s].y[i]))
				fputs(" NaN", stream);
			else
				fprintf(stream, " %.9g", figure->series[s].y[i]);
		fputc('\n', stream);
	}
	fputs("EOD\n", stream);
}

static void put_label(FILE *stream, const char *what, const char *text)
{
	fprintf(stream, "set %s '", what);
	gnuplot_text(stream, text);
	fputs("' noenhanced\n", stream);
}

/* Number of earlier series of the same kind. */
static const char *colour_of(const struct figure *figure, unsigned s)
{
	bool printed = figure->series[s].printed;
	unsigned n = 0;

	for (unsigned i = 0; i < s; i++)
		n += figure->series[i].printed == printed;
	return colours[printed][n % N_COLOURS];
}

/* Lines have points on them, since there may be one alone. */
static void put_series(FILE *stream, const struct figure *figure, unsigned s)
{
	fprintf(stream, "%s$data using ", s == 0 ? "" : ", ");
	if (figure->bars)
		fprintf(stream, "%u%s", s + 3, s == 0 ? ":xtic(1)" : "");
	else
		fprintf(stream, "2:%u with linespoints pt %u ps 0.6 lw 2%s", s + 3, 4 + s % 10,
		        figure->series[s].printed ? " dt 2" : "");
	fprintf(stream, " lc rgb '%s' title '", colour_of(figure, s));
	gnuplot_text(stream, figure->series[s].name);
	fputs("' noenhanced", stream);
}

/* On a logarithmic scale bars stand on the power of ten below all of them.  A single point needs a
 * range around it. */
static void put_scales(FILE *stream, const struct figure *figure)
{
	double least = HUGE_VAL;
	bool negative = false;

	for (unsigned s = 0; s < figure->n_series; s++)
		for (unsigned i = 0; i < figure->n_rows; i++) {
			negative |= figure->series[s].y[i] < 0;
			if (figure->series[s].y[i] > 0)
				least = fmin(least, figure->series[s].y[i]);
		}
	if (figure->log_x)
		fputs("set logscale x 2\n", stream);
	if (figure->n_rows == 1 && figure->log_x)
		fprintf(stream, "set xrange [%.9g:%.9g]\n", figure->rows[0].x / 2, 2 * figure->rows[0].x);
	if (!figure->log_y && negative)
		fputs("set yrange [*<0:0<*]\nset xzeroaxis lt -1\n", stream);
	else if (!figure->log_y)
		fputs("set yrange [0:*]\n", stream);
	else if (least < HUGE_VAL)
		fprintf(stream, "set logscale y\nset yrange [%.9g:*]\n", pow(10, floor(log10(least / 1.2))));
}

/* Names of rows lie aslant where they have no room side by side. */
static void put_bars(FILE *stream, const struct figure *figure)
{
	size_t letters = 0;

	for (unsigned i = 0; i < figure->n_rows; i++)
		letters += 2 + strlen(figure->rows[i].label);
	fprintf(stream,
	        "set xrange [-0.6:%.1f]\nset style data histograms\n"
	        "set style histogram clustered gap 1\nset style fill solid noborder\n"
	        "set xtics noenhanced nomirror scale 0%s font ',11'\n",
	        figure->n_rows - 0.4, letters > MAX_LETTERS ? " rotate by 40 right\nset lmargin 14\nset xtics" : "");
}

void figure_script(FILE *stream, const void *self)
{
	const struct figure *figure = self;

	put_data(stream, figure);
	fprintf(stream, "set terminal svg size %d,%d font 'sans-serif,12' background 'white'\n", WIDTH,
	        figure->bars ? BARS_HEIGHT : HEIGHT);
	put_label(stream, "title", figure->title);
	put_label(stream, "xlabel", figure->x_label);
	put_label(stream, "ylabel", figure->y_label);
	fputs("set grid y lc rgb '#d9d9d9'\nset format y '%g'\n"
	      "set key outside top center horizontal Left reverse samplen 1\n",
	        stream);
	if (figure->bars)
		put_bars(stream, figure);
	put_scales(stream, figure);
	fputs("plot ", stream);
	for (unsigned s = 0; s < figure->n_series; s++)
		put_series(stream, figure, s);
	fputc('\n', stream);
}
