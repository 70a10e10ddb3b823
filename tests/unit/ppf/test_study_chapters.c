/* Chapters 5 and 6 and gKrypt's steps in ppf study: a wrong result is reported and not timed, series are complete, and
 * conclusions follow the values. */
#include "tests/unit/cmocka_all.h"

#include <math.h>
#include <stdlib.h>

#include "gpucrypt/status.h"
#include "ppf/model/choose.h"
#include "ppf/study/figures.h"
#include "ppf/study/gkrypt.h"
#include "ppf/study/latency.h"
#include "ppf/study/processor.h"
#include "ppf/study/stage.h"
#include "ppf/study/sweep.h"

#define SMALL_BYTES (UINT64_C(64) << 10)
#define MIB         (UINT64_C(1) << 20)

static struct study study;
static struct figure figure;

void program_set_up(void)
{
	assert_int_equal(study_open(&study, 0, true), GPUCRYPT_OK);
}

void program_tear_down(void)
{
	study_close(&study);
}

/* A built-in record in the place of one that takes time to measure. */
void test_set_up(void)
{
	fail_clear();
	memset(&figure, 0, sizeof(figure));
	free(study.record);
	free(study.sweep);
	study.sweep = NULL;
	study.record = calloc(1, sizeof(*study.record));
	study.end_s = host_seconds() + 600; /* programs are built within it, on a busy machine too */
	assert_int_equal(device_record_parse(study.record, records_builtin("h200"), "h200"), GPUCRYPT_OK);
}

static bool has_series(const char *name)
{
	return figure_y(&figure, name, "") > 0;
}

/* gKrypt. */

/* FIPS 197: the product of section 4.2, entries of figures 7 and 14. */
TEST(tables_of_gkrypt)
{
	uint8_t t[GKRYPT_TABLE_BYTES];

	gkrypt_tables(t);
	assert_int_equal(t[256 + (t[0x57] + t[0x83]) % 255], 0xc1);
	assert_int_equal(t[512], 0x63);
	assert_int_equal(t[512 + 0x53], 0xed);
	assert_int_equal(t[768 + 0xed], 0x53);
	for (int i = 0; i < 256; i++)
		assert_int_equal(t[768 + t[512 + i]], i);
}

TEST(a_wrong_rung_has_no_time)
{
	const uint64_t n_bytes = SMALL_BYTES;

	study.plant = rung_names[2];
	assert_int_equal(gkrypt_climb(&study, &figure, ENCRYPT, &n_bytes, 1), GPUCRYPT_OK);
	study.plant = NULL;
	assert_string_equal(figure.failure, "");
	assert_int_equal(figure.n_notes, 1);
	assert_int_equal(figure.notes[0].kind, NOTE_WRONG);
	assert_string_equal(figure.notes[0].variant, rung_names[2]);
	for (unsigned i = 0; i < N_RUNGS; i++)
		assert_int_equal(has_series(rung_names[i]), i != 2);
	for (unsigned i = 0; i < N_RUNGS - 1; i++) {
		bool known = i == 0 || i == 3; /* rungs 1 and 2, rungs 4 and 5 */
		assert_int_equal(strstr(figure.conclusions[i].found, "has no time") == NULL, known);
		assert_true(known || figure.conclusions[i].verdict == VERDICT_OPEN);
	}
}

/* Five rungs, the product's kernel, and the CPU twice. */
TEST(the_ladder_is_complete)
{
	const uint64_t n_bytes[] = { SMALL_BYTES, 2 * SMALL_BYTES };

	assert_int_equal(gkrypt_climb(&study, &figure, DECRYPT, n_bytes, 2), GPUCRYPT_OK);
	assert_int_equal(figure.n_notes, 0);
	assert_int_equal(figure.n_rows, 2);
	assert_int_equal(figure.n_series, N_RUNGS + 3);
	for (unsigned s = 0; s < figure.n_series; s++)
		assert_true(figure.series[s].y[0] > 0 && figure.series[s].y[1] > 0);
}

/* Design stages. */

TEST(stages_have_tables)
{
	uint32_t t[MAX_STAGE_TABLE];

	stage_table(t);
	for (unsigned i = 0; i < 256; i++) {
		assert_int_equal(t[i], t[1024 + i] * 0x01010100);
		assert_int_equal(t[256 + i], t[1280 + i] * 0x00010101);
		assert_int_equal(t[512 + i], t[1536 + i] * 0x01000101);
		assert_int_equal(t[768 + i], t[1792 + i] * 0x01010001);
	}
	assert_int_equal(t[1024], 112); /* s1(0), RFC 3713 */
}

