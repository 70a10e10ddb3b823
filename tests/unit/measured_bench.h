/* gcrypt bench on a machine that does not exist, for tests: its rows, as if they had been measured. */
#ifndef MEASURED_BENCH_H
#define MEASURED_BENCH_H

#include "cli/bench/bench.h"
#include "gpucrypt/status.h"
#include "tests/unit/h200_machine.h"

static inline int rows(struct bench *bench, const struct machine *machine, struct options options)
{
	fail_clear();
	return bench_rows(bench, machine, &options);
}

/* A bench with all values measured: the policy's placement takes 2.5 times as long. */
static inline void measure(struct bench *bench)
{
	for (unsigned i = 0; i < bench->n_kernels; i++) {
		struct bench_kernel *kernel = &bench->kernels[i];

		for (int r = 0; r < BENCH_RUNS; r++)
			kernel->seconds[r] = (kernel->chosen ? 2 : 5) * 1e-3 * (1 + 0.01 * r);
		kernel->compared_bytes = 163840;
	}
	bench->core_clock_hz = 2.5e9;
	for (unsigned i = 0; i < bench->n_cpu; i++)
		for (int way = CPU_VECTORS_512; way <= CPU_VECTORS_128; way++)
			bench->cpu[i].bound_bytes_per_s[way] = 10e9;
	for (unsigned i = 0; i < bench->n_cpu; i++)
		for (int way = 0; way < N_CPU_WAYS; way++)
			bench->cpu[i].bytes_per_s[way] =
			        way <= CPU_BITSLICED || bench->cpu[i].suite.cipher->libcrypto ? 1e9 * (way + 1) : 0;
	for (unsigned i = 0; i < bench->n_memory; i++)
		for (int r = 0; r < BENCH_PIPELINE_RUNS; r++)
			bench->memory[i].seconds[r] = 0.1 + r;
	for (unsigned i = 0; i < bench->n_files; i++) {
		struct bench_file *row = &bench->files[i];

		for (int r = 0; r < BENCH_PIPELINE_RUNS; r++)
			row->pipeline.seconds[r] = 0.5 + r;
		row->pipeline.n_bytes = UINT64_C(8) << 30;
		row->pipeline.start_s = 0.25;
		row->pipeline.busiest = "read";
		row->pipeline.busy = 0.96;
		row->cpu_s = 1.5;
		row->resident_bytes = UINT64_C(77) << 20;
	}
}

static inline struct bench measured_bench(struct machine *machine)
{
	struct bench bench;

	assert_int_equal(rows(&bench, machine, (struct options){ .end_to_end = true, .files = "/a" }), GPUCRYPT_OK);
	measure(&bench);
	return bench;
}

#define MAX_TEXT (1 << 20)

static inline char *printed(const struct bench *bench, void (*print)(FILE *, const struct bench *))
{
	char *text = calloc(1, MAX_TEXT);
	FILE *stream = fmemopen(text, MAX_TEXT, "w");

	print(stream, bench);
	fclose(stream);
	return text;
}

#endif
