/* ppf study: figures are filled, written whole, and read again. */
#include "tests/unit/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/status.h"
#include "ppf/record/cache.h"
#include "ppf/study/study.h"

static struct study study;
static struct figure figure;
static char folder[] = "/tmp/gcrypt_study.XXXXXX";

void program_set_up(void)
{
	assert_non_null(mkdtemp(folder));
	assert_int_equal(study_open(&study, 0, true), GPUCRYPT_OK);
}

void program_tear_down(void)
{
	char command[64];

	study_close(&study);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
}

void test_set_up(void)
{
	fail_clear();
	memset(&figure, 0, sizeof(figure));
	strcpy(figure.name, "0.0");
	strcpy(figure.title, "A title's <tag> & \"quotes\"");
	strcpy(figure.x_label, "x");
	strcpy(figure.y_label, "y");
}

/* Filling. */

TEST(rows_of_lines_are_in_order)
{
	figure_point(&figure, "a", 4, 40);
	figure_point(&figure, "b", 1, 11);
	figure_point(&figure, "a", 2, 20);
	figure_point(&figure, "b", 4, 44);
	assert_int_equal(figure.n_rows, 3);
	assert_true(figure.rows[0].x == 1 && figure.rows[1].x == 2 && figure.rows[2].x == 4);
	assert_true(isnan(figure.series[0].y[0]) && figure.series[0].y[2] == 40);
	assert_true(figure.series[1].y[0] == 11 && isnan(figure.series[1].y[1]));
	assert_string_equal(figure.failure, "");
}

TEST(what_does_not_fit_is_a_failure)
{
	char label[16], variant[100] = { 0 };

	for (int i = 0; i < MAX_FIGURE_ROWS; i++)
		figure_bar(&figure, "a", (snprintf(label, sizeof(label), "%d", i), label), i);
	assert_string_equal(figure.failure, "");
	figure_bar(&figure, "a", "one more", 1);
	assert_non_null(strstr(figure.failure, "too many rows"));
	assert_true(isnan(figure_y(&figure, "a", "one more")));
	assert_true(figure_y(&figure, "a", "95") == 95);
	test_set_up();
	memset(variant, 'v', sizeof(variant) - 1);
	figure_note(&figure, NOTE_FAILED, variant, "why");
	assert_non_null(strstr(figure.failure, "too long"));
}

TEST(differences_that_are_small_are_none)
{
	assert_int_equal(figure_greater(&figure, 1.03, 1), VERDICT_HOLDS);
	assert_int_equal(figure_greater(&figure, 1.01, 1), VERDICT_OPEN);
	assert_int_equal(figure_greater(&figure, 1, 1.03), VERDICT_FAILS);
	assert_int_equal(figure_greater(&figure, NAN, 1), VERDICT_OPEN);
	figure_spread(&figure, 0.05);
	figure_spread(&figure, 0.15);
	assert_int_equal(figure_greater(&figure, 1.09, 1), VERDICT_OPEN);
	assert_int_equal(figure_greater(&figure, 1.11, 1), VERDICT_HOLDS);
}

/* Writing. */

static void fill_all(void)
{
	figure.bars = true;
	figure_bar(&figure, "measured", "row <1>", 2.5);
	figure_bar(&figure, "measured", "row 2", 3.5);
	figure_bar(&figure, "theirs", "row 2", 1.5);
	figure_mark_printed(&figure, "theirs");
	figure_note(&figure, NOTE_IMPOSSIBLE, "row 3", "because of %d", 42);
	figure_conclude(&figure, VERDICT_FAILS, "It was so.", "It is %g.", 0.5);
}

static const json_t *member(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	assert_non_null(value);
	return value;
}

TEST(json_has_everything)
{
	json_t *json;
	const json_t *series, *points, *note, *conclusion;
	struct study_origin origin;

	fill_all();
	origin = study_origin(&study);
	json = study_json(&origin, &figure);
	assert_non_null(json);
	assert_string_equal(json_string_value(member(json, "figure")), "0.0");
	assert_string_equal(json_string_value(member(json, "device")), study.device->name);
	series = member(json, "series");
	assert_int_equal(json_array_size(series), 2);
	points = member(json_array_get(series, 0), "points");
	assert_int_equal(json_array_size(points), 2);
	assert_true(json_real_value(member(json_array_get(points, 1), "y")) == 3.5);
	assert_string_equal(json_string_value(member(json_array_get(points, 0), "label")), "row <1>");
	assert_true(json_is_true(member(json_array_get(series, 1), "printed")));
	assert_int_equal(json_array_size(member(json_array_get(series, 1), "points")), 1);
	note = json_array_get(member(json, "notes"), 0);
	assert_string_equal(json_string_value(member(note, "kind")), "not possible");
	assert_string_equal(json_string_value(member(note, "reason")), "because of 42");
	conclusion = json_array_get(member(json, "conclusions"), 0);
	assert_string_equal(json_string_value(member(conclusion, "verdict")), "does not hold");
	assert_string_equal(json_string_value(member(conclusion, "found")), "It is 0.5.");
	json_decref(json);
}

static char *written(const char *name)
{
	char path[128], *text;

	snprintf(path, sizeof(path), "%s/out/%s", folder, name);
	text = file_text(path);
	assert_non_null(text);
	return text;
}

