/* Patterns of results for people. */
#include <string.h>

#include "command/json.h"
#include "tests/unit/cmocka_all.h"

/* Fill a pattern from a row of a result. */
static void assert_filled(const char *pattern, const char *expected)
{
	json_t *row = json_loads("{\"bytes\": 8000000000, \"seconds\": [2.0, 3.0], \"start_s\": 0.4, \"none\": null,"
	                         "\"zero\": 0, \"plan\": {\"copies\": 32, \"table\": \"4\"}, \"chosen\": true,"
	                         "\"failed\": false, \"cycles\": 41521181, \"large\": \"9007199254740993\","
	                         "\"evil\": \"\\u001b[2J\", \"empty\": []}",
	               0, NULL),
	       *whole = json_pack("{s:s, s:i, s:s}", "mode", "ctr", "zero", 5, "none", "1.10.1");
	char text[PATTERN_TEXT];

	assert_non_null(row);
	assert_int_equal(pattern_fill(text, pattern, row, whole), strcmp(expected, "-") != 0);
	assert_string_equal(text, expected);
	json_decref(row);
	json_decref(whole);
}

TEST(members)
{
	assert_filled("table {plan.table}: {plan.copies} in {mode}", "table 4: 32 in ctr");
	assert_filled("{seconds} runs, first {seconds.0} s", "2 runs, first 2 s");
	assert_filled("{none}", "-");
	assert_filled("{seconds.2}", "-");
	assert_filled("{plan.missing}", "-");
	assert_filled("{zero}", "0");
	assert_filled("{large} {evil}", "9007199254740993 ?[2J");
}

TEST(alternatives)
{
	assert_filled("a[, {none}][, {mode}]", "a, ctr");
	assert_filled("[{none}|{plan.table}|{mode}]!", "4!");
	assert_filled("{none}|second", "second");
	assert_filled("[x{none}[y]|z[{mode}|w]]", "zctr");
	assert_filled("[{?chosen}yes|no] [{?failed}yes|no] [{?zero}yes|no] [{?empty}yes|no]", "yes no no no");
	assert_filled("[{?mode}yes]", "yes");
	assert_filled("{plan.table}[ x{plan.copies!1}][ {plan.copies!32}]", "4 x32");
}

TEST(units)
{
	assert_filled("{bytes:giga} {seconds.0:figure} {bytes:size} {plan.copies:time}", "8 2 7812500 KiB 32 s");
	assert_filled("{bytes/seconds.0-start_s:giga}", "5");
	assert_filled("{seconds.0/seconds.1}", "0.666666667");
	assert_filled("{seconds.0/seconds.1:percent} {seconds.1/seconds.0:error} {seconds.0/seconds.1:error}",
	        "67 % +50.0 % -33.3 %");
	assert_filled("{cycles:cycles} {seconds.0:cycles}", "4.15e7 2");
	assert_filled("{large:giga}", "9007199");
	assert_filled("{none:figure}", "-");
	assert_filled("{bytes/none:giga}", "-");
	assert_filled("{failed:figure}", "-");
}

/* The longest path of an ICD file is shown with the fault of its driver; what is too long ends with a whole character.
 */
TEST(long_texts)
{
	char name[2 * PATTERN_TEXT + 1] = "", text[PATTERN_TEXT];
	json_t *row;

	for (int i = 0; i < PATTERN_TEXT; i++)
		strcat(name, "\u00e9");
	row = json_pack("{s:s, s:s}", "name", name, "icd", name + 2 * PATTERN_TEXT - 510);
	assert_true(pattern_fill(text, "driver {icd}: left out", row, NULL));
	assert_string_equal(text + strlen(text) - 10, ": left out");
	assert_true(pattern_fill(text, "{name}", row, NULL));
	assert_int_equal(strlen(text), PATTERN_TEXT - 1);
	assert_string_equal(text + PATTERN_TEXT - 4, "\u00e9?");
	json_decref(row);
}
