/* gcrypt bench: rows, words, JSON and picture of machines that do not exist. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cmocka_all.h"
#include "gpucrypt/status.h"
#include "tests/h200_machine.h"

#define SIZE     (UINT64_C(1) << 30)
#define MAX_TEXT (1 << 20)

static int rows(struct bench *bench, const struct machine *machine, struct options options)
{
	fail_clear();
	return bench_rows(bench, machine, &options);
}

/* As if everything had been measured: the policy's placement takes 2.5 times as long. */
static void measure(struct bench *bench)
{
	for (unsigned i = 0; i < bench->n_kernels; i++) {
		struct bench_kernel *kernel = &bench->kernels[i];

		for (int r = 0; r < BENCH_RUNS; r++)
			kernel->seconds[r] = (kernel->chosen ? 2 : 5) * 1e-3 * (1 + 0.01 * r);
		kernel->compared_bytes = 163840;
	}
	for (unsigned i = 0; i < bench->n_cpu; i++)
		for (int way = 0; way < N_CPU_WAYS; way++)
			bench->cpu[i].bytes_per_s[way] =
			        way <= CPU_BITSLICED || bench->cpu[i].suite.cipher->libcrypto
			                ? 1e9 * (way + 1)
			                : 0;
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

static struct bench measured_bench(struct machine *machine)
{
	struct bench bench;

	assert_int_equal(rows(&bench, machine, (struct options){ .end_to_end = true, .files = "/a" }), GPUCRYPT_OK);
	measure(&bench);
	return bench;
}

/* Rows. */

static void test_rows(void **state)
{
	struct machine *machine = h200_machine();
	struct bench bench;
	unsigned chosen = 0, policy = 0, n_suites = 0;

	(void)state;
	assert_int_equal(rows(&bench, machine, (struct options){ 0 }), GPUCRYPT_OK);
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
		assert_true(!k->policy || (k->plan.copies == 1 && k->plan.counters == 1 && !strcmp(k->plan.key_space, "local") &&
		                                  !strcmp(k->plan.table,
		                                          k->suite.cipher->forms[0].name)));
	}
	assert_int_equal(chosen, n_suites);
	assert_int_equal(policy, n_suites);
	bench_free(&bench);
	free(machine);
}

/* Every form that fits is there once. */
static void test_all_forms(void **state)
{
	struct machine *machine = h200_machine();
	const struct options options = { .all = true,
		.plan = { .cipher = "aes", .key_bits = 192, .mode = "ctr", .engine = "opencl" } };
	struct bench bench;

	(void)state;
	assert_int_equal(rows(&bench, machine, options), GPUCRYPT_OK);
	assert_int_equal(bench.n_cpu, 0);
	assert_true(bench.n_kernels >= 3);
	for (unsigned i = 0; i < bench.n_kernels; i++)
		for (unsigned j = 0; j < i; j++) {
			const struct gpucrypt_plan *p = &bench.kernels[i].plan,
			                           *q = &bench.kernels[j].plan;

			assert_true(strcmp(p->table, q->table) || p->copies != q->copies ||
			            p->counters != q->counters ||
			            strcmp(p->key_space, q->key_space) ||
			            p->work_items != q->work_items ||
			            p->work_groups != q->work_groups);
		}
	bench_free(&bench);
	free(machine);
}