/* One round of F in pattern 2 differs from one more: nothing of a stage is left out on the host. */
TEST(stages_depend_on_every_key)
{
	uint32_t table[MAX_STAGE_TABLE], keys[MAX_STAGE_KEYS] = { 0 };
	uint8_t in[16] = { 1 }, out[16], other[16];

	stage_table(table);
	for (unsigned i = 0; i < N_CAMELLIA_STAGES; i++) {
		const struct design_stage *stage = &camellia_stages[i];
		stage->core(out, in, 16, keys, table);
		for (unsigned k = 0; k < stage->key_words; k++) {
			keys[k] = ~0u;
			stage->core(other, in, 16, keys, table);
			keys[k] = 0;
			assert_memory_not_equal(out, other, 16);
		}
		assert_int_equal(profile_builtin(stage->name, 128, "4")->n_key, stage->key_words);
	}
}

TEST(stages_run_as_on_the_host)
{
	study.plant = camellia_stages[1].name;
	assert_int_equal(stages_run(&study, &figure, 2 * SMALL_BYTES), GPUCRYPT_OK);
	study.plant = NULL;
	assert_int_equal(figure.n_notes, 1);
	assert_int_equal(figure.notes[0].kind, NOTE_WRONG);
	assert_int_equal(figure.n_conclusions, N_CAMELLIA_STAGES);
	for (unsigned i = 0; i < N_CAMELLIA_STAGES; i++) {
		const char *name = camellia_stages[i].name;
		assert_int_equal(figure_y(&figure, "measured", name) > 0, i != 1);
		assert_true(figure_y(&figure, "bound SA", name) < figure_y(&figure, "bound SI", name));
		assert_true(figure_y(&figure, "estimate", name) > 0);
		assert_int_equal(figure.conclusions[i].verdict == VERDICT_OPEN, i == 1);
	}
}

/* A sweep that is made up: at factor of the way from SA to SI (6.8), everything fast from 256 MiB
 * on. */

static double predicted_s(const struct sweep_kernel *kernel, uint64_t n_bytes, double factor)
{
	struct overlap_prediction overlap;
	struct thesis_prediction thesis;

	assert_true(predict_launch(&overlap, &thesis, study.record, &kernel->suite, &kernel->shape, n_bytes));
	return (thesis.total_sa + factor * (thesis.total_si - thesis.total_sa)) / study.record->clock_hz;
}

static void make_sweep(double factor)
{
	struct sweep *sweep = study.sweep = calloc(1, sizeof(*sweep));

	for (; sweep->n_sizes < 10; sweep->n_sizes++)
		sweep->n_bytes[sweep->n_sizes] = MIB << sweep->n_sizes;
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		for (int by = 0; by < N_SHAPINGS; by++) {
			struct sweep_kernel *kernel = &sweep->kernels[sweep->n_kernels++];
			struct gpucrypt_plan plan = { .kernel.work_items = 512, .kernel.work_groups = 528 };

			kernel->suite = (struct suite){ *c, &modes[MODE_ECB], 16, ENCRYPT };
			kernel->shaping = (enum shaping)by;
			plan_take_policy(&plan, *c);
			assert_int_equal(program_shape_of_plan(&kernel->shape, *c, &plan), GPUCRYPT_OK);
			for (unsigned i = 0; i < sweep->n_sizes; i++)
				kernel->seconds[i] = predicted_s(kernel, sweep->n_bytes[i], factor) * (i < 8 ? 2 : 1) /
				                     (by == 0 ? 1 : 4);
		}
}

TEST(throughput_follows_the_sweep)
{
	make_sweep(0.5);
	assert_int_equal(figure_throughput(&study, &figure), GPUCRYPT_OK);
	assert_int_equal(figure.n_rows, 10);
	assert_int_equal(figure.n_series, study.sweep->n_kernels);
	for (unsigned s = 0; s < figure.n_series; s++)
		for (unsigned i = 0; i < figure.n_rows; i++)
			assert_true(figure.series[s].y[i] > 0);
	assert_int_equal(figure.conclusions[0].verdict, VERDICT_HOLDS);
	assert_non_null(strstr(figure.conclusions[0].found, "aes from 256 MiB on"));
}

/* One that failed is reported; sizes below 256 MiB say nothing about convergence. */
TEST(a_sweep_that_stopped)
{
	make_sweep(0.5);
	study.sweep->n_sizes = 5;
	study.sweep->kernels[0].status = GPUCRYPT_CORRUPT;
	strcpy(study.sweep->kernels[0].failure, "wrong result");
	memset(study.sweep->kernels[0].seconds, 0, sizeof(study.sweep->kernels[0].seconds));
	assert_int_equal(figure_throughput(&study, &figure), GPUCRYPT_OK);
	assert_int_equal(figure.n_series, study.sweep->n_kernels - 1);
	assert_int_equal(figure.n_notes, 1);
	assert_int_equal(figure.notes[0].kind, NOTE_WRONG);
	assert_int_equal(figure.conclusions[0].verdict, VERDICT_OPEN);
	test_set_up();
	make_sweep(0.5);
	strcpy(study.sweep->kernels[0].failure, "no memory");
	memset(study.sweep->kernels[0].seconds, 0, sizeof(study.sweep->kernels[0].seconds));
	assert_int_not_equal(figure_bounds_aes(&study, &figure), GPUCRYPT_OK);
	assert_non_null(strstr(gpucrypt_error(), "no memory"));
}

