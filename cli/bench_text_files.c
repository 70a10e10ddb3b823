/* What was measured with files, in a table within 120 columns. */
#include <stdio.h>

#include "bench.h"
#include "figure.h"

#define FORMAT "%-21s%-11s%-10s%7s%9s%9s%11s%8s%6s  %-13s%s\n"

const char *bench_engine(char text[24], const struct gpucrypt_plan *plan)
{
	if (plan->device)
		snprintf(text, 24, "device %u", plan->device - 1);
	else
		snprintf(text, 24, "%s", plan->n_parts > 0 ? engine_all.name : "CPU");
	return text;
}

const char *bench_busiest(char text[24], const char *busiest, double busy)
{
	if (busiest)
		snprintf(text, 24, "%.12s %.0f %%", busiest, 100 * busy);
	else
		snprintf(text, 24, "-");
	return text;
}

/* "aes-256-ctr enc", "copy" */
static const char *row_name(char text[32], const struct bench_file *row)
{
	if (row->verb == FILE_ENC || row->verb == FILE_DEC)
		snprintf(text, 32, "%s-%u-%s %s", row->suite.cipher->name, 8 * row->suite.key_bytes,
		        row->suite.mode->name, file_verbs[row->verb]);
	else
		snprintf(text, 32, "%s", file_verbs[row->verb]);
	return text;
}

static void print_row(FILE *stream, const struct bench_file *row)
{
	double steady_s = row->start_s > 0 ? row->seconds[0] - row->start_s : 0;
	char name[32], engine[24], busiest[24], text[6][16];

	fprintf(stream, FORMAT, row_name(name, row), row->to_file ? "to a file" : "to nowhere",
	        bench_engine(engine, &row->plan),
	        row->failure[0]
	                ? "failed"
	                : figure_text(text[0], gigabytes_per_s(row->n_bytes, row->seconds[0])),
	        figure_text(text[1], row->start_s),
	        figure_text(text[2], gigabytes_per_s(row->n_bytes, steady_s)),
	        figure_text(text[3], gigabytes_per_s(row->n_bytes, row->predicted_s)),
	        figure_text(text[4], row->cpu_s),
	        figure_text(text[5], (double)(row->resident_bytes >> 20)),
	        bench_busiest(busiest, row->busiest, row->busy),
	        row->bottleneck ? row->bottleneck : "-");
}

void bench_print_files(FILE *stream, const struct bench *bench)
{
	char size[32];

	size_text(size, bench->files[0].n_bytes);
	fprintf(stream,
	        "\nfrom a file of %s that was read before, in %.60s, best of %d, start included; without it, and "
	        "what\nis predicted for that; the CPU's seconds, the most memory, and the stage with least time to "
	        "wait\n\n" FORMAT,
	        size, bench->folder ? bench->folder : "-", BENCH_MEMORY_RUNS, "", "", "engine", "GB/s",
	        "start s", "without", "predicted", "CPU s", "MiB", "at work", "bottleneck");
	for (unsigned i = 0; i < bench->n_files; i++)
		print_row(stream, &bench->files[i]);
}
