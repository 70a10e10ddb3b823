/* Print the JSON of measurements as tables of at most 120 columns. */
#include "cli/bench/bench.h"
#include "command/json.h"

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
	{ 5, "of it", "[{?start_s}{predicted_s/seconds.0-start_s:percent}|{predicted_s/seconds.0:percent}|-]" },
	{ -13, "busiest", "{busiest} {busy:percent}" },
	{ 0, "bottleneck", "{bottleneck}" },
};

static const struct table {
	const char *heading; /* its patterns are filled from the bench or the row's device, and from the row */
	const struct column *columns;
	unsigned n_columns;
} tables[N_BENCH_TABLES] = {
	[BENCH_CPU] = { "\nCPU, GB/s on one thread[ at {core_clock_hz:giga} GHz]; forms by the processor's instructions and bits of "
	                "their\nvectors, with the share of the core's bound, and this bound in bytes per cycle\n",
	        cpu_columns, N_OF(cpu_columns) },
	[BENCH_KERNELS] = { "\ndevice {number}: {name}, {compute_units} units, {clock_hz:giga} GHz, its record "
	                    "[{?record_measured}measured here|a default]\n"
	                    "{bytes:size} that stay on the device, best of 5 by the device's clock, each run compared with the reference "
	                    "implementation\n",
	        kernel_columns, N_OF(kernel_columns) },
	[BENCH_MEMORY] = { "\nfrom memory to memory, with tags, best of 3, start included; the same without the start, its "
	                   "prediction\nand the share of it; and the stage that waited least\n",
	        memory_columns, N_OF(memory_columns) },
};

void bench_print_start(FILE *stream, const json_t *bench)
{
	pattern_print(stream,
	        "CPU: {cpu_threads} threads, libcrypto [{libcrypto}|-], libgcrypt [{libgcrypt}|not built in]", bench,
	        NULL);
	pattern_print(stream, "note: {note}", bench, NULL);
	pattern_print(stream,
	        "to measure:[ {cpu!0} suites on the CPU,][ {kernels!0} kernels,][ {memory!0} runs from memory to memory,] "
	        "about {expected_s:time}",
	        bench, NULL);
}

void bench_print_row(FILE *stream, const json_t *bench, enum bench_table table, size_t i)
{
	const struct table *t = &tables[table];
	const json_t *rows = json_object_get(bench, bench_table_names[table]), *row = json_array_get(rows, i),
	             *before = i > 0 ? json_array_get(rows, i - 1) : NULL, *device = json_object_get(row, "device");
	bool kernels = table == BENCH_KERNELS;

	if (!before || (kernels && !json_equal(device, json_object_get(before, "device")))) {
		pattern_print(stream, t->heading,
		        kernels ? json_array_get(json_object_get(bench, "devices"), (size_t)json_integer_value(device))
		                : bench,
		        row);
		columns_print_heading(stream, t->columns, t->n_columns);
	}
	columns_print_row(stream, t->columns, t->n_columns, row, bench);
}
