/* Extrapolation from runs over a part of an input to the whole. */
#include "cli/advise/advise.h"
#include "tests/unit/cmocka_all.h"

static void assert_range(struct advice_runs runs, uint64_t n_bytes, double least, double middle, double most)
{
	struct seconds_range range = advice_range(&runs, n_bytes);

	assert_float_equal(range.least, least, 1e-9);
	assert_float_equal(range.middle, middle, 1e-9);
	assert_float_equal(range.most, most, 1e-9);
}

/* The cost of the bytes is the difference between a part and a quarter of it; both include the start. */
TEST(test_runs_over_a_part)
{
	const struct advice_runs runs = { 4000, { 1.7, 1.5, 1.8, 9, 1.6 }, { 0.9, 0.6, 7, 0.8, 0.7 }, 0 },
	                         noise = { 4000, { 1, 1.1, 1.2, 1.3, 1.4 }, { 1, 1, 1, 1, 1 }, 0 };

	assert_range(runs, 4000, 1.5, 1.7, 1.8);
	assert_range(runs, 14000, 4.5, 4.5 * 1.7 / 1.5, 4.5 * 1.8 / 1.5);
	assert_range(noise, 8000, 2, 2.4, 2.6);
}