static int fails(struct study *self, struct figure *to)
{
	(void)self;
	figure_bar(to, "a", "b", 1);
	return fail(GPUCRYPT_DEVICE, "the device has gone");
}

/* NAN is no number to compare by ==. */
static void assert_same(const struct figure *a, const struct figure *b)
{
	json_t *one = figure_json(a), *other = figure_json(b);

	assert_true(json_equal(one, other));
	json_decref(one);
	json_decref(other);
}

TEST(a_page_has_all_figures)
{
	const struct study_figure failing = { "0.1", "Another one", 1, fails };
	static struct figure figures[2], again;
	struct study_origin origin = study_origin(&study), read;
	char out[64], from[80], to[80], *page;
	bool drawn;

	fill_all();
	figures[0] = figure;
	study_run(&study, &failing, &figures[1]);
	assert_string_equal(figures[1].failure, "the device has gone");
	assert_null(study.figure);
	snprintf(out, sizeof(out), "%s/out", folder);
	assert_int_equal(study_write(&origin, out, figures, 2, &drawn), GPUCRYPT_OK);
	assert_true(drawn);
	page = written("index.html");
	assert_contains(page, "A title's &lt;tag&gt; &amp; &quot;quotes&quot;");
	assert_contains(page, "<td>row &lt;1&gt;</td><td>2.5</td><td>–</td>");
	assert_contains(page, "<td>It was so.</td><td>It is 0.5.</td><td>does not hold</td>");
	assert_contains(page, "row 3: not possible: because of 42");
	assert_contains(page, "<img src=\"0.0.svg\"");
	assert_contains(page, "Another one");
	assert_contains(page, "the device has gone");
	free(page);
	page = written("0.0.svg");
	assert_contains(page, "row 2");
	assert_contains(page, "theirs");
	free(page);
	free(written("0.1.json"));
	assert_int_equal(study_read(&read, &again, out, "0.0"), GPUCRYPT_OK);
	assert_memory_equal(&read, &origin, sizeof(read));
	again.n_spreads = figure.n_spreads; /* of use only while a figure is filled */
	assert_same(&again, &figure);
	assert_int_equal(study_read(&read, &again, out, "0.2"), GPUCRYPT_IO);
	fail_clear();
	snprintf(from, sizeof(from), "%s/0.0.json", out);
	snprintf(to, sizeof(to), "%s/0.9.json", out);
	assert_int_equal(link(from, to), 0);
	assert_int_equal(study_read(&read, &again, out, "0.9"), GPUCRYPT_CORRUPT);
	assert_non_null(strstr(gpucrypt_error(), "another figure"));
	unlink(to);
	fail_clear();
}

/* Damaged files of an earlier run. */
TEST(what_is_no_figure_is_refused)
{
	static const char *const texts[] = { "", "[]", "{}", "{\"device\": 1}" };
	static struct figure again;
	struct study_origin read;
	json_t *json;
	char path[96];

	snprintf(path, sizeof(path), "%s/0.3.json", folder);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(file_replace(path, texts[i]), GPUCRYPT_OK);
		assert_int_equal(study_read(&read, &again, folder, "0.3"), GPUCRYPT_CORRUPT);
	}
	fail_clear();
	fill_all();
	json = figure_json(&figure);
	json_array_clear(json_object_get(json, "rows")); /* points without a row */
	assert_int_equal(figure_read(&again, json, "it"), GPUCRYPT_CORRUPT);
	assert_string_equal(gpucrypt_error(), "it: not a figure of ppf study");
	json_decref(json);
	fail_clear();
}

/* An existing folder keeps what else is in it; without gnuplot there are no pictures. */
TEST(without_gnuplot_there_are_tables)
{
	char *path = strdup(getenv("PATH")), out[64], *page;
	const struct study_origin origin = study_origin(&study);
	bool drawn;

	fill_all();
	strcpy(figure.name, "0.2");
	snprintf(out, sizeof(out), "%s/out", folder);
	setenv("PATH", folder, 1);
	assert_int_equal(study_write(&origin, out, &figure, 1, &drawn), GPUCRYPT_OK);
	setenv("PATH", path, 1);
	free(path);
	assert_false(drawn);
	page = written("index.html");
	assert_null(strstr(page, "<img"));
	assert_contains(page, "<td>row 2</td>");
	free(page);
	free(written("0.0.svg"));
	assert_int_equal(study_write(&origin, "/dev/null/out", &figure, 1, &drawn), GPUCRYPT_IO);
	fail_clear();
}

/* NAN stands for a value that was not measured; words stay words. */
TEST(what_was_not_measured_is_said)
{
	figure_conclude(&figure, VERDICT_OPEN, "It was so.", "%.2f dominant, %.3g nanoseconds, %g times, %+.1f.", NAN,
	        -NAN, 2.0, NAN);
	assert_string_equal(figure.conclusions[0].found,
	        "(not measured) dominant, (not measured) nanoseconds, 2 times, (not measured).");
	figure_conclude(&figure, VERDICT_OPEN, "It was so.", "%g%g", NAN, 1.0);
	assert_string_equal(figure.conclusions[1].found, "(not measured)1");
	assert_string_equal(figure.failure, "");
}
