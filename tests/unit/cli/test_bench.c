/* gcrypt bench: rows, words and picture of machines that do not exist. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/bench/bench_core.h"
#include "tests/unit/h200_machine.h"

#define SIZE     (UINT64_C(1) << 30)
#define MAX_TEXT (1 << 20)

/* A machine that does not exist, as if it had been measured. */

static int rows(struct bench *bench, const struct machine *machine, struct options options)
{
	return bench_rows(bench, machine, &options);
}

/* A bench with all values measured: the policy's placement takes 2.5 times as long. */
static void measure(struct bench *bench)
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
	for (unsigned i = 0; i < bench->n_memory; i++) {
		struct bench_pipeline *row = &bench->memory[i];

		for (int r = 0; r < BENCH_PIPELINE_RUNS; r++)
			row->seconds[r] = 0.5 + r;
		row->n_bytes = UINT64_C(8) << 30;
		row->start_s = 0.25;
		row->busiest = "read";
		row->busy = 0.96;
	}
}

static struct bench measured_bench(struct machine *machine)
{
	struct bench bench;

	assert_ok(rows(&bench, machine, (struct options){ .end_to_end = true }));
	measure(&bench);
	return bench;
}

/* Print the whole text in bench's order. */
static void print_text(FILE *stream, const void *json)
{
	const json_t *row;
	size_t i;

	bench_print_kernels(stream, json);
	bench_print_memory_heading(stream);
	json_array_foreach(json_object_get(json, "memory"), i, row) bench_print_memory(stream, row);
}

static char *printed(const struct bench *bench, void (*print)(FILE *, const void *))
{
	char *text = calloc(1, MAX_TEXT);
	FILE *stream = fmemopen(text, MAX_TEXT, "w");
	json_t *json = bench_json(bench);

	print(stream, json);
	json_decref(json);
	fclose(stream);
	return text;
}

/* Rows. */

TEST(test_rows)
{
	struct machine *machine = h200_machine();
	struct bench bench;
	unsigned chosen = 0, policy = 0, n_suites = 0;

	assert_ok(rows(&bench, machine, (struct options){ 0 }));
	for (const struct cipher *const *c = ciphers; *c; c++)
		n_suites += 2 * 5; /* 2 key sizes; ECB and XTS in both directions, CTR in one */
	assert_int_equal(bench.n_cpu, n_suites);
	assert_int_equal(bench.n_memory, 0);
	for (unsigned i = 0; i < bench.n_kernels; i++) {
		const struct bench_kernel *k = &bench.kernels[i];

		chosen += k->chosen;
		policy += k->policy;
		assert_true(k->chosen || k->policy);
		assert_int_equal(k->n_bytes, SIZE);
		assert_true(k->bound && k->bound_bytes_per_s > 0);
		/* Launches and hindrance come on top. */
		assert_true((double)SIZE / k->estimate_s < k->bound_bytes_per_s);
		assert_true(!k->policy || (k->plan.kernel.replicas == 1 && k->plan.kernel.blocks_per_item == 1 &&
		                                  k->plan.kernel.key_space == MEMORY_LOCAL &&
		                                  k->plan.kernel.table == k->suite.cipher->forms[0].id));
	}
	assert_int_equal(chosen, n_suites);
	assert_int_equal(policy, n_suites);
	bench_free(&bench);
}

/* Every form that fits is listed once. */
TEST(test_all_forms)
{
	struct machine *machine = h200_machine();
	const struct options options = { .all = true,
		.plan = { .cipher = GPUCRYPT_AES, .key_bits = 192, .mode = GPUCRYPT_CTR, .engine = GPUCRYPT_OPENCL } };
	struct bench bench;

	assert_ok(rows(&bench, machine, options));
	assert_int_equal(bench.n_cpu, 0);
	assert_true(bench.n_kernels >= 3);
	for (unsigned i = 0; i < bench.n_kernels; i++)
		for (unsigned j = 0; j < i; j++) {
			const struct kernel_config *p = &bench.kernels[i].plan.kernel,
			                           *q = &bench.kernels[j].plan.kernel;

			assert_true(p->table != q->table || p->replicas != q->replicas ||
			            p->blocks_per_item != q->blocks_per_item || p->key_space != q->key_space ||
			            p->work_items != q->work_items || p->work_groups != q->work_groups);
		}
	bench_free(&bench);
}

