/*
 * The advice as a picture: for each cipher the kernel's cycles over the size, as in the
 * dissertation's figures 6.8 and 6.9, and beside it the throughput from memory to memory.
 */
#include "cli/advise/advise.h"
#include "cli/terminal/figure.h"
#include "cli/files/gnuplot.h"

#define PANEL_WIDTH  560
#define PANEL_HEIGHT 340

/* By engine: the CPU, then the devices, the last one for all together. */
static const char *const colours[] = { "#1b7837", "#08519c", "#762a83", "#b35806", "#d7301f" };

#define N_COLOURS (sizeof colours / sizeof *colours)

/* Rows and panels. */

static bool has_key_size(const struct advice *advice, const struct advice_row *row)
{
	return 8 * row->choice.suite.key_bytes == advice->bits && !row->failed;
}

/* The next row of a cipher and the advice's key size after `row` (NULL: the first). */
static const struct advice_row *next_row(
        const struct advice *advice, const struct cipher *cipher, const struct advice_row *row)
{
	for (row = row ? row + 1 : advice->rows; row < advice->rows + advice->n_rows; row++)
		if (row->choice.suite.cipher == cipher && has_key_size(advice, row))
			return row;
	return NULL;
}

/* The kernel is drawn for one device: the one that is fastest from memory to memory. */
static const struct advice_row *kernel_row(const struct advice *advice, const struct cipher *cipher)
{
	const struct advice_row *best = NULL, *row = NULL;

	while ((row = next_row(advice, cipher, row)))
		if (row->choice.device && (!best || row->seconds.least < best->seconds.least))
			best = row;
	return best;
}

static bool has_kernels(const struct advice *advice)
{
	for (unsigned i = 0; i < advice->n_rows; i++)
		if (has_key_size(advice, &advice->rows[i]) && advice->rows[i].choice.device)
			return true;
	return false;
}

static bool has_measured_points(const struct advice_row *row, bool kernel)
{
	for (unsigned i = 0; i < row->n_points; i++)
		if ((kernel ? row->points[i].kernel_cycles : row->points[i].measured_s) > 0)
			return true;
	return false;
}

/* The script. */

/* "$aes_0": a row's points. */
static void put_name(FILE *stream, const struct advice *advice, const struct advice_row *row)
{
	fprintf(stream, "$row%td", row - advice->rows);
}

static void put_points(FILE *stream, const struct advice *advice, const struct advice_row *row)
{
	put_name(stream, advice, row);
	fputs(" << EOD\n", stream);
	for (const struct advice_point *p = row->points; p < row->points + row->n_points; p++) {
		double giga = 1e-9 * (double)p->n_bytes;

		fprintf(stream, "%llu", (unsigned long long)p->n_bytes);
		gnuplot_figure(stream, p->sa_cycles);
		gnuplot_figure(stream, p->si_cycles);
		gnuplot_figure(stream, p->estimate_cycles);
		gnuplot_figure(stream, p->kernel_cycles);
		gnuplot_figure(stream, p->predicted_s > 0 ? giga / p->predicted_s : 0);
		gnuplot_figure(stream, p->measured_s > 0 ? giga / p->measured_s : 0);
		fputc('\n', stream);
	}
	fputs("EOD\n", stream);
}

/* A label every fourth power of 2, fewer where there are many. */
static void put_size_axis(FILE *stream, const struct advice *advice)
{
	const struct advice_row *row = &advice->rows[0];
	uint64_t first = row->points[0].n_bytes, last = row->points[row->n_points - 1].n_bytes;
	int step = last / first > 1 << 20 ? 64 : last / first > 1 << 10 ? 16 : 4;
	const char *between = "";
	char size[32];

	fputs("set xtics (", stream);
	for (uint64_t n = first; n <= last; n *= (unsigned)step, between = ", ") {
		size_text(size, n);
		fprintf(stream, "%s\"%s\" %llu", between, size, (unsigned long long)n);
		if (n > UINT64_MAX / (unsigned)step)
			break;
	}
	fprintf(stream, ")\nset xrange [%.9g:%.9g]\n", (double)first / 1.3, (double)last * 1.3);
}

