/* Spills: values that do not fit a register file. */
#include "tests/unit/cmocka_all.h"

#include "ppf/analysis/registers.h"

static unsigned moves(const struct step *steps, unsigned n_steps, unsigned n_values, unsigned n_registers)
{
	unsigned n = 0;

	assert_true(registers_moves(&n, steps, n_steps, n_values, n_registers));
	return n;
}

/* n values are made from value 1, and then used in the same order. */
static unsigned make_and_take(unsigned n, unsigned n_registers)
{
	struct step steps[2 * 64];

	for (unsigned i = 0; i < n; i++) {
		steps[i] = (struct step){ 2 + i, { 1 } };
		steps[n + i] = (struct step){ 2 + n + i, { 2 + i } };
	}
	return moves(steps, 2 * n, 2 * n + 1, n_registers);
}

TEST(what_fits_does_not_move)
{
	for (unsigned n = 1; n <= 8; n++)
		assert_int_equal(make_and_take(n, 8), 0);
	assert_int_equal(moves(NULL, 0, 0, 8), 0);
}

/* Each one too many is stored once and loaded once. */
TEST(what_does_not_fit_moves_twice)
{
	assert_int_equal(make_and_take(9, 8), 2);
	assert_int_equal(make_and_take(20, 8), 2 * 12);
	assert_int_equal(make_and_take(20, 16), 2 * 4);
	assert_int_equal(make_and_take(64, 32), 2 * 32);
}

/* With two registers 4 goes, which is needed last; 2 was there before, and is only loaded again. */
TEST(the_last_one_needed_goes)
{
	const struct step steps[] = { { 4, { 1 } }, { 5, { 1 } }, { 6, { 5 } }, { 7, { 6 } }, { 8, { 7, 4 } } },
	                  sources[] = { { 4, { 2, 3 } }, { 5, { 1, 4 } }, { 6, { 5, 1 } }, { 7, { 6, 2 } } };

	assert_int_equal(moves(steps, 5, 8, 2), 0);
	assert_int_equal(moves(steps, 5, 8, 3), 0);
	assert_int_equal(moves(sources, 4, 7, 2), 1);
	assert_int_equal(moves(sources, 4, 7, 4), 0);
}

/* An unused value needs no register, and a value used twice in one step counts once. */
TEST(what_is_not_needed)
{
	const struct step steps[] = { { 2, { 1, 1 } }, { 3, { 2 } }, { 4, { 2 } }, { 5, { 2 } }, { 6, { 2, 2, 2 } } };

	assert_int_equal(moves(steps, 5, 6, 1), 0);
}
