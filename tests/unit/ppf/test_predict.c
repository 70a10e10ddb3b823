/* The dissertation's equations against its printed results (section 6.4, figures 5.2, 6.8, 6.9). */
#include <math.h>

#include "tests/unit/cmocka_all.h"
#include "gpucrypt/status.h"
#include "ppf/model/predict.h"

#define SIZE (256ull << 20)

static const struct launch gtx580 = { SIZE, 64, 1024, 1024 }, gtx280 = { SIZE, 90, 512, 1024 };

static struct record record_of(const char *name)
{
	struct record record;
	const char *text = record_builtin(name);

	assert_non_null(text);
	assert_int_equal(record_parse(&record, text, name), GPUCRYPT_OK);
	return record;
}

static struct thesis_prediction predict(const char *device, const char *cipher, const char *form, struct launch launch)
{
	struct record record = record_of(device);
	const struct profile *profile = profile_thesis(cipher, form);
	struct thesis_prediction p;

	assert_non_null(profile);
	predict_thesis(&p, &record, profile, &launch);
	return p;
}

static void assert_close(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		print_error("%.6f is not %.6f\n", value, expected);
	assert_true(fabs(value - expected) <= tolerance);
}

/* The worked example: GTX 580, Camellia-128, 256 MiB, 64 groups × 1024. */
static void test_worked_example(void **state)
{
	struct thesis_prediction p = predict("gtx580", "camellia", "4", gtx580);

	(void)state;
	assert_close(p.block_sa, 1265.6, 1e-6);
	assert_close(p.block_si, 1907.6, 1e-6);
	assert_close(p.n_iter, 256, 1e-9);
	assert_close(p.total_sa, 41521181, 0.5);
	assert_close(p.total_si, 62558237, 0.5);
}

/* Equation 6.1: c = 8 x f / t. */
static void test_equation_6_1(void **state)
{
	(void)state;
	assert_close(cycles_of_throughput(2e9, 1e9, 1000), 4000, 1e-6);
}

/* Figure 6.8's bounds, in units of 1e7 cycles with two digits. */
static void test_gtx580_bounds(void **state)
{
	struct thesis_prediction aes = predict("gtx580", "aes", "4", gtx580);
	struct launch launch = gtx580;
	struct thesis_prediction sc2000;

	(void)state;
	launch.table_words = 5120;
	sc2000 = predict("gtx580", "sc2000", "11,10,11", launch);
	assert_close(aes.total_sa / 1e7, 4.45, 0.01);
	assert_close(aes.total_si / 1e7, 5.88, 0.01);
	assert_close(sc2000.total_sa / 1e7, 2.70, 0.01);
	assert_close(sc2000.total_si / 1e7, 4.36, 0.01);
}

/* Figure 5.2's measured throughputs lie inside the bounds on the GTX 580. */
static void test_measured_inside(void **state)
{
	static const struct {
		const char *cipher, *form;
		double bits_per_s;
		unsigned table_words;
	} measured[] = { { "aes", "4", 70.8e9, 1024 }, { "camellia", "4", 72.7e9, 1024 },
		{ "sc2000", "11,10,11", 99.1e9, 5120 } };

	(void)state;
	for (size_t i = 0; i < N_OF(measured); i++) {
		struct launch launch = gtx580;
		struct thesis_prediction p;
		double cycles = cycles_of_throughput(measured[i].bits_per_s, 1.544e9, SIZE);

		launch.table_words = measured[i].table_words;
		p = predict("gtx580", measured[i].cipher, measured[i].form, launch);
		assert_true(p.total_sa < cycles && cycles < p.total_si);
	}
}

/* … and below SA for AES on the GTX 280; N_iter is not rounded there. */
static void test_measured_below(void **state)
{
	struct thesis_prediction p = predict("gtx280", "aes", "4", gtx280);
	double cycles = cycles_of_throughput(27.9e9, 1.296e9, SIZE);

	(void)state;
	assert_close(p.n_iter, 364.09, 0.005);
	assert_close(p.n_batch, 16, 1e-9);
	assert_close(p.total_sa / 1e8, 1.13, 0.005);
	assert_true(cycles < p.total_sa);
}

/* Twice the bytes, and half the groups, cost twice the cycles, but for launch and tables. */
static void test_scaling(void **state)
{
	struct launch twice = gtx580, half = gtx580;
	struct thesis_prediction one = predict("gtx580", "aes", "4", gtx580), two, same;

	(void)state;
	twice.n_bytes *= 2;
	half.work_groups /= 2;
	two = predict("gtx580", "aes", "4", twice);
	same = predict("gtx580", "aes", "4", half);
	assert_close(two.total_si - two.l_ker - two.l_ld, 2 * (one.total_si - one.l_ker - one.l_ld), 1);
	assert_close(same.n_iter, 2 * one.n_iter, 1e-9);
	assert_close(same.total_sa, one.total_sa, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked_example),
		cmocka_unit_test(test_equation_6_1),
		cmocka_unit_test(test_gtx580_bounds),
		cmocka_unit_test(test_measured_inside),
		cmocka_unit_test(test_measured_below),
		cmocka_unit_test(test_scaling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