static void test_selection(void **state)
{
	struct machine *machine = h200_machine();
	struct options options = { .size_bytes = 8192,
		.plan = { .cipher = "sc2000", .mode = "xts", .key_bits = 256 } };
	struct bench bench;

	(void)state;
	assert_int_equal(rows(&bench, machine, options), GPUCRYPT_OK);
	assert_int_equal(bench.n_cpu, 2);
	assert_int_equal(bench.kernels[0].n_bytes, 8192);
	bench_free(&bench);
	/* A form that only one cipher has. */
	options = (struct options){ .plan = { .table = "6,5,5,5,5,6", .mode = "ctr" } };
	assert_int_equal(rows(&bench, machine, options), GPUCRYPT_OK);
	for (unsigned i = 0; i < bench.n_cpu; i++)
		assert_ptr_equal(bench.cpu[i].suite.cipher, &cipher_sc2000);
	assert_string_equal(gpucrypt_error(), "");
	bench_free(&bench);
	options = (struct options){ .plan = { .engine = "cpu" } };
	assert_int_equal(rows(&bench, machine, options), GPUCRYPT_OK);
	assert_int_equal(bench.n_kernels, 0);
	bench_free(&bench);
	/* Memory to memory: both directions in CTR and XTS on both engines. */
	options = (struct options){ .end_to_end = true, .plan = { .cipher = "aes", .key_bits = 128 } };
	assert_int_equal(rows(&bench, machine, options), GPUCRYPT_OK);
	assert_int_equal(bench.n_memory, 8);
	assert_int_equal(bench.memory[0].plan.device, 0);
	assert_int_equal(bench.memory[1].plan.device, 1);
	assert_true(bench.memory[1].predicted_s > 0 && bench.memory[1].bottleneck);
	bench_free(&bench);
	/* With files: a copy; there and back, to nowhere and to a file, on both engines, as enc has it if
	 * nothing is said; and verifying, once. */
	options = (struct options){ .files = "/a", .plan = { .cipher = "aes" } };
	assert_int_equal(rows(&bench, machine, options), GPUCRYPT_OK);
	assert_int_equal(bench.n_files, 1 + 2 * 2 * 2 + 1);
	assert_int_equal(bench.n_memory, 0);
	assert_int_equal(bench.files[0].verb, FILE_COPY);
	for (unsigned i = 1; i < 9; i++) {
		const struct bench_file *row = &bench.files[i];

		assert_int_equal(row->verb, (i - 1) % 4 < 2 ? FILE_ENC : FILE_DEC);
		assert_int_equal(row->to_file, i % 2 == 0);
		assert_int_equal(row->pipeline.plan.device, i > 4);
		assert_int_equal(row->pipeline.suite.key_bytes, 32);
		assert_int_equal(row->pipeline.suite.mode->number, MODE_CTR);
		assert_int_equal(row->pipeline.suite.direction, row->verb == FILE_ENC ? ENCRYPT : DECRYPT);
		assert_true(row->pipeline.predicted_s > 0 && row->pipeline.bottleneck);
	}
	assert_int_equal(bench.files[9].verb, FILE_VERIFY);
	bench_free(&bench);
	options.plan.cipher = NULL;
	assert_int_equal(rows(&bench, machine, options), GPUCRYPT_OK);
	assert_int_equal(bench.n_files, 1 + 3 * 2 * 2 * 2 + 1);
	bench_free(&bench);
	free(machine);
}

static void test_refusals(void **state)
{
	struct machine *machine = h200_machine();
	const struct {
		struct options options;
		int status;
		const char *text;
	} cases[] = {
		{ { .size_bytes = 100 }, GPUCRYPT_USAGE, "--size: 100 bytes" },
		{ { .size_bytes = UINT64_C(1) << 50 }, GPUCRYPT_DEVICE, "buffers hold up to" },
		{ { .plan.table = "7" }, GPUCRYPT_USAGE, "table form 7" },
		{ { .plan.device = 3 }, GPUCRYPT_DEVICE, "device 2: there are only 1" },
		{ { .plan.copies = 1024 }, GPUCRYPT_DEVICE, "local memory has" },
		{ { .plan.work_items = 5000 }, GPUCRYPT_USAGE, "allows 1024" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bench bench;

		assert_int_equal(rows(&bench, machine, cases[i].options), cases[i].status);
		assert_non_null(strstr(gpucrypt_error(), cases[i].text));
		bench_free(&bench);
	}
	fail_clear();
	free(machine);
}

/* Words, JSON, picture. */

static char *printed(const struct bench *bench, void (*print)(FILE *, const struct bench *))
{
	char *text = calloc(1, MAX_TEXT);
	FILE *stream = fmemopen(text, MAX_TEXT, "w");

	print(stream, bench);
	fclose(stream);
	return text;
}

static void assert_narrow(const char *text)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		assert_true(n <= 120);
	}
}

