/* Records that are derived from published figures. */
#include "tests/unit/cache_folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ppf/record/records.h"

void program_set_up(void)
{
	make_cache_folder();
}

void program_tear_down(void)
{
	remove_cache_folder();
}

/* A file with this text. */
static const char *file_of(const char *text)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/figures.json", cache_folder);
	assert_ok(file_write(path, text));
	return path;
}

#define FIGURES(figures) "{ \"format\": \"gcrypt device figures 1\", \"figures\": {" figures "} }"
#define ENTRY(test, metric, unit, value)                                                                \
	"{\"backend\":\"OpenCL\",\"platform\":\"P\",\"device\":\"D\",\"driver\":\"1\",\"test\":\"" test \
	"\",\"metric\":\"" metric "\",\"unit\":\"" unit "\",\"value\":" value "}"

static void derive(struct device_record *record, const char *table, const char *clpeak)
{
	char *text;

	assert_ok(record_derive(&text, table, clpeak));
	assert_ok(device_record_parse(record, text, "derived"));
	assert_true(record->derived);
	assert_non_null(strstr(text, "\"origins\": {"));
	free(text);
}

/* The expected figures are computed by hand from the rules. */
TEST(records_are_derived_from_published_figures)
{
	static const char given[] = "\"clock_hz\": [1e9, \"A\"], \"compute_units\": [10, \"A\"], "
	                            "\"logic_per_clock\": [64, \"A\"], \"global_bytes_per_s\": [1e11, \"A\"]";
	struct device_record r, h200;
	char *text;

	assert_true(asprintf(&text, FIGURES("%s"), given) > 0);
	derive(&r, file_of(text), NULL);
	assert_true(r.clock_hz == 1e9 && r.compute_units == 10 && r.batch_items == 32);
	assert_true(r.operator_cycles[OPERATOR_LOGIC] == 0.5 && r.operator_cycles[OPERATOR_MUL] == 2);
	assert_true(r.fusion_cycles[FUSION_LOGIC] == 1 && r.copies_cycles[0] == 3.27 && r.copies_cycles[5] == 1);
	assert_true(device_record_cycles(&r, RESOURCE_LOCAL_REGULAR, 1) == 16);
	assert_true(device_record_cycles(&r, RESOURCE_LOCAL_REGULAR, 64) == 1);
	assert_true(fabs(device_record_cycles(&r, RESOURCE_STREAM, 64) - 102.4) < 1e-9);
	free(text);
	assert_true(asprintf(&text,
	                    "{ \"format\": \"gcrypt device figures 1\", \"like\": \"h200\", \"name\": \"X\", "
	                    "\"figures\": { %s } }",
	                    given) > 0);
	assert_ok(device_record_parse(&h200, records_builtin("h200"), "h200"));
	derive(&r, file_of(text), NULL);
	assert_string_equal(r.name, "X");
	assert_true(r.compute_units == 10 && r.operator_cycles[OPERATOR_LOGIC] == 0.5);
	assert_true(r.operator_cycles[OPERATOR_MUL] == h200.operator_cycles[OPERATOR_MUL]);
	assert_true(r.balanced_cycles == h200.balanced_cycles);
	free(text);
}

