/* Print measured pipelines as tables of at most 120 columns. */
#include <stdio.h>

#include "cli/bench/bench.h"
#include "cli/terminal/figure.h"

#define MEMORY_FORMAT "%-21s%-10s%-10s%8s%10s%11s%11s  %-13s%s\n"

struct columns {
	char engine[24], speed[16], start_s[16], steady[16], predicted[16], busiest[24];
	const char *bottleneck;
};

static struct columns columns_of(const struct bench_pipeline *row)
{
	double steady_s = row->start_s > 0 ? row->seconds[0] - row->start_s : 0;
	struct columns columns = {
		.speed = "failed", .busiest = "-", .bottleneck = row->bottleneck ? row->bottleneck : "-"
	};

	if (row->plan.device)
		snprintf(columns.engine, sizeof columns.engine, "device %u", row->plan.device - 1);
	else
		snprintf(columns.engine, sizeof columns.engine, "%s", row->plan.n_parts > 0 ? engine_all.name : "CPU");
	if (!row->failure[0])
		figure_text(columns.speed, gigabytes_per_s(row->n_bytes, row->seconds[0]));
	figure_text(columns.start_s, row->start_s);
	figure_text(columns.steady, gigabytes_per_s(row->n_bytes, steady_s));
	figure_text(columns.predicted, gigabytes_per_s(row->n_bytes, row->predicted_s));
	if (row->busiest)
		snprintf(columns.busiest, sizeof columns.busiest, "%.12s %.0f %%", row->busiest, 100 * row->busy);
	return columns;
}

void bench_print_memory_row(FILE *stream, const struct bench_pipeline *row)
{
	const struct suite *suite = &row->suite;
	const struct columns columns = columns_of(row);
	char name[32], size[32];

	snprintf(name, sizeof name, "%s-%u-%s %s", suite->cipher->name, 8 * suite->key_bytes, suite->mode->name,
	        suite->direction == ENCRYPT ? "enc" : "dec");
	size_text(size, row->n_bytes);
	fprintf(stream, MEMORY_FORMAT, name, columns.engine, size, columns.speed, columns.start_s, columns.steady,
	        columns.predicted, columns.busiest, columns.bottleneck);
}

void bench_print_memory_heading(FILE *stream)
{
	fprintf(stream,
	        "\nfrom memory to memory, with tags, best of %d, start included; without it, and what is "
	        "predicted for that;\nand the stage that waited least\n\n" MEMORY_FORMAT,
	        BENCH_PIPELINE_RUNS, "", "engine", "over", "GB/s", "start s", "without", "predicted", "busiest",
	        "bottleneck");
}
