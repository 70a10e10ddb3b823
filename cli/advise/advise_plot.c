/*
 * The JSON of an advice as a picture: for each cipher the kernel's cycles over the size, as in the dissertation's
 * figures 6.8 and 6.9, and beside it the throughput from memory to memory.
 */
#include <string.h>

#include "cli/advise/advise.h"
#include "cli/files/gnuplot.h"
#include "command/pattern.h"

#define PANEL_WIDTH  560
#define PANEL_HEIGHT 340

/* By engine: the CPU, then the devices, the last one for all together. */
static const char *const colours[] = { "#1b7837", "#08519c", "#762a83", "#b35806", "#d7301f" };

#define N_COLOURS (sizeof colours / sizeof *colours)

/* The columns of a row's points; throughput in GB/s. */
static const char *const cells[] = { "{bytes}", "{sa_cycles}", "{si_cycles}", "{estimate_cycles}", "{kernel_cycles}",
	"{bytes/predicted_s:giga}", "{bytes/measured_s:giga}" };

#define N_CELLS         (sizeof cells / sizeof *cells)
#define KERNEL_MEASURED 4
#define MEMORY_MEASURED 6

/* Rows and panels. */

/* The index of the first row, from i on, with this cipher and the advice's key size; if there is none, the number of
 * rows. */
static size_t next_row(const json_t *advice, const struct cipher *cipher, size_t i)
{
	const json_t *rows = json_object_get(advice, "rows"), *row;

	for (; (row = json_array_get(rows, i)); i++)
		if (!strcmp(json_string_value(json_object_get(row, "cipher")), cipher->name) &&
		        json_equal(json_object_get(row, "bits"), json_object_get(advice, "bits")))
			break;
	return i;
}

static const json_t *row_at(const json_t *advice, size_t i)
{
	return json_array_get(json_object_get(advice, "rows"), i);
}

static bool is_kernel(const json_t *row)
{
	return json_is_integer(json_object_get(row, "device"));
}

static double memory_s(const json_t *row)
{
	return json_number_value(json_object_get(json_object_get(row, "memory"), "seconds"));
}

/* The kernel is drawn for one device: the one that is predicted to be fastest from memory to memory. */
static const json_t *kernel_row(size_t *number, const json_t *advice, const struct cipher *cipher)
{
	const json_t *best = NULL, *row;

	for (size_t i = next_row(advice, cipher, 0); (row = row_at(advice, i)); i = next_row(advice, cipher, i + 1))
		if (is_kernel(row) && (!best || memory_s(row) < memory_s(best))) {
			best = row;
			*number = i;
		}
	return best;
}

/* The script. */

static void put_title(FILE *stream, const json_t *row, const json_t *advice, const char *what, const char *name)
{
	char suite[PATTERN_TEXT];

	pattern_fill(suite, "{cipher}-{bits}-{mode}", row, advice);
	fprintf(stream, "set title '%s: %s", suite, what);
	gnuplot_text(stream, name);
	fputs("'\n", stream);
}

/* Left: band, line and points of the kernel. */
static void put_kernel_panel(FILE *stream, const json_t *advice, const json_t *row, size_t i)
{
	const json_t *device = json_array_get(
	        json_object_get(advice, "devices"), (size_t)json_integer_value(json_object_get(row, "device")));

	put_title(stream, row, advice, "the kernel on ", json_string_value(json_object_get(device, "name")));
	fprintf(stream,
	        "set ylabel 'core cycles'\nset format y '10^{%%T}'\nset key top left\n"
	        "plot $row%zu using 1:2:3 with filledcurves fc '#9ecae1' title 'bounds: all overlaps (SA) to nothing "
	        "overlaps (SI)', $row%zu using 1:4 with lines lc '#08306b' lw 2 title 'overlap estimate'",
	        i, i);
	if (pattern_exists(json_object_get(row, "points"), cells[KERNEL_MEASURED]))
		fprintf(stream, ", $row%zu using 1:5 with points pt 7 ps 0.7 lc '#d7301f' title 'measured'", i);
	fputc('\n', stream);
}

static void put_engine(FILE *stream, const json_t *row, size_t i)
{
	size_t engine = is_kernel(row) ? 1 + (size_t)json_integer_value(json_object_get(row, "device")) : 0;
	char name[PATTERN_TEXT];
	bool hybrid = json_object_get(json_object_get(row, "plan"), "devices");
	const char *colour = colours[hybrid ? N_COLOURS - 1 : engine % (N_COLOURS - 1)];

	pattern_fill(name, ADVICE_ENGINE, row, NULL);
	fprintf(stream, "$row%zu using 1:6 with lines lc '%s' lw 2 title '%s, predicted'", i, colour, name);
	if (pattern_exists(json_object_get(row, "points"), cells[MEMORY_MEASURED]))
		fprintf(stream, ", $row%zu using 1:7 with points pt %zu ps 0.7 lc '%s' title '%s, measured'", i,
		        5 + 2 * engine, colour, name);
}

/* Right: a line, and points, for each engine. */
static void put_memory_panel(FILE *stream, const json_t *advice, const struct cipher *cipher)
{
	size_t i = next_row(advice, cipher, 0);

	put_title(stream, row_at(advice, i), advice, "memory to memory", "");
	fputs("set ylabel 'GB/s'\nset format y '%g'\nset key bottom right\nplot ", stream);
	for (const char *between = ""; row_at(advice, i); i = next_row(advice, cipher, i + 1), between = ", ") {
		fputs(between, stream);
		put_engine(stream, row_at(advice, i), i);
	}
	fputc('\n', stream);
}

static void put_head(FILE *stream, unsigned n_ciphers, unsigned n_columns)
{
	fprintf(stream, "set terminal svg size %u,%u font 'sans-serif,12' background 'white'\n",
	        PANEL_WIDTH * n_columns, PANEL_HEIGHT * n_ciphers);
	fprintf(stream, "set multiplot layout %u,%u\n", n_ciphers, n_columns);
	fputs("set logscale y\nset logscale x 2\nset format x '%.0b %BB'\nset xtics 262144,16\n"
	      "set grid lc '#d9d9d9'\nset xlabel 'input' offset 0,0.5\nset key Left reverse samplen 2\n"
	      "set lmargin 9\nset rmargin 3\n",
	        stream);
}

void advise_plot_script(FILE *stream, const void *json)
{
	const json_t *rows = json_object_get(json, "rows"), *row;
	unsigned n_ciphers = 0, n_columns = 1;
	char name[32];
	size_t i;

	json_array_foreach(rows, i, row)
	{
		snprintf(name, sizeof name, "$row%zu", i);
		pattern_data(stream, name, json_object_get(row, "points"), cells, N_CELLS);
		n_columns = is_kernel(row) ? 2 : n_columns;
	}
	for (const struct cipher *const *c = ciphers; *c; c++)
		n_ciphers += row_at(json, next_row(json, *c, 0)) != NULL;
	put_head(stream, n_ciphers, n_columns);
	for (const struct cipher *const *c = ciphers; *c; c++) {
		const json_t *kernel = kernel_row(&i, json, *c);

		if (!row_at(json, next_row(json, *c, 0)))
			continue;
		if (kernel)
			put_kernel_panel(stream, json, kernel, i);
		else if (n_columns > 1)
			fputs("set multiplot next\n", stream);
		put_memory_panel(stream, json, *c);
	}
	fputs("unset multiplot\n", stream);
}