static void put_title(FILE *stream, const struct advice_row *row, const char *what)
{
	fprintf(stream, "set title '%s-%u-%s: %s", row->choice.suite.cipher->name, 8 * row->choice.suite.key_bytes,
	        row->choice.suite.mode->name, what);
	if (row->choice.device)
		gnuplot_text(stream, row->choice.device->device.name);
	fputs("'\n", stream);
}

/* Left: band, line and points of the kernel. */
static void put_kernel_panel(FILE *stream, const struct advice *advice, const struct advice_row *row)
{
	put_title(stream, row, "the kernel on ");
	fputs("set ylabel 'core cycles'\nset format y '10^{%T}'\nset key top left\nplot ", stream);
	put_name(stream, advice, row);
	fputs(" using 1:2:3 with filledcurves fc '#9ecae1' title 'bounds: all overlaps (SA) to nothing overlaps (SI)', ",
	        stream);
	put_name(stream, advice, row);
	fputs(" using 1:4 with lines lc '#08306b' lw 2 title 'overlap estimate'", stream);
	if (has_measured_points(row, true)) {
		fputs(", ", stream);
		put_name(stream, advice, row);
		fputs(" using 1:5 with points pt 7 ps 0.7 lc '#d7301f' title 'measured'", stream);
	}
	fputc('\n', stream);
}

static void put_engine(FILE *stream, const struct advice *advice, const struct advice_row *row)
{
	unsigned engine = row->choice.device ? row->choice.plan.device : 0;
	const char *colour = colours[row->choice.n_parts > 0 ? N_COLOURS - 1 : engine % (N_COLOURS - 1)];
	char name[24];

	advise_engine(name, row);
	put_name(stream, advice, row);
	fprintf(stream, " using 1:6 with lines lc '%s' lw 2 title '%s, predicted'", colour, name);
	if (!has_measured_points(row, false))
		return;
	fputs(", ", stream);
	put_name(stream, advice, row);
	fprintf(stream, " using 1:7 with points pt %u ps 0.7 lc '%s' title '%s, measured'", 5 + 2 * engine, colour,
	        name);
}

/* Right: a line, and points, for each engine. */
static void put_memory_panel(FILE *stream, const struct advice *advice, const struct cipher *cipher)
{
	const struct advice_row *row = next_row(advice, cipher, NULL);

	fprintf(stream, "set title '%s-%u-%s: memory to memory, %s tags'\n", cipher->name, advice->bits,
	        advice->mode->name, advice->volume ? "without" : "with");
	fputs("set ylabel 'GB/s'\nset format y '%g'\nset key bottom right\nplot ", stream);
	for (const char *between = ""; row; row = next_row(advice, cipher, row), between = ", ") {
		fputs(between, stream);
		put_engine(stream, advice, row);
	}
	fputc('\n', stream);
}

void advise_plot_script(FILE *stream, const struct advice *advice)
{
	bool kernels = has_kernels(advice);
	unsigned n_ciphers = 0;

	for (unsigned i = 0; i < advice->n_rows; i++)
		put_points(stream, advice, &advice->rows[i]);
	for (const struct cipher *const *c = ciphers; *c; c++)
		n_ciphers += next_row(advice, *c, NULL) != NULL;
	fprintf(stream, "set terminal svg size %u,%u font 'sans-serif,12' background 'white'\n",
	        PANEL_WIDTH * (kernels ? 2 : 1), PANEL_HEIGHT * n_ciphers);
	fprintf(stream, "set multiplot layout %u,%u\n", n_ciphers, kernels ? 2 : 1);
	fputs("set logscale xy\nset grid lc '#d9d9d9'\nset xlabel 'input' offset 0,0.5\nset key "
	      "Left reverse "
	      "samplen 2\nset lmargin 9\nset rmargin 3\n",
	        stream);
	put_size_axis(stream, advice);
	for (const struct cipher *const *c = ciphers; *c; c++) {
		const struct advice_row *kernel = kernel_row(advice, *c);

		if (kernel)
			put_kernel_panel(stream, advice, kernel);
		else if (kernels && next_row(advice, *c, NULL))
			fputs("set multiplot next\n", stream);
		if (next_row(advice, *c, NULL))
			put_memory_panel(stream, advice, *c);
	}
	fputs("unset multiplot\n", stream);
}

static void write_script(FILE *stream, const void *self)
{
	advise_plot_script(stream, self);
}

int advise_plot(const struct advice *advice, struct output *output)
{
	return gnuplot_draw(output, write_script, advice);
}