static void test_text(void **state)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine);
	char *text = printed(&bench, bench_print), *line;

	(void)state;
	assert_narrow(text);
	assert_non_null(strstr(text, "device 0: NVIDIA H200, 132 units"));
	assert_non_null(strstr(text, "from memory to memory"));
	line = strstr(text, "aes-256-ctr enc      file    device 0  ");
	assert_non_null(line);
	assert_non_null(strstr(line, "17.2     0.25     34.4 "));
	assert_non_null(strstr(line, " 1.50    77 read 96 %  "));
	line = strstr(text, "aes-256-ctr ");
	assert_non_null(line);
	line[strcspn(line, "\n")] = '\0';
	assert_non_null(strstr(line, "   537 ")); /* 2^30 bytes in 2 ms */
	assert_non_null(strstr(line, "   215   2.5 "));
	assert_non_null(strstr(line, "     1     2     3     4        5"));
	free(text);
	bench_free(&bench);
	free(machine);
}

/* The widest figures and names. */
static void test_wide_text(void **state)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine);
	char folder[300], *text;

	(void)state;
	memset(folder, '/', sizeof folder);
	folder[5] = '\033';
	folder[sizeof folder - 1] = '\0';
	bench.folder = folder;
	for (unsigned i = 0; i < bench.n_files; i++) {
		struct bench_file *row = &bench.files[i];

		row->pipeline.plan.device = i % 2 ? 13 : 0;
		row->pipeline.n_bytes = 4096;
		row->pipeline.seconds[0] = 41.2345678;
		row->pipeline.start_s = 0.0000987654;
		row->pipeline.predicted_s = 43.98765;
		row->pipeline.busiest = "engine";
		row->pipeline.busy = 1;
		row->pipeline.bottleneck = stage_names[STAGE_CPU];
		row->cpu_s = i % 2 ? 1234.567 : 0.000873;
		row->resident_bytes = UINT64_C(99999) << 20;
	}
	text = printed(&bench, bench_print_files);
	assert_narrow(text);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, " 1234.57 99999 engine 100 % cipher on the CPU\n"));
	free(text);
	bench_free(&bench);
	free(machine);
}

static void test_failure(void **state)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine);
	char *text;

	(void)state;
	assert_true(bench_complete(&bench));
	strcpy(bench.kernels[0].failure, "out of resources");
	memset(bench.kernels[0].seconds, 0, sizeof bench.kernels[0].seconds);
	assert_false(bench_complete(&bench));
	text = printed(&bench, bench_print);
	assert_non_null(strstr(text, "failed"));
	free(text);
	bench_free(&bench);
	free(machine);
}

static char *json_file(json_t *json)
{
	char *path = strdup("/tmp/test-bench-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(json_dumpfd(json, fd, 0), 0);
	close(fd);
	return path;
}

/* What is read again prints, draws and becomes JSON as before. */
static void test_read(void **state)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine), again;
	json_t *json = bench_json(&bench), *json_again;
	char *path = json_file(json);
	void (*const prints[])(FILE *, const struct bench *) = { bench_print, bench_plot_script };

	(void)state;
	assert_int_equal(bench_read(&again, path), GPUCRYPT_OK);
	json_again = bench_json(&again);
	assert_true(json_equal(json, json_again));
	for (int i = 0; i < 2; i++) {
		char *a = printed(&bench, prints[i]), *b = printed(&again, prints[i]);

		assert_string_equal(a, b);
		free(a);
		free(b);
	}
	unlink(path);
	free(path);
	json_decref(json);
	json_decref(json_again);
	bench_free(&again);
	bench_free(&bench);
	free(machine);
}

/* What earlier releases did not write. */
static bool is_new(const char *name)
{
	return !strcmp(name, "together") || !strcmp(name, "busiest");
}