/* The same results in both formats. */
TEST(records_are_derived_from_clpeak)
{
	static const char *const texts[] = {
		"{\"format_version\":2,\"clpeak_version\":\"2.1\",\"os\":\"Linux\",\"devices\":[{\"backend\":\"OpenCL\","
		"\"device\":\"D\",\"props\":[{\"k\":\"Compute units\",\"v\":\"10\"},"
		"{\"k\":\"Clock frequency\",\"v\":\"1000 MHz\"}]}],\"entries\":[" ENTRY("single_precision_compute",
		        "float", "gflops", "1000.0000") "," ENTRY("single_precision_compute", "float2", "gflops",
		        "1280.0000") "," ENTRY("integer_compute", "int", "gops",
		        "320.0000") "," ENTRY("global_memory_bandwidth", "float", "gbps",
		        "100.0000") "," ENTRY("transfer_bandwidth", "enqueuewritebuffer", "gbps", "12.0000") "]}",
		"<?xml version=\"1.0\"?>\n<clpeak format_version=\"2\"><run backend=\"OpenCL\" platform=\"P\" device=\"D\" "
		"driver=\"1\"><prop name=\"Compute units\" value=\"10\"/><prop name=\"Clock frequency\" value=\"1000 "
		"MHz\"/><category name=\"fp_compute\"><test name=\"single_precision_compute\" display=\"a &gt; b\" "
		"unit=\"gflops\"><metric name=\"float\">1000.0</metric><metric name=\"float2\">1280.0</metric>"
		"<metric name=\"float4\" status=\"unsupported\" reason=\"x\"/></test><test name=\"integer_compute\" "
		"unit=\"gops\"><metric name=\"int\">320.0</metric></test><test name=\"global_memory_bandwidth\" "
		"unit=\"gbps\"><metric name=\"float\">100.0</metric></test><test name=\"transfer_bandwidth\" "
		"unit=\"gbps\"><metric name=\"enqueuewritebuffer\">12.0</metric></test></category></run></clpeak>",
	};

	for (size_t i = 0; i < N_OF(texts); i++) {
		struct device_record r;

		derive(&r, NULL, file_of(texts[i]));
		assert_string_equal(r.name, "D");
		assert_string_equal(r.vendor, "P");
		assert_true(r.compute_units == 10 && r.clock_hz == 1e9 && r.global_bytes_per_s == 1e11);
		assert_true(r.operator_cycles[OPERATOR_LOGIC] == 0.5 && r.operator_cycles[OPERATOR_MUL] == 2);
		assert_true(r.transfer.pinned_in == 1.2e10);
	}
}

TEST(damaged_figures_are_rejected)
{
	static const struct {
		const char *text, *says;
		bool clpeak;
	} cases[] = {
		{ "{", "not a table of figures: line 1", false },
		{ "[]", "format is not", false },
		{ FIGURES("\"clock\": [1e9, \"A\"]"), "figures.clock: not a figure", false },
		{ FIGURES("\"clock_hz\": [-1, \"A\"]"), "figures.clock_hz: not a figure", false },
		{ FIGURES("\"clock_hz\": [1e300, \"A\"]"), "figures.clock_hz: not a figure", false },
		{ FIGURES("\"clock_hz\": [1e9]"), "figures.clock_hz: not a figure", false },
		{ FIGURES("\"clock_hz\": [1e9, \"A\"]"), "the figure compute_units is missing", false },
		{ FIGURES("\"compute_units\": [1e17, \"A\"], \"clock_hz\": [1e9, \"A\"], \"global_bytes_per_s\": [1, \"A\"], \"logic_per_clock\": [1, \"A\"]"),
		        "compute_units is too large", false },
		{ "{\"format\": \"gcrypt device figures 1\", \"like\": \"x\", \"figures\": {}}", "like: x: no built-in",
		        false },
		{ "{\"format_version\":1,\"entries\":[{}]}", "format_version", true },
		{ "{\"format_version\":2,\"entries\":[]}", "no entries", true },
		{ "<run <test <metric <prop", "the figure clock_hz is missing", true },
		{ "<clpeak>", "no entries", true },
		{ "{\"format_version\":2,\"entries\":[{}]}", "the figure clock_hz is missing", true },
	};

	char *text;

	for (size_t i = 0; i < N_OF(cases); i++) {
		const char *path = file_of(cases[i].text);

		assert_fails_about(record_derive(&text, cases[i].clpeak ? NULL : path, cases[i].clpeak ? path : NULL),
		        GPUCRYPT_CORRUPT, path);
		assert_non_null(strstr(gpucrypt_error(), cases[i].says));
		assert_null(strchr(gpucrypt_error(), '\n'));
	}
	assert_fails_about(record_derive(&text, "/dev/null", NULL), GPUCRYPT_CORRUPT, "/dev/null: not a table");
}
