/* Print the JSON of measurements as tables of at most 120 columns. */
#include "cli/bench/bench.h"
#include "cli/terminal/pattern.h"

#define N_OF(columns) (sizeof(columns) / sizeof *(columns))

#define SUITE "{cipher}-{bits}-{mode} {direction}"

static const struct column kernel_columns[] = {
	{ -20, "", SUITE },
	{ -6, "", "[{?chosen}chosen|{?policy}policy]" },
	{ -16, "tables", "{table}[ x{copies!1}][ {table_space!local}]" },
	{ -8, "keys", "{key_space}" },
	{ -14, "groups x items", "{work_groups}x{work_items}[x{counters!1}]" },
	{ 6, "GB/s", "[{?failure}failed|{bytes_per_s:giga}|-]" },
	{ 8, "of bound", "{of_bound:percent}" },
	{ -17, "by", "{bound}" },
	{ 12, "times policy", "{times_policy:figure}" },
};

static const struct column cpu_columns[] = {
	{ -20, "", SUITE },
	{ 10, "512 bits", "{vectors_512:giga}[, {vectors_512/vectors_512_bound:percent}]" },
	{ 10, "256", "{vectors_256:giga}[, {vectors_256/vectors_256_bound:percent}]" },
	{ 10, "128", "{vectors_128:giga}[, {vectors_128/vectors_128_bound:percent}]" },
	{ 4, "512", "{vectors_512_bound/core_clock_hz:figure}" },
	{ 4, "256", "{vectors_256_bound/core_clock_hz:figure}" },
	{ 4, "128", "{vectors_128_bound/core_clock_hz:figure}" },
	{ 9, "bitsliced", "{bitsliced:giga}" },
	{ 6, "tables", "{host_core:giga}" },
	{ 9, "libcrypto", "{libcrypto:giga}" },
	{ 11, "all threads", "{libcrypto_all:giga}" },
	{ 9, "libgcrypt", "{libgcrypt:giga}" },
};

static const struct column memory_columns[] = {
	{ -20, "", SUITE },
	{ -9, "engine", "[device {device}|{?together}all|CPU]" },
	{ 8, "over", "{bytes:size}" },
	{ 7, "GB/s", "[{?failure}failed|{bytes_per_s:giga}|-]" },
	{ 9, "start, s", "{start_s:figure}" },
	{ 8, "without", "[{?start_s}{bytes/seconds.0-start_s:giga}|-]" },
	{ 9, "predicted", "{bytes/predicted_s:giga}" },
	{ -13, "busiest", "{busiest} {busy:percent}" },
	{ 0, "bottleneck", "{bottleneck}" },
};

static void print_device(FILE *stream, const json_t *bench, const json_t *device)
{
	json_t *rows = json_array(), *kernel;
	size_t i;

	json_array_foreach(json_object_get(bench, "kernels"), i, kernel)
	{
		if (json_equal(json_object_get(kernel, "device"), json_object_get(device, "number")))
			json_array_append(rows, kernel);
	}
	if (json_array_size(rows) > 0) {
		pattern_print(stream,
		        "\ndevice {number}: {name}, {compute_units} units, {clock_hz:giga} GHz, its record "
		        "[{?record_measured}measured here|a default]\n"
		        "{bytes:size} that stay on the device, best of 5 by its own clock, each run compared with the "
		        "reference implementation\n",
		        device, json_array_get(rows, 0));
		columns_print(stream, kernel_columns, N_OF(kernel_columns), rows, bench);
	}
	json_decref(rows);
}

void bench_print_kernels(FILE *stream, const json_t *bench)
{
	const json_t *devices = json_object_get(bench, "devices"), *cpus = json_object_get(bench, "cpu");

	pattern_print(stream,
	        "CPU: {cpu_threads} threads, libcrypto [{libcrypto}|-], libgcrypt [{libgcrypt}|not built in]", bench,
	        NULL);
	pattern_print(stream, "note: {note}", bench, NULL);
	for (size_t i = 0; i < json_array_size(devices); i++)
		print_device(stream, bench, json_array_get(devices, i));
	if (json_array_size(cpus) == 0)
		return;
	pattern_print(stream,
	        "\nCPU, GB/s on one thread[ at {core_clock_hz:giga} GHz]; forms by the processor's instructions and bits of "
	        "their\nvectors, with the share of the core's bound, and this bound in bytes per cycle\n",
	        bench, NULL);
	columns_print(stream, cpu_columns, N_OF(cpu_columns), cpus, bench);
}

void bench_print_memory_heading(FILE *stream)
{
	fputs("\nfrom memory to memory, with tags, best of 3, start included; without it, and what is predicted for that;\n"
	      "and the stage that waited least\n\n",
	        stream);
	columns_print_heading(stream, memory_columns, N_OF(memory_columns));
}

void bench_print_memory(FILE *stream, const json_t *row)
{
	columns_print_row(stream, memory_columns, N_OF(memory_columns), row, NULL);
}
