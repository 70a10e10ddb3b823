/* gcrypt bench: rows and words of machines that do not exist. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "ppf/measure/threads_speed.h"
#include "tests/unit/golden.h"
#include "tests/unit/h200_machine.h"

#define SIZE (UINT64_C(1) << 30)

/* A machine that does not exist, as if it had been measured. */

static struct machine *machine; /* of each test */
static struct bench bench;

void test_set_up(void)
{
	machine = h200_machine();
}

void test_tear_down(void)
{
	bench_free(&bench);
	bench = (struct bench){ .machine = NULL };
}

static int rows(struct options options)
{
	bench_free(&bench);
	return bench_rows(&bench, machine, &options);
}

static const json_t *member(const struct bench_row *row, const char *name)
{
	return json_object_get(row->json, name);
}

static double number(const struct bench_row *row, const char *name)
{
	return json_number_value(member(row, name));
}

/* Rows. */

TEST(test_rows)
{
	unsigned chosen = 0, policy = 0, n_suites = 0;

	assert_ok(rows((struct options){ 0 }));
	for (const struct cipher *const *c = ciphers; *c; c++)
		n_suites += 2 * 5; /* 2 key sizes; ECB and XTS in both directions, CTR in one */
	assert_int_equal(bench.n_rows[BENCH_CPU], n_suites);
	assert_int_equal(bench.n_rows[BENCH_MEMORY], 0);
	for (unsigned i = 0; i < bench.n_rows[BENCH_KERNELS]; i++) {
		const struct bench_row *k = &bench.rows[BENCH_KERNELS][i];
		bool is_chosen = json_is_true(member(k, "chosen")), is_policy = json_is_true(member(k, "policy"));

		chosen += is_chosen;
		policy += is_policy;
		assert_true(is_chosen || is_policy);
		assert_int_equal(k->n_bytes, SIZE);
		assert_true(json_is_string(member(k, "bound")) && number(k, "bound_bytes_per_s") > 0);
		/* Launches and hindrance come on top. */
		assert_true((double)SIZE / number(k, "estimate_s") < number(k, "bound_bytes_per_s"));
		assert_true(!is_policy || (k->plan.kernel.replicas == 1 && k->plan.kernel.blocks_per_item == 1 &&
		                                  k->plan.kernel.key_space == MEMORY_LOCAL &&
		                                  k->plan.kernel.table == k->suite.cipher->forms[0].id));
	}
	assert_int_equal(chosen, n_suites);
	assert_int_equal(policy, n_suites);
}

/* Every form that fits is listed once. */
TEST(test_all_forms)
{
	const struct options options = { .all = true,
		.plan = { .cipher = GPUCRYPT_AES, .key_bits = 192, .mode = GPUCRYPT_CTR, .engine = GPUCRYPT_OPENCL } };

	assert_ok(rows(options));
	assert_int_equal(bench.n_rows[BENCH_CPU], 0);
	assert_true(bench.n_rows[BENCH_KERNELS] >= 3);
	for (unsigned i = 0; i < bench.n_rows[BENCH_KERNELS]; i++)
		for (unsigned j = 0; j < i; j++) {
			const struct kernel_config *p = &bench.rows[BENCH_KERNELS][i].plan.kernel,
			                           *q = &bench.rows[BENCH_KERNELS][j].plan.kernel;

			assert_true(p->table != q->table || p->replicas != q->replicas ||
			            p->blocks_per_item != q->blocks_per_item || p->key_space != q->key_space ||
			            p->work_items != q->work_items || p->work_groups != q->work_groups);
		}
}

TEST(test_selection)
{
	struct options options = { .size_bytes = 8192,
		.plan = { .cipher = GPUCRYPT_SC2000, .mode = GPUCRYPT_XTS, .key_bits = 256 } };

	assert_ok(rows(options));
	assert_int_equal(bench.n_rows[BENCH_CPU], 2);
	assert_int_equal(bench.rows[BENCH_KERNELS][0].n_bytes, 8192);
	/* A form that only one cipher has. */
	options = (struct options){ .plan = { .kernel.table = TABLE_6_5_5_5_5_6, .mode = GPUCRYPT_CTR } };
	assert_ok(rows(options));
	for (unsigned i = 0; i < bench.n_rows[BENCH_CPU]; i++)
		assert_ptr_equal(bench.rows[BENCH_CPU][i].suite.cipher, &cipher_sc2000);
	assert_string_equal(gpucrypt_error(), "");
	options = (struct options){ .plan = { .engine = GPUCRYPT_CPU } };
	assert_ok(rows(options));
	assert_int_equal(bench.n_rows[BENCH_KERNELS], 0);
	/* Memory to memory: both directions in CTR and XTS on both engines. */
	options = (struct options){ .end_to_end = true, .plan = { .cipher = GPUCRYPT_AES, .key_bits = 128 } };
	assert_ok(rows(options));
	assert_int_equal(bench.n_rows[BENCH_MEMORY], 8);
	assert_int_equal(bench.rows[BENCH_MEMORY][0].plan.device, 0);
	assert_int_equal(bench.rows[BENCH_MEMORY][1].plan.device, 1);
	assert_true(number(&bench.rows[BENCH_MEMORY][1], "predicted_s") > 0);
	assert_true(json_is_string(member(&bench.rows[BENCH_MEMORY][1], "bottleneck")));
}

TEST(test_refusals)
{
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

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_fails_about(rows(cases[i].options), cases[i].status, cases[i].text);
}

/* Devices, kernels, the CPU's forms and libraries, and runs from memory to memory: of figures that are known, unknown
 * or wide. */
TEST(test_text)
{
	json_t *json = json_load_file("tests/unit/cli/bench.json", 0, NULL);
	FILE *stream = golden_stream();

	assert_non_null(json);
	bench_print_start(stream, json);
	for (enum bench_table t = 0; t < N_BENCH_TABLES; t++)
		for (size_t i = 0; i < json_array_size(json_object_get(json, bench_table_names[t])); i++)
			bench_print_row(stream, json, t, i);
	json_decref(json);
	assert_golden(stream, "tests/unit/cli/bench.txt");
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
