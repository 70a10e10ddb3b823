/* The dissertation's equations against its printed results (section 6.4, figures 5.2, 6.8, 6.9). */
#include "ppf/model/overlap.h"
#include "tests/unit/builtin.h"

#define SIZE (256ull << 20)

static const struct launch gtx580 = { .n_bytes = SIZE,
	.kernel = { .work_groups = 64, .work_items = 1024 },
	.table_words = 1024 },
                           gtx280 = { .n_bytes = SIZE,
	                           .kernel = { .work_groups = 90, .work_items = 512 },
	                           .table_words = 1024 };

static struct thesis_prediction predict(const char *device, const char *cipher, const char *form, struct launch launch)
{
	struct device_record record = builtin(device);
	const struct profile *profile = profile_thesis(cipher, form);
	struct thesis_prediction p;

	assert_non_null(profile);
	predict_thesis(&p, &record, profile, &launch);
	return p;
}

/* The worked example: GTX 580, Camellia-128, 256 MiB, 64 groups × 1024. */
TEST(test_worked_example)
{
	struct thesis_prediction p = predict("gtx580", "camellia", "4", gtx580);

	assert_within(p.block_sa, 1265.6, 1e-6);
	assert_within(p.block_si, 1907.6, 1e-6);
	assert_within(p.n_iter, 256, 1e-9);
	assert_within(p.total_sa, 41521181, 0.5);
	assert_within(p.total_si, 62558237, 0.5);
}

/* Figure 6.8's bounds, in units of 1e7 cycles with two digits. */
TEST(test_gtx580_bounds)
{
	struct thesis_prediction aes = predict("gtx580", "aes", "4", gtx580);
	struct launch launch = gtx580;
	struct thesis_prediction sc2000;

	launch.table_words = 5120;
	sc2000 = predict("gtx580", "sc2000", "11,10,11", launch);
	assert_within(aes.total_sa / 1e7, 4.45, 0.01);
	assert_within(aes.total_si / 1e7, 5.88, 0.01);
	assert_within(sc2000.total_sa / 1e7, 2.70, 0.01);
	assert_within(sc2000.total_si / 1e7, 4.36, 0.01);
}

/* Figure 5.2's measured throughputs lie inside the bounds on the GTX 580. */
TEST(test_measured_inside)
{
	static const struct {
		const char *cipher, *form;
		double bits_per_s;
		unsigned table_words;
	} measured[] = { { "aes", "4", 70.8e9, 1024 }, { "camellia", "4", 72.7e9, 1024 },
		{ "sc2000", "11,10,11", 99.1e9, 5120 } };

	for (size_t i = 0; i < N_OF(measured); i++) {
		struct launch launch = gtx580;
		struct thesis_prediction p;
		double cycles = 8.0 * SIZE * 1.544e9 / measured[i].bits_per_s; /* equation 6.1 */

		launch.table_words = measured[i].table_words;
		p = predict("gtx580", measured[i].cipher, measured[i].form, launch);
		assert_true(p.total_sa < cycles && cycles < p.total_si);
	}
}

/* … and below SA for AES on the GTX 280; N_iter is not rounded there. */
TEST(test_measured_below)
{
	struct thesis_prediction p = predict("gtx280", "aes", "4", gtx280);
	double cycles = 8.0 * SIZE * 1.296e9 / 27.9e9; /* equation 6.1 */

	assert_within(p.n_iter, 364.09, 0.005);
	assert_within(p.n_batch, 16, 1e-9);
	assert_within(p.total_sa / 1e8, 1.13, 0.005);
	assert_true(cycles < p.total_sa);
}

/* Twice the bytes, and half the groups, cost twice the cycles, but for launch and tables. */
TEST(test_scaling)
{
	struct launch twice = gtx580, half = gtx580;
	struct thesis_prediction one = predict("gtx580", "aes", "4", gtx580), two, same;

	twice.n_bytes *= 2;
	half.kernel.work_groups /= 2;
	two = predict("gtx580", "aes", "4", twice);
	same = predict("gtx580", "aes", "4", half);
	assert_within(two.total_si - two.l_ker - two.l_ld, 2 * (one.total_si - one.l_ker - one.l_ld), 1);
	assert_within(same.n_iter, 2 * one.n_iter, 1e-9);
	assert_within(same.total_sa, one.total_sa, 1);
}
