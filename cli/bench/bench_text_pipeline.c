/* Print measured pipelines as tables of at most 120 columns. */
#include <stdio.h>

#include "cli/bench/bench.h"
#include "cli/terminal/figure.h"
#include "cli/terminal/message.h"

#define MEMORY_FORMAT "%-21s%-10s%-10s%8s%10s%11s%11s  %-13s%s\n"
#define FILE_FORMAT   "%-21s%-8s%-10s%8s%9s%9s%10s%8s%6s %-12s %s\n"

/* Columns of both tables. */
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

static const char *name_of(char text[32], const struct suite *suite, enum file_verb verb)
{
	snprintf(text, 32, "%s-%u-%s %s", suite->cipher->name, 8 * suite->key_bytes, suite->mode->name,
	        file_verbs[verb]);
	return text;
}

/* Memory to memory. */

void bench_print_memory_row(FILE *stream, const struct bench_pipeline *row)
{
	enum file_verb verb = row->suite.direction == ENCRYPT ? FILE_ENC : FILE_DEC;
	const struct columns columns = columns_of(row);
	char name[32], size[32];

	size_text(size, row->n_bytes);
	fprintf(stream, MEMORY_FORMAT, name_of(name, &row->suite, verb), columns.engine, size, columns.speed,
	        columns.start_s, columns.steady, columns.predicted, columns.busiest, columns.bottleneck);
}

void bench_print_memory_heading(FILE *stream)
{
	fprintf(stream,
	        "\nfrom memory to memory, with tags, best of %d, start included; without it, and what is "
	        "predicted for that;\nand the stage that waited least\n\n" MEMORY_FORMAT,
	        BENCH_PIPELINE_RUNS, "", "engine", "over", "GB/s", "start s", "without", "predicted", "busiest",
	        "bottleneck");
}

/* With files. */

const char *bench_file_name(char text[32], const struct bench_file *row)
{
	if (row->verb == FILE_ENC || row->verb == FILE_DEC)
		return name_of(text, &row->pipeline.suite, row->verb);
	snprintf(text, 32, "%s", file_verbs[row->verb]);
	return text;
}

void bench_print_file_row(FILE *stream, const struct bench_file *row)
{
	const struct columns columns = columns_of(&row->pipeline);
	char name[32], cpu_s[16] = "-", resident[16];

	if (row->cpu_s > 0)
		snprintf(cpu_s, sizeof cpu_s, "%.2f", row->cpu_s);
	figure_text(resident, (double)(row->resident_bytes >> 20));
	fprintf(stream, FILE_FORMAT, bench_file_name(name, row), row->to_file ? "file" : "nowhere", columns.engine,
	        columns.speed, columns.start_s, columns.steady, columns.predicted, cpu_s, resident, columns.busiest,
	        columns.bottleneck);
}

void bench_print_file_heading(FILE *stream, const struct bench *bench)
{
	char size[32], folder[100];

	size_text(size, bench->files[0].pipeline.n_bytes);
	snprintf(folder, sizeof folder, "%s", bench->folder ? bench->folder : "-");
	message_clean(folder, true);
	fprintf(stream,
	        "\nfrom a file of %s that was written or read before, best of %d, start included; without it, and "
	        "what\nis predicted for that; the CPU's seconds; the most memory of the whole process; the stage "
	        "that waited least\nin %s\n\n" FILE_FORMAT,
	        size, BENCH_PIPELINE_RUNS, folder, "", "to", "engine", "GB/s", "start s", "without", "predicted",
	        "CPU s", "MiB", "busiest", "bottleneck");
}
