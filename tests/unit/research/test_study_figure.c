/* Figures of ppf-study: add points in any order, read values back, and draw conclusions. */
#include "tests/unit/cmocka_all.h"

#include <math.h>
#include <stdlib.h>

#include "research/study.h"

static json_t *figure;

void test_set_up(void)
{
	fail_clear();
	json_decref(figure);
	figure = figure_new(NULL);
}

static double number(const json_t *array, size_t i, const char *key)
{
	return json_number_value(json_object_get(json_array_get(array, i), key));
}

TEST(rows_of_lines_are_in_order)
{
	const json_t *rows = json_object_get(figure, "rows"), *series = json_object_get(figure, "series");

	figure_point(figure, "a", 4, 40);
	figure_point(figure, "b", 1, 11);
	figure_point(figure, "a", 2, 20);
	figure_point(figure, "b", 4, 44);
	assert_int_equal(json_array_size(rows), 3);
	assert_true(number(rows, 0, "x") == 1 && number(rows, 1, "x") == 2 && number(rows, 2, "x") == 4);
	assert_true(isnan(figure_y(json_array_get(series, 0), 1)) && figure_y(json_array_get(series, 0), 4) == 40);
	assert_true(figure_y(json_array_get(series, 1), 1) == 11 && isnan(figure_y(json_array_get(series, 1), 2)));
	assert_true(figure_last_x(figure, true) == 1 && figure_last_x(figure, false) == 4);
}

TEST(the_best_bar)
{
	const char *series = NULL;

	figure_bar(figure, "a", "16 B, T local", 10);
	figure_bar(figure, "b", "16 B, T constant", 20);
	figure_bar(figure, "b", "8 B, T local", 30);
	figure_bar(figure, "theirs", "8 B, T local", 90);
	figure_printed(figure, "theirs");
	assert_true(figure_best(figure, "*", "16 B,*") == 20);
	assert_true(figure_best(figure, "*", "*") == 30); /* printed series are ignored */
	assert_true(figure_best(figure, "theirs", "*") == 90);
	assert_true(isnan(figure_best(figure, "*", "4 B,*")));
	assert_string_equal(text_of(figure_best_point(figure, "*", "*", &series), "label"), "8 B, T local");
	assert_string_equal(series, "b");
	figure_bar(figure, "b", "8 B, T local", 5);
	assert_true(figure_best(figure, "*", "*") == 20);
}

TEST(differences_that_are_small_are_none)
{
	assert_int_equal(figure_greater(figure, 1.03, 1), VERDICT_HOLDS);
	assert_int_equal(figure_greater(figure, 1.01, 1), VERDICT_OPEN);
	assert_int_equal(figure_greater(figure, 1, 1.03), VERDICT_FAILS);
	assert_int_equal(figure_greater(figure, NAN, 1), VERDICT_OPEN);
	json_object_set_new(figure, "spread", json_real(0.1));
	assert_int_equal(figure_greater(figure, 1.09, 1), VERDICT_OPEN);
	assert_int_equal(figure_greater(figure, 1.11, 1), VERDICT_HOLDS);
}

/* Draw a conclusion from the figure, by an experiment with these expressions. */
static const json_t *concluded(const char *holds, const char *found)
{
	json_t *experiment = json_pack("{s:{s:s}, s:[{s:s, s:s, s:s}]}", "let", "twice", "2 * best('a', '*')",
	        "conclusions", "claim", "It was so.", "holds", holds, "found", found);

	study_conclude(figure, experiment);
	json_decref(experiment);
	return json_array_get(json_object_get(figure, "conclusions"), 0);
}

static enum verdict verdict(const char *holds)
{
	const char *text = text_of(concluded(holds, ""), "verdict");
	enum verdict v = 0;

	while (v < N_VERDICTS && strcmp(text, verdict_names[v]) != 0)
		v++;
	return v;
}

TEST(expressions)
{
	figure_bar(figure, "a", "one", 1.5);
	figure_bar(figure, "b", "two", 40);
	figure_set(figure, "threads", 8);
	assert_int_equal(verdict("2 <= 1 + 1"), VERDICT_HOLDS);
	assert_int_equal(verdict("(2 + 4) / 3 * 2 <= 3.9"), VERDICT_FAILS);
	assert_int_equal(verdict("3 - 1 - 1 <= 1"), VERDICT_HOLDS);
	assert_int_equal(verdict("best('c', '*') <= 1"), VERDICT_OPEN);
	assert_int_equal(verdict("greater(best('b', '*'), twice)"), VERDICT_HOLDS);
	assert_int_equal(verdict("greater(1, 1.01)"), VERDICT_OPEN);
	assert_int_equal(verdict("all(1 <= 2, 1 <= best('c', '*'))"), VERDICT_HOLDS); /* unknown values are ignored */
	assert_int_equal(verdict("all(1 <= 2, 2 <= 1)"), VERDICT_FAILS);
	assert_int_equal(verdict("none(2 <= 1, 1 <= best('c', '*'))"), VERDICT_HOLDS);
	assert_int_equal(verdict("when(3 <= 2, 1)"), VERDICT_OPEN);
	assert_int_equal(verdict("max(1, best('c', '*'), 3) <= min(4, 3)"), VERDICT_HOLDS);
	assert_string_equal(text_of(concluded("1", "{twice:.1f} and {best('c', '*'):.2f}, {best('*', '*'):row} of "
	                                           "{best('*', '*'):series}; {?value('threads'):some|none}, "
	                                           "{?value('cores'):some|none}: {abs(-5):.0f} %."),
	                            "found"),
	        "3.0 and (not measured), two of b; some, none: 5 %.");
}

static struct line line_of(unsigned n, const double *y)
{
	struct line line;

	test_set_up();
	for (unsigned i = 0; i < n; i++)
		figure_point(figure, "a", 1u << i, y[i]);
	line = figure_line(figure, "a");
	assert_int_equal(line.n, n);
	return line;
}

TEST(lines_have_levels)
{
	static const double falls[] = { 16, 8, 4, 2.1, 2 }, rises[] = { 1, 2, 3.9, 4, 3.95 }, flat[] = { 2, 2, 2 };
	struct line line = line_of(5, falls);

	assert_true(line.level_x == 8 && line.first == 16 && line.last == 2);
	line = line_of(5, rises);
	assert_true(line.converged_x == 4 && line.most == 4 && line.most_x == 8);
	line = line_of(3, flat);
	assert_true(line.level_x == 1 && line.converged_x == 1 && line.most_x == 1);
	line = line_of(0, flat);
	assert_true(isnan(line.first) && isnan(line.most) && isnan(line.level_x));
}
