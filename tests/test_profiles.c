/* The committed profiles: that they are what the analysis says, and how they are found. */
#include <stdio.h>

#include "tests/cmocka_all.h"

#include "gpucrypt/status.h"
#include "ppf/analyze.h"
#include "ppf/core.h"

static void is_current(const struct cipher *cipher, unsigned size, const struct table_form *form)
{
	const struct profile *committed =
	        profile_builtin(cipher->name, 128 + 64 * size, form->name);
	struct profile profile;
	char line[256], committed_line[256];

	fail_clear();
	assert_non_null(committed);
	assert_int_equal(core_analyze(&profile, cipher, size, form, "kernels"), GPUCRYPT_OK);
	assert_string_equal(committed->name, profile.name);
	core_line(line, sizeof line, &profile, cipher, size, form);
	core_line(committed_line, sizeof committed_line, committed, cipher, size, form);
	if (strcmp(line, committed_line) != 0)
		print_error("ppf/profiles.inc is not current: run make profiles\n");
	assert_string_equal(line, committed_line);
}

static void mode_is_current(const struct cipher *cipher, const struct mode *mode)
{
	const struct profile *committed = profile_mode(cipher->name, mode->name);
	struct profile profile;
	char line[256], committed_line[256];

	assert_non_null(committed);
	assert_int_equal(core_analyze_mode(&profile, cipher, mode, "kernels"), GPUCRYPT_OK);
	core_mode_line(line, sizeof line, &profile, cipher, mode);
	core_mode_line(committed_line, sizeof committed_line, committed, cipher, mode);
	assert_string_equal(line, committed_line);
}

static void every_one_is_current(void **state)
{
	(void)state;
	if (!analyze_available()) {
		print_message("test_profiles: not compared with the kernels: built without "
		              "libclang\n");
		skip();
	}
	for (const struct cipher *const *c = ciphers; *c; c++)
		for (unsigned size = 0; size < 3; size++)
			for (unsigned i = 0; i < (*c)->n_forms; i++)
				is_current(*c, size, &(*c)->forms[i]);
	for (const struct cipher *const *c = ciphers; *c; c++)
		for (unsigned i = 0; i < N_MODES; i++)
			mode_is_current(*c, &modes[i]);
}

static void every_one_is_there(void **state)
{
	(void)state;
	for (const struct cipher *const *c = ciphers; *c; c++)
		for (unsigned bits = 128; bits <= 256; bits += 64)
			for (unsigned i = 0; i < (*c)->n_forms; i++)
				assert_non_null(
				        profile_builtin((*c)->name, bits, (*c)->forms[i].name));
	assert_null(profile_builtin("aes", 512, "4"));
	assert_null(profile_builtin("aes", 128, "3"));
	assert_null(profile_builtin("des", 128, "4"));
}

static void table_6_4(void **state)
{
	static const struct {
		const char *cipher, *form;
		unsigned n_tbl, n_key, n_inst;
	} expected[] = {
		{ "aes", "4", 160, 44, 436 },
		{ "camellia", "4", 144, 48, 642 },
		{ "sc2000", "11,10,11", 72, 56, 506 },
		{ "sc2000", "6,10,10,6", 96, 56, 590 },
	};

	(void)state;
	for (size_t i = 0; i < N_OF(expected); i++) {
		const struct profile *p = profile_thesis(expected[i].cipher, expected[i].form);

		assert_non_null(p);
		assert_int_equal(p->n_tbl, expected[i].n_tbl);
		assert_int_equal(p->n_key, expected[i].n_key);
		assert_int_equal(profile_n_inst(p), expected[i].n_inst);
		assert_int_equal(p->n_pt, 4);
		assert_int_equal(p->n_ct, 4);
	}
	assert_null(profile_thesis("aes", "1"));
	assert_null(profile_thesis("sc2000", "16,16"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_one_is_current),
		cmocka_unit_test(every_one_is_there),
		cmocka_unit_test(table_6_4),
	};

	return cmocka_run_group_tests_name("profiles", tests, NULL, NULL);
}
