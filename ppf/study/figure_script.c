/* A figure as a script for gnuplot. */
#include <math.h>

#include "figure.h"
#include "ppf/gnuplot.h"

#define WIDTH  1000
#define HEIGHT 480

static const char *const colours[] = { "#08519c", "#d7301f", "#238b45", "#fd8d3c", "#6a51a3",
	"#737373", "#6baed6", "#fb6a4a", "#a1d99b", "#fdbe85" };

#define N_COLOURS (sizeof(colours) / sizeof(colours[0]))

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

/* Lines have points on them, since there may be one alone. */
static void put_series(FILE *stream, const struct figure *figure, unsigned s)
{
	fprintf(stream, "%s$data using ", s == 0 ? "" : ", ");
	if (figure->bars)
		fprintf(stream, "%u%s", s + 3, s == 0 ? ":xtic(1)" : "");
	else
		fprintf(stream, "2:%u with linespoints pt 7 ps 0.5 lw 2", s + 3);
	fprintf(stream, " lc rgb '%s'%s title '", colours[s % N_COLOURS],
	        figure->bars || s < N_COLOURS ? "" : " dt 2");
	gnuplot_text(stream, figure->series[s].name);
	fputs("' noenhanced", stream);
}

void figure_script(FILE *stream, const void *self)
{
	const struct figure *figure = self;

	put_data(stream, figure);
	fprintf(stream, "set terminal svg size %d,%d font 'sans-serif,12' background 'white'\n",
	        WIDTH, HEIGHT);
	put_label(stream, "title", figure->title);
	put_label(stream, "xlabel", figure->x_label);
	put_label(stream, "ylabel", figure->y_label);
	fputs("set grid y lc rgb '#d9d9d9'\nset key outside right top Left reverse samplen 1\n"
	      "set format y '%g'\n",
	        stream);
	if (figure->bars)
		fputs("set style data histograms\nset style histogram clustered gap 1\n"
		      "set style fill solid noborder\nset xtics noenhanced nomirror scale 0 rotate "
		      "by -40\n",
		        stream);
	if (figure->log_x)
		fputs("set logscale x 2\n", stream);
	fputs(figure->log_y ? "set logscale y\n" : "set yrange [0:*]\n", stream);
	fputs("plot ", stream);
	for (unsigned s = 0; s < figure->n_series; s++)
		put_series(stream, figure, s);
	fputc('\n', stream);
}
