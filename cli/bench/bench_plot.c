/*
 * The JSON of measurements as a picture: each cipher on each device has a panel of bars, with one group for each key
 * size, mode and direction.  A mark above the bar of the chosen kernel shows the bound.
 */
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/files/gnuplot.h"
#include "command/pattern.h"

#define PANEL_HEIGHT 330
#define GAP          1 /* between groups of bars, in bars; gnuplot takes a whole number */

/* Columns of a panel's data: a group's name, its bars in GB/s, and the bound of the last bar. */
enum { NAME, CHOSEN = 7, BOUND, N_CELLS };

static const char *const cells[N_CELLS] = { "{bits}-{mode} {direction}", "{host_core:giga}", "{bitsliced:giga}",
	"{libgcrypt:giga}", "{libcrypto:giga}", "{libcrypto_all:giga}", "{bytes_per_s/times_policy:giga}",
	"{bytes_per_s:giga}", "{bound_bytes_per_s:giga}" };

/* Colours and titles of the bars. */
static const char *const looks[N_CELLS][2] = {
	{ 0 },
	{ "#bdbdbd", "reference implementation, 1 thread" },
	{ "#737373", "bitsliced, 1 thread" },
	{ "#fdae6b", "libgcrypt, 1 thread" },
	{ "#a1d99b", "libcrypto, 1 thread" },
	{ "#238b45", "libcrypto, all threads" },
	{ "#9ecae1", "kernel, the policy''s placement" },
	{ "#08519c", "kernel, chosen" },
};

static bool have_equal(const json_t *a, const json_t *b, const char *member)
{
	return json_equal(json_object_get(a, member), json_object_get(b, member));
}

static bool have_equal_suites(const json_t *a, const json_t *b)
{
	return have_equal(a, b, "cipher") && have_equal(a, b, "bits") && have_equal(a, b, "mode") &&
	       have_equal(a, b, "direction");
}

/* The chosen kernels of a cipher on a device, each with the CPU's figures of its suite; device NULL: the CPU's figures.
 * The caller owns the array. */
static json_t *panel_groups(const json_t *bench, const char *cipher, const json_t *device)
{
	const json_t *cpus = json_object_get(bench, "cpu");
	json_t *groups = json_array(), *group, *row;
	size_t i;

	json_array_foreach(device ? json_object_get(bench, "kernels") : cpus, i, row)
	{
		if (strcmp(json_string_value(json_object_get(row, "cipher")), cipher) != 0)
			continue;
		if (device && !(json_is_true(json_object_get(row, "chosen")) &&
		                      json_equal(json_object_get(row, "device"), json_object_get(device, "number"))))
			continue;
		group = json_copy(row);
		for (size_t c = 0; c < json_array_size(cpus); c++)
			if (have_equal_suites(row, json_array_get(cpus, c)))
				json_object_update_missing(group, json_array_get(cpus, c));
		json_array_append_new(groups, group);
	}
	return groups;
}

/* Above the bar of the chosen kernel, the last of n bars, draw the kernel's bound and print its speed. */
static void put_marks(FILE *stream, const json_t *groups, unsigned n)
{
	/* gnuplot puts n bars of the width 1 / (n + gap) around each group's place. */
	double width = 1.0 / (n + GAP), place = (n - 1) / 2.0 * width;

	if (pattern_exists(groups, cells[BOUND]))
		fprintf(stream,
		        ", $data using ($0 + %.6g):%d:(%.6g) with xerrorbars pt 0 lw 2 lc rgb '#d7301f' title 'its bound'",
		        place, BOUND + 1, 0.5 * width);
	/* A bound that is near would be covered. */
	if (pattern_exists(groups, cells[CHOSEN]))
		fprintf(stream,
		        ", $data using ($0 + %.6g):(b = column(%d), k = column(%d), b > k && b < 1.8 * k ? b : "
		        "k):(sprintf('%%.3g', k)) with labels boxed offset 0,0.6 font ',9' textcolor rgb '%s' notitle",
		        place, BOUND + 1, CHOSEN + 1, looks[CHOSEN][0]);
}

static void put_panel(FILE *stream, const json_t *groups, const char *cipher, const json_t *device)
{
	unsigned n = 0;

	pattern_data(stream, "$data", groups, cells, N_CELLS);
	fprintf(stream, "set xrange [-0.6:%zu.6]\nset title '%s", json_array_size(groups) - 1, cipher);
	if (device) {
		fputs(" on ", stream);
		gnuplot_text(stream, json_string_value(json_object_get(device, "name")));
	}
	fputs("' offset 0,-0.5\nplot ", stream);
	for (int c = NAME + 1; c <= CHOSEN; c++)
		if (pattern_exists(groups, cells[c])) {
			fprintf(stream, "%s$data using %d%s lc rgb '%s' title '%s'", n > 0 ? ", " : "", c + 1,
			        n == 0 ? ":xtic(1)" : "", looks[c][0], looks[c][1]);
			n++;
		}
	put_marks(stream, groups, n);
	fputc('\n', stream);
}

/* Write the panels of all ciphers on a device (NULL: on the CPU).  Returns the number of panels; stream NULL: only
 * count the panels. */
static unsigned put_panels(FILE *stream, const json_t *bench, const json_t *device)
{
	unsigned n = 0;

	for (const struct cipher *const *c = ciphers; *c; c++) {
		json_t *groups = panel_groups(bench, (*c)->name, device);

		if (stream && json_array_size(groups) > 0)
			put_panel(stream, groups, (*c)->name, device);
		n += json_array_size(groups) > 0;
		json_decref(groups);
	}
	return n;
}

static unsigned put_devices(FILE *stream, const json_t *bench)
{
	const json_t *devices = json_object_get(bench, "devices");
	unsigned n = 0;

	for (size_t i = 0; i < json_array_size(devices); i++)
		n += put_panels(stream, bench, json_array_get(devices, i));
	return n > 0 ? n : put_panels(stream, bench, NULL);
}

/* Pictures of different machines can be compared: the scale is always the same. */
void bench_plot_script(FILE *stream, const void *bench)
{
	unsigned n = put_devices(NULL, bench);

	fprintf(stream, "set terminal svg size 1240,%u font 'sans-serif,12' background 'white'\n", PANEL_HEIGHT * n);
	fprintf(stream, "set multiplot layout %u,1\nset datafile separator '\\t'\n", n);
	fprintf(stream, "set style data histograms\nset style histogram clustered gap %d\n", GAP);
	fputs("set style fill solid noborder\nset style textbox opaque noborder margins 0.4,0.2\n"
	      "set logscale y\nset yrange [0.01:2000]\nset format y '%g'\n"
	      "set ylabel 'GB/s'\nset grid y lc rgb '#d9d9d9'\n"
	      "set xtics nomirror scale 0 font ',9'\nset lmargin 9\nset rmargin 34\n"
	      "set key at graph 1.02, graph 1 left top Left reverse samplen 1\n",
	        stream);
	put_devices(stream, bench);
	fputs("unset multiplot\n", stream);
}
