/*
 * The measurements as a plot: each cipher has a panel of bars, with one group for each key size, mode and direction.  A
 * mark above the bar of the chosen kernel shows the bound.
 */
#include <math.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/files/gnuplot.h"

#define PANEL_WIDTH  1240
#define PANEL_HEIGHT 330
#define GAP          1 /* between groups of bars, in bars; gnuplot takes a whole number */

/* One bar of each group; its column of the data. */
enum series {
	SERIES_HOST_CORE,
	SERIES_BITSLICED,
	SERIES_LIBGCRYPT,
	SERIES_LIBCRYPTO,
	SERIES_LIBCRYPTO_ALL,
	SERIES_POLICY,
	SERIES_CHOSEN,
	N_SERIES
};

static const struct {
	const char *colour, *title;
} looks[N_SERIES] = {
	[SERIES_HOST_CORE] = { "#bdbdbd", "reference implementation, 1 thread" },
	[SERIES_BITSLICED] = { "#737373", "bitsliced, 1 thread" },
	[SERIES_LIBGCRYPT] = { "#fdae6b", "libgcrypt, 1 thread" },
	[SERIES_LIBCRYPTO] = { "#a1d99b", "libcrypto, 1 thread" },
	[SERIES_LIBCRYPTO_ALL] = { "#238b45", "libcrypto, all threads" },
	[SERIES_POLICY] = { "#9ecae1", "kernel, the policy''s placement" },
	[SERIES_CHOSEN] = { "#08519c", "kernel, chosen" },
};

/* The plotted device, which is the device with the fastest kernel.  Returns 0 if there is no device. */
static unsigned drawn_device(const struct bench *bench)
{
	const struct bench_kernel *best = NULL;

	for (unsigned i = 0; i < bench->n_kernels; i++)
		if (!best || bench_speed(&bench->kernels[i]) > bench_speed(best))
			best = &bench->kernels[i];
	return best ? best->plan.device : 0;
}

/* A group of bars: a suite, and its chosen kernel on the device (NULL: there is none). */
struct group {
	const struct suite *suite;
	const struct bench_kernel *kernel;
};

/* Find group i in the order of the rows.  Returns false if there is no group i. */
static bool find_group(
        struct group *group, const struct bench *bench, unsigned device, const struct cipher *cipher, unsigned i)
{
	for (unsigned k = 0; device && k < bench->n_kernels; k++) {
		const struct bench_kernel *kernel = &bench->kernels[k];

		*group = (struct group){ &kernel->suite, kernel };
		if (kernel->suite.cipher == cipher && kernel->plan.device == device && kernel->chosen && i-- == 0)
			return true;
	}
	for (unsigned c = 0; !device && c < bench->n_cpu; c++) {
		*group = (struct group){ &bench->cpu[c].suite, NULL };
		if (bench->cpu[c].suite.cipher == cipher && i-- == 0)
			return true;
	}
	return false;
}

/* GB/s by series; 0: no bar. A policy that is also the chosen form has no bar of its own. */
static void fill_bars(double bars[N_SERIES], const struct bench *bench, const struct group *group)
{
	static const enum cpu_way ways[] = { [SERIES_HOST_CORE] = CPU_HOST_CORE,
		[SERIES_BITSLICED] = CPU_BITSLICED,
		[SERIES_LIBGCRYPT] = CPU_LIBGCRYPT,
		[SERIES_LIBCRYPTO] = CPU_LIBCRYPTO,
		[SERIES_LIBCRYPTO_ALL] = CPU_LIBCRYPTO_ALL };
	const struct bench_kernel *kernel = group->kernel, *policy = kernel ? bench_policy(bench, kernel) : NULL;
	const struct bench_cpu *cpu = bench_cpu_of(bench, group->suite);

	for (int s = SERIES_HOST_CORE; s <= SERIES_LIBCRYPTO_ALL; s++)
		bars[s] = cpu ? 1e-9 * cpu->bytes_per_s[ways[s]] : 0;
	bars[SERIES_POLICY] = policy && policy != kernel ? bench_speed(policy) : 0;
	bars[SERIES_CHOSEN] = kernel ? bench_speed(kernel) : 0;
}

/* A line of the data: name, bars, bound. */
static void put_group(FILE *stream, const struct bench *bench, const struct group *group)
{
	double bars[N_SERIES];
	char name[32];

	fill_bars(bars, bench, group);
	bench_suite(name, group->suite);
	fprintf(stream, "\"%s\"", strchr(name, '-') + 1);
	for (int s = 0; s < N_SERIES; s++)
		gnuplot_figure(stream, bars[s]);
	gnuplot_figure(stream, group->kernel ? 1e-9 * group->kernel->bound_bytes_per_s : 0);
	fputc('\n', stream);
}

/* "$aes": a line a group; how many there are. */
static unsigned put_groups(FILE *stream, const struct bench *bench, unsigned device, const struct cipher *cipher)
{
	struct group group;
	unsigned n = 0;

	fprintf(stream, "$%s << EOD\n", cipher->name);
	for (; find_group(&group, bench, device, cipher, n); n++)
		put_group(stream, bench, &group);
	fputs("EOD\n", stream);
	return n;
}

/* The bars in a cipher's panel, and whether the panel has a bound. */
struct panel {
	bool has[N_SERIES], has_bound;
};