TEST(test_selection)
{
	struct machine *machine = h200_machine();
	struct options options = { .size_bytes = 8192,
		.plan = { .cipher = GPUCRYPT_SC2000, .mode = GPUCRYPT_XTS, .key_bits = 256 } };
	struct bench bench;

	assert_ok(rows(&bench, machine, options));
	assert_int_equal(bench.n_cpu, 2);
	assert_int_equal(bench.kernels[0].n_bytes, 8192);
	bench_free(&bench);
	/* A form that only one cipher has. */
	options = (struct options){ .plan = { .kernel.table = TABLE_6_5_5_5_5_6, .mode = GPUCRYPT_CTR } };
	assert_ok(rows(&bench, machine, options));
	for (unsigned i = 0; i < bench.n_cpu; i++)
		assert_ptr_equal(bench.cpu[i].suite.cipher, &cipher_sc2000);
	assert_string_equal(gpucrypt_error(), "");
	bench_free(&bench);
	options = (struct options){ .plan = { .engine = GPUCRYPT_CPU } };
	assert_ok(rows(&bench, machine, options));
	assert_int_equal(bench.n_kernels, 0);
	bench_free(&bench);
	/* Memory to memory: both directions in CTR and XTS on both engines. */
	options = (struct options){ .end_to_end = true, .plan = { .cipher = GPUCRYPT_AES, .key_bits = 128 } };
	assert_ok(rows(&bench, machine, options));
	assert_int_equal(bench.n_memory, 8);
	assert_int_equal(bench.memory[0].plan.device, 0);
	assert_int_equal(bench.memory[1].plan.device, 1);
	assert_true(bench.memory[1].predicted_s > 0 && bench.memory[1].bottleneck);
	bench_free(&bench);
}

TEST(test_refusals)
{
	struct machine *machine = h200_machine();
	const struct {
		struct options options;
		int status;
		const char *text;
	} cases[] = {
		{ { .size_bytes = UINT64_C(1) << 50 }, GPUCRYPT_DEVICE, "buffers hold up to" },
		{ { .plan.kernel.table = N_TABLES }, GPUCRYPT_USAGE, "table form" },
		{ { .plan.device = 3 }, GPUCRYPT_DEVICE, "device 2: not found (this machine has 1)" },
		{ { .plan.kernel.replicas = 1024 }, GPUCRYPT_DEVICE, "local memory has" },
		{ { .plan.kernel.work_items = 5000 }, GPUCRYPT_USAGE, "allows 1024" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bench bench;

		assert_fails_about(rows(&bench, machine, cases[i].options), cases[i].status, cases[i].text);
		bench_free(&bench);
	}
}

/* Words, picture. */

static void assert_narrow(const char *text)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		assert_true(n <= 120);
	}
}

TEST(test_text)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine);
	char *text = printed(&bench, print_text), *line;

	assert_narrow(text);
	assert_non_null(strstr(text, "device 0: NVIDIA H200, 132 units"));
	assert_non_null(strstr(text, "from memory to memory"));
	assert_non_null(strstr(text, "\naes-256-ctr enc      device 0     8 GiB    17.2      0.25     34.4 "));
	assert_non_null(strstr(text, " read 96 %     "));
	line = strstr(text, "\naes-256-ctr enc      chosen ");
	assert_non_null(line);
	line[1 + strcspn(line + 1, "\n")] = '\0';
	assert_non_null(strstr(line, "    537 ")); /* 2^30 bytes in 2 ms */
	assert_non_null(strstr(line, "          2.5"));
	free(text);
	bench_free(&bench);
}

/* The widest figures and names. */
TEST(test_wide_text)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine);
	char *text;

	for (unsigned i = 0; i < bench.n_memory; i++) {
		struct bench_pipeline *row = &bench.memory[i];

		row->plan.device = i % 2 ? 13 : 0;
		row->plan.n_parts = i % 4 ? 0 : 2;
		row->n_bytes = 4096;
		row->seconds[0] = 41.2345678;
		row->start_s = 0.0000987654;
		row->predicted_s = 43.98765;
		row->busiest = "engine";
		row->busy = 1;
		row->bottleneck = stage_names[STAGE_CPU];
	}
	text = printed(&bench, print_text);
	assert_narrow(text);
	assert_non_null(strstr(text, " engine 100 %  cipher on the CPU\n"));
	assert_non_null(strstr(text, "\naes-128-ctr enc      all  "));
	free(text);
	bench_free(&bench);
}