/* Without a member of an array's first row. */
static void read_without(const json_t *whole, const char *array, const char *name, int status)
{
	json_t *json = json_deep_copy(whole);
	struct bench bench;
	char *path;

	json_object_del(json_array_get(json_object_get(json, array), 0), name);
	path = json_file(json);
	fail_clear();
	assert_int_equal(bench_read(&bench, path), status);
	bench_free(&bench);
	json_decref(json);
	unlink(path);
	free(path);
}

/* A member that is missing, and one of another type, at every place of a row. */
static void test_read_damaged(void **state)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine), again;
	json_t *json;
	const char *const arrays[] = { "kernels", "cpu", "memory", "devices", "files" };
	char *nowhere;

	(void)state;
	bench.kernels[1].plan.device = 2;
	nowhere = json_file(json = bench_json(&bench));
	assert_int_equal(bench_read(&again, nowhere), GPUCRYPT_CORRUPT);
	assert_non_null(strstr(gpucrypt_error(), "no device 1"));
	unlink(nowhere);
	free(nowhere);
	json_decref(json);
	bench_free(&again);
	bench.kernels[1].plan.device = 1;
	json = bench_json(&bench);
	for (int a = 0; a < 5; a++) {
		json_t *row = json_array_get(json_object_get(json, arrays[a]), 0), *value;
		const char *name;
		void *next;

		json_object_foreach_safe (row, next, name, value) {
			bool derived = !strcmp(name, "of_bound") || !strcmp(name, "times_policy") ||
			               !strcmp(name, "bytes_per_s") || !strcmp(name, "number");
			char *copy = strdup(name), *path;

			json_incref(value);
			json_object_set_new(row, copy, json_object());
			path = json_file(json);
			fail_clear();
			assert_int_equal(bench_read(&again, path),
			        derived ? GPUCRYPT_OK : GPUCRYPT_CORRUPT);
			bench_free(&again);
			json_object_set_new(row, copy, value);
			read_without(json, arrays[a], copy,
			        derived || is_new(copy) ? GPUCRYPT_OK : GPUCRYPT_CORRUPT);
			unlink(path);
			free(path);
			free(copy);
		}
	}
	json_object_del(json, "files");
	json_object_del(json, "folder");
	nowhere = json_file(json);
	assert_int_equal(bench_read(&again, nowhere), GPUCRYPT_OK);
	unlink(nowhere);
	free(nowhere);
	bench_free(&again);
	fail_clear();
	json_decref(json);
	bench_free(&bench);
	free(machine);
}

static void test_plot_script(void **state)
{
	struct machine *machine = h200_machine();
	struct bench bench = measured_bench(machine);
	char *text = printed(&bench, bench_plot_script);

	(void)state;
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
	assert_int_equal(
	        rows(&bench, machine, (struct options){ .plan.engine = "cpu" }), GPUCRYPT_OK);
	measure(&bench);
	text = printed(&bench, bench_plot_script);
	assert_null(strstr(text, "its bound"));
	assert_non_null(strstr(text, "set title 'sc2000'"));
	free(text);
	bench_free(&bench);
	free(machine);
}

/* A line through two times; but not where the quarter has less than all buffers, or there is no line. */
static void the_start_is_what_does_not_grow(void **state)
{
	const uint64_t gib = UINT64_C(1) << 30;

	(void)state;
	assert_float_equal(bench_start_s(0.3, 0.9, gib, 23), 0.1, 1e-12);
	assert_float_equal(bench_start_s(0.3, 0.9, gib - 4096, 23), 0, 0);
	assert_float_equal(bench_start_s(0.3, 0.9, gib, 24), 0, 0);
	assert_float_equal(bench_start_s(0.2, 0.9, gib, 23), 0, 0);
	assert_float_equal(bench_start_s(0.5, 0.9, gib, 23), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_start_is_what_does_not_grow),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_all_forms),
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_wide_text),
		cmocka_unit_test(test_failure),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_read_damaged),
		cmocka_unit_test(test_plot_script),
	};

	return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