static struct panel look_at(const struct bench *bench, unsigned device, const struct cipher *cipher)
{
	struct panel panel = { 0 };
	struct group group;

	for (unsigned i = 0; find_group(&group, bench, device, cipher, i); i++) {
		double bars[N_SERIES];

		fill_bars(bars, bench, &group);
		for (int s = 0; s < N_SERIES; s++)
			panel.has[s] |= bars[s] > 0;
		panel.has_bound |= group.kernel && group.kernel->bound_bytes_per_s > 0;
	}
	return panel;
}

/* Over the chosen kernel's bar, the last of n: its bound, and its speed in figures. */
static void put_marks(FILE *stream, const struct panel *panel, const char *name, unsigned n)
{
	/* gnuplot puts n bars of the width 1 / (n + gap) around each group's place. */
	double width = 1.0 / (n + GAP), place = (n - 1) / 2.0 * width;

	if (panel->has_bound)
		fprintf(stream,
		        ", $%s using ($0 + %.6g):%d:(%.6g) with xerrorbars pt 0 lw 2 lc rgb "
		        "'#d7301f' title 'its bound'",
		        name, place, N_SERIES + 2, 0.5 * width);
	/* A bound that is near would be covered. */
	if (panel->has[SERIES_CHOSEN])
		fprintf(stream,
		        ", $%s using ($0 + %.6g):(b = column(%d), k = column(%d), b > k && b < 1.8 "
		        "* k "
		        "? b : k):(sprintf('%%.3g', k)) with labels boxed offset 0,0.6 font ',9' "
		        "textcolor "
		        "rgb '%s' notitle",
		        name, place, N_SERIES + 2, N_SERIES + 1, looks[SERIES_CHOSEN].colour);
}

static void put_panel(FILE *stream, const struct bench *bench, unsigned device, const struct cipher *cipher)
{
	const struct panel panel = look_at(bench, device, cipher);
	struct group group;
	unsigned n = 0, n_groups = 0;

	while (find_group(&group, bench, device, cipher, n_groups))
		n_groups++;
	fprintf(stream, "set xrange [-0.6:%.1f]\nset title '%s", n_groups - 0.4, cipher->name);
	if (device) {
		fputs(" on ", stream);
		gnuplot_text(stream, bench->devices[device - 1].name);
	}
	fputs("' offset 0,-0.5\nplot ", stream);
	for (int s = 0; s < N_SERIES; s++)
		if (panel.has[s]) {
			fprintf(stream, "%s$%s using %d%s lc rgb '%s' title '%s'", n > 0 ? ", " : "", cipher->name,
			        s + 2, n == 0 ? ":xtic(1)" : "", looks[s].colour, looks[s].title);
			n++;
		}
	put_marks(stream, &panel, cipher->name, n);
	fputc('\n', stream);
}

/* Panels can be compared: their scale is the same, from a power of ten to above all marks. */
static void put_scale(FILE *stream, const struct bench *bench, unsigned device)
{
	double least = HUGE_VAL, most = 0;
	struct group group;

	for (const struct cipher *const *c = ciphers; *c; c++)
		for (unsigned i = 0; find_group(&group, bench, device, *c, i); i++) {
			double bars[N_SERIES + 1] = { 0 };

			fill_bars(bars, bench, &group);
			if (group.kernel)
				bars[N_SERIES] = 1e-9 * group.kernel->bound_bytes_per_s;
			for (int s = 0; s <= N_SERIES; s++) {
				least = bars[s] > 0 ? fmin(least, bars[s]) : least;
				most = fmax(most, bars[s]);
			}
		}
	if (most > 0)
		fprintf(stream, "set yrange [%.9g:%.9g]\n", pow(10, floor(log10(least / 1.2))), 3 * most);
}

void bench_plot_script(FILE *stream, const struct bench *bench)
{
	unsigned device = drawn_device(bench), n_panels = 0;
	struct group group;

	for (const struct cipher *const *c = ciphers; *c; c++)
		n_panels += put_groups(stream, bench, device, *c) > 0;
	fprintf(stream, "set terminal svg size %d,%u font 'sans-serif,12' background 'white'\n", PANEL_WIDTH,
	        PANEL_HEIGHT * n_panels);
	fprintf(stream, "set multiplot layout %u,1\n", n_panels);
	fprintf(stream, "set style data histograms\nset style histogram clustered gap %d\n", GAP);
	fputs("set style fill solid noborder\nset style textbox opaque noborder margins 0.4,0.2\n"
	      "set logscale y\nset format y '%g'\n"
	      "set ylabel 'GB/s'\nset grid y lc rgb '#d9d9d9'\n"
	      "set xtics nomirror scale 0 font ',11'\nset lmargin 9\nset rmargin 34\n"
	      "set key at graph 1.02, graph 1 left top Left reverse samplen 1\n",
	        stream);
	put_scale(stream, bench, device);
	for (const struct cipher *const *c = ciphers; *c; c++)
		if (find_group(&group, bench, device, *c, 0))
			put_panel(stream, bench, device, *c);
	fputs("unset multiplot\n", stream);
}

static void write_script(FILE *stream, const void *self)
{
	bench_plot_script(stream, self);
}

int bench_plot(const struct bench *bench, struct output *output)
{
	return gnuplot_draw(output, write_script, bench);
}
