/* Chapter 4 in ppf study: a kernel that computes something else is never timed, and conclusions follow
 * the figures. */
#include "tests/unit/cmocka_all.h"

#include <math.h>

#include "gpucrypt/status.h"
#include "ppf/study/granularity.h"
#include "ppf/study/product.h"
#include "ppf/study/variant.h"

#define SMALL_BYTES ((size_t)64 << 10)

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

void test_set_up(void)
{
	fail_clear();
	memset(&figure, 0, sizeof(figure));
}

static const struct placement some[] = {
	{ 16, SPACE_LOCAL, SPACE_LOCAL, STATE_REGISTER },
	{ 8, SPACE_LOCAL, SPACE_CONSTANT, STATE_AOS },
	{ 4, SPACE_CONSTANT, SPACE_LOCAL, STATE_SOA },
	{ 1, SPACE_LOCAL, SPACE_CONSTANT, STATE_SOA },
};

static double bar(const struct placement *at)
{
	char row[48];

	return figure_y(&figure, granularity_states[at->state], granularity_row(row, at));
}

static void run_some(void)
{
	struct launch_shape best;
	struct ecb ecb;

	assert_int_equal(ecb_open(&ecb, &study), GPUCRYPT_OK);
	ecb.n_bytes = SMALL_BYTES;
	for (size_t i = 0; i < N_OF(some); i++)
		assert_int_equal(granularity_run(&ecb, &figure, &some[i], 0, &best), GPUCRYPT_OK);
	ecb_close(&ecb);
}

TEST(a_variant_that_is_wrong_is_not_timed)
{
	char wrong[64];

	study.plant = granularity_name(wrong, &some[1]);
	run_some();
	study.plant = NULL;
	for (size_t i = 0; i < N_OF(some); i++)
		if (i == 1)
			assert_true(isnan(bar(&some[i])));
		else
			assert_true(bar(&some[i]) > 0);
	assert_int_equal(figure.n_notes, 1);
	assert_int_equal(figure.notes[0].kind, NOTE_WRONG);
	assert_string_equal(figure.notes[0].variant, wrong);
	assert_string_equal(figure.failure, "");
}

TEST(a_variant_is_checked_before_it_is_timed)
{
	const struct variant_launch launch = { NULL, 0, 1, 1 };
	struct variant variant = { 0 };
	double seconds = 1;

	assert_int_equal(variant_build(&variant, &study, "none", "granularity.cl", "", "encrypt"), GPUCRYPT_DEVICE);
	fail_clear();
	variant.study = &study, variant.name = "none";
	assert_int_equal(variant_time(&variant, &launch, &seconds), GPUCRYPT_OTHER);
	assert_true(seconds == 0);
	variant_close(&variant);
	fail_clear();
}

TEST(impossible_placements_are_told)
{
	unsigned n = 0;

	for (unsigned i = 0; i < N_PLACEMENTS; i++) {
		const struct placement at = granularity_placement(i);
		n += granularity_impossible(&at);
	}
	assert_int_equal(n, 12);
	assert_int_equal(N_PLACEMENTS, 48);
}

/* The conclusions of an empty figure are open, and no figure of the dissertation is lost. */
TEST(conclusions_are_open_without_figures)
{
	const struct launch_shape none = { 0 };

	granularity_conclude(&figure, &none, 1);
	assert_true(figure.n_conclusions >= 7);
	for (unsigned i = 0; i < figure.n_conclusions; i++)
		assert_int_equal(figure.conclusions[i].verdict, VERDICT_OPEN);
	assert_string_equal(figure.failure, "");
}

/* Made-up figures in which each conclusion has a known answer. */
TEST(conclusions_follow_the_figures)
{
	const struct placement policy = { 16, SPACE_LOCAL, SPACE_LOCAL, STATE_REGISTER };
	const struct launch_shape best = { 512, 3 };
	char row[48];

	for (unsigned i = 0; i < N_PLACEMENTS; i++) {
		const struct placement at = granularity_placement(i);
		if (!granularity_impossible(&at))
			figure_bar(
			        &figure, granularity_states[at.state], granularity_row(row, &at), 10 + at.item_bytes);
	}
	figure_bar(&figure, PRODUCT_SERIES, PRODUCT_POLICY, 30);
	figure_bar(&figure, PRODUCT_SERIES, PRODUCT_REPLICATED, 60);
	figure_bar(&figure, granularity_states[0], granularity_row(row, &policy), 30);
	granularity_conclude(&figure, &best, 7);
	assert_int_equal(figure.conclusions[0].verdict, VERDICT_HOLDS); /* 16 bytes */
	assert_int_equal(figure.conclusions[1].verdict, VERDICT_OPEN);  /* tables */
	assert_int_equal(figure.conclusions[2].verdict, VERDICT_HOLDS); /* keys */
	assert_int_equal(figure.conclusions[figure.n_conclusions - 2].verdict, VERDICT_HOLDS);
	assert_int_equal(figure.conclusions[figure.n_conclusions - 1].verdict, VERDICT_FAILS);
	assert_contains(figure.conclusions[figure.n_conclusions - 1].found, "60 (2.00 times)");
}

TEST(the_product_is_timed_too)
{
	const struct suite suite = { &cipher_aes, &modes[MODE_ECB], 16, ENCRYPT };
	const struct gpucrypt_plan policy = { .kernel.table = TABLE_4 };
	struct gpucrypt_plan chosen = { 0 };
	double seconds = 0;

	assert_int_equal(product_choose(&chosen, &study, &suite, SMALL_BYTES), GPUCRYPT_OK);
	assert_int_not_equal(chosen.kernel.table, TABLE_OPEN);
	assert_int_equal(product_time(&study, &suite, &policy, SMALL_BYTES, &seconds), GPUCRYPT_OK);
	assert_true(seconds > 0);
}