TEST(test_failure)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine);
	char *text;

	assert_true(bench_complete(&bench));
	strcpy(bench.kernels[0].failure, "out of resources");
	memset(bench.kernels[0].seconds, 0, sizeof bench.kernels[0].seconds);
	assert_false(bench_complete(&bench));
	text = printed(&bench, print_text);
	assert_non_null(strstr(text, "failed"));
	free(text);
	bench_free(&bench);
}

TEST(test_plot_script)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine);
	char *text = printed(&bench, bench_plot_script);

	for (const struct cipher *const *c = ciphers; *c; c++) {
		char title[64];

		snprintf(title, sizeof title, "set title '%s on NVIDIA H200'", (*c)->name);
		assert_non_null(strstr(text, title));
	}
	assert_non_null(strstr(text, "\"128-xts dec\""));
	assert_non_null(strstr(text, "title 'its bound'"));
	free(text);
	bench_free(&bench);
	/* Only the CPU. */
	assert_ok(rows(&bench, machine, (struct options){ .plan.engine = GPUCRYPT_CPU }));
	measure(&bench);
	text = printed(&bench, bench_plot_script);
	assert_null(strstr(text, "its bound"));
	assert_non_null(strstr(text, "set title 'sc2000'"));
	free(text);
	bench_free(&bench);
}

/* A line through two times; but not where the quarter has less than all buffers, or there is no line. */
TEST(the_start_is_what_does_not_grow)
{
	const uint64_t gib = UINT64_C(1) << 30;

	assert_float_equal(bench_start_s(0.3, 0.9, gib, 23), 0.1, 1e-12);
	assert_float_equal(bench_start_s(0.3, 0.9, gib - 4096, 23), 0, 0);
	assert_float_equal(bench_start_s(0.3, 0.9, gib, 24), 0, 0);
	assert_float_equal(bench_start_s(0.2, 0.9, gib, 23), 0, 0);
	assert_float_equal(bench_start_s(0.5, 0.9, gib, 23), 0, 0);
}

/* Shares of the bound, and the bound in bytes per cycle at 2.5 GHz. */
TEST(test_instruction_forms)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine);
	char *text = printed(&bench, print_text);

	assert_non_null(strstr(text, "\nCPU, GB/s on one thread at 2.5 GHz;"));
	assert_non_null(strstr(text, "\naes-256-ctr enc         6, 60 %    7, 70 %    8, 80 %    4    4    4 "
	                             "        2      1         3           4         5\n"));
	/* The versions of libraries that lack a cipher are no speeds. */
	assert_non_null(strstr(text, "\nsc2000-256-ctr enc            -          -          -    4    4    4 "
	                             "        2      1         -           -         -\n"));
	free(text);
	bench.core_clock_hz = 0;
	bench.cpu[0].bound_bytes_per_s[CPU_VECTORS_512] = 0;
	text = printed(&bench, print_text);
	assert_non_null(strstr(text, "\nCPU, GB/s on one thread; "));
	assert_non_null(strstr(text, "\naes-128-ecb enc               6    7, 70 %    8, 80 %    -    -    - "));
	free(text);
	bench_free(&bench);
}

/* AES has an instruction for each round (FIPS 197, figure 4: Nr). */
TEST(test_form_bound)
{
	static const unsigned rounds[] = { 10, 12, 14 };

	for (int i = 0; i < 3; i++)
		assert_int_equal(cipher_aes.vector_instructions[i], 16 * rounds[i]);
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		for (unsigned i = 0; i < (*c)->n_instructions; i++) {
			const struct instruction_form *form = &(*c)->instructions[i];
			const struct suite suite = { *c, &modes[MODE_CTR], 32, ENCRYPT };
			double bound;

			if (!instruction_form_is_available(form))
				continue;
			bound = form_bound_bytes_per_s(&suite, form);
			assert_true(bound > 0 && (*c)->vector_instructions[0] < (*c)->vector_instructions[2]);
		}
	assert_true(core_clock_hz() > 0);
}