TEST(maxima_follow_the_sweep)
{
	make_sweep(0.5);
	assert_int_equal(figure_maxima(&study, &figure), GPUCRYPT_OK);
	assert_true(figure_y(&figure, "chosen", "aes") > 3.9 * figure_y(&figure, "policy", "aes"));
	assert_true(figure_y(&figure, "GTX 580 (dissertation)", "sc2000") == 99.1);
	assert_int_equal(figure.conclusions[0].verdict,
	        figure_y(&figure, "policy", "sc2000") > figure_y(&figure, "policy", "aes") ? VERDICT_HOLDS
	                                                                                   : VERDICT_FAILS);
	assert_int_equal(figure.conclusions[1].verdict, VERDICT_FAILS); /* the policy is not best */
}

static enum verdict bounds_verdict(double factor)
{
	test_set_up();
	make_sweep(factor);
	assert_int_equal(figure_bounds_camellia(&study, &figure), GPUCRYPT_OK);
	assert_int_equal(figure.n_series, 4);
	assert_int_equal(figure.n_rows, 10);
	return figure.conclusions[0].verdict;
}

TEST(bounds_follow_the_sweep)
{
	assert_int_equal(bounds_verdict(0.5), VERDICT_HOLDS);
	assert_int_equal(bounds_verdict(-0.1), VERDICT_FAILS);
	assert_int_equal(bounds_verdict(1.1), VERDICT_FAILS);
	test_set_up();
	make_sweep(0);
	assert_int_equal(figure_errors(&study, &figure), GPUCRYPT_OK);
	assert_true(fabs(figure_y(&figure, "SA", "aes, policy")) < 1e-6);
	assert_true(fabs(figure_y(&figure, "SA", "aes, chosen") - 300) < 1e-6);
	test_set_up();
	make_sweep(0);
	assert_int_equal(figure_chosen_sc2000(&study, &figure), GPUCRYPT_OK);
	assert_int_equal(figure.conclusions[0].verdict, VERDICT_OPEN); /* nothing is claimed */
}

/* The CPU. */

TEST(threads_are_all_measured)
{
	unsigned n = 0, last = 0;

	make_sweep(0.5);
	for (unsigned t = 0; (t = processor_more_threads(t)) != 0; n++)
		assert_true(t > last), last = t;
	assert_int_equal(last, processor_threads());
	assert_int_equal(figure_threads(&study, &figure), GPUCRYPT_OK);
	assert_int_equal(figure.n_rows, n);
	assert_int_equal(figure.n_series, study.sweep->n_kernels / N_SHAPINGS);
	for (unsigned s = 0; s < figure.n_series; s++)
		for (unsigned i = 0; i < n; i++)
			assert_true(figure.series[s].y[i] > 0);
	assert_int_equal(figure.n_conclusions, 2);
	test_set_up();
	make_sweep(0.5);
	assert_int_equal(figure_instructions(&study, &figure), GPUCRYPT_OK);
	assert_int_equal(figure.n_series, 3);
	assert_int_equal(figure.n_rows, n);
}

/* Latencies. */

TEST(latencies_have_a_level)
{
	const struct curve falls = { 5, { 1, 2, 4, 8, 16 }, { 16, 8, 4, 2.1, 2 } },
	                   flat = { 3, { 1, 2, 4 }, { 2, 2, 2 } }, steep = { 3, { 1, 2, 4 }, { 4, 2, 1 } },
	                   point = { 1, { 1 }, { 3 } };

	assert_true(latency_level(&falls) == 8);
	assert_true(latency_level(&flat) == 1);
	latency_conclude(&figure, &falls, "It falls.");
	latency_conclude(&figure, &flat, "It falls.");
	latency_conclude(&figure, &steep, "It falls.");
	latency_conclude(&figure, &point, "It falls.");
	assert_int_equal(figure.conclusions[0].verdict, VERDICT_HOLDS);
	assert_non_null(strstr(figure.conclusions[0].found, "from 8 on"));
	assert_int_equal(figure.conclusions[1].verdict, VERDICT_FAILS); /* does not fall */
	assert_int_equal(figure.conclusions[2].verdict, VERDICT_FAILS); /* is not constant */
	assert_int_equal(figure.conclusions[3].verdict, VERDICT_OPEN);
}
