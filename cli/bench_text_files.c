/* What was measured with files, in a table within 120 columns. */
#include <stdio.h>

#include "bench.h"
#include "figure.h"
#include "message.h"

#define FORMAT "%-21s%-8s%-10s%8s%9s%9s%10s%8s%6s %-12s %s\n"

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

const char *bench_file_name(char text[32], const struct bench_file *row)
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
	char name[32], engine[24], busiest[24], cpu_s[16] = "-", text[5][16];

	if (row->cpu_s > 0)
		snprintf(cpu_s, sizeof cpu_s, "%.2f", row->cpu_s);
	fprintf(stream, FORMAT, bench_file_name(name, row), row->to_file ? "file" : "nowhere",
	        bench_engine(engine, &row->plan),
	        row->failure[0]
	                ? "failed"
	                : figure_text(text[0], gigabytes_per_s(row->n_bytes, row->seconds[0])),
	        figure_text(text[1], row->start_s),
	        figure_text(text[2], gigabytes_per_s(row->n_bytes, steady_s)),
	        figure_text(text[3], gigabytes_per_s(row->n_bytes, row->predicted_s)),
	        cpu_s,
	        figure_text(text[4], (double)(row->resident_bytes >> 20)),
	        bench_busiest(busiest, row->busiest, row->busy),
	        row->bottleneck ? row->bottleneck : "-");
}

void bench_print_files(FILE *stream, const struct bench *bench)
{
	char size[32], folder[100];

	size_text(size, bench->files[0].n_bytes);
	snprintf(folder, sizeof folder, "%s", bench->folder ? bench->folder : "-");
	message_clean(folder, true);
	fprintf(stream,
	        "\nfrom a file of %s that was written or read before, best of %d, start included; without it, and "
	        "what\nis predicted for that; the CPU's seconds; the most memory of the whole process; the stage "
	        "that waited least\nin %s\n\n" FORMAT,
	        size, BENCH_MEMORY_RUNS, folder, "", "to", "engine", "GB/s", "start s", "without",
	        "predicted", "CPU s", "MiB", "busiest", "bottleneck");
	for (unsigned i = 0; i < bench->n_files; i++)
		print_row(stream, &bench->files[i]);
}
