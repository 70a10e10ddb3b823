/* The committed profiles: that they are what the analysis says, and how they
 * are found.  With GCRYPT_TEST_ONE_IN each form is analysed for one key size.
 */
#include <stdio.h>

#include "tests/unit/cmocka_all.h"
#include "tests/unit/libclang_kept.h"

#include "ppf/analysis/analyze.h"
#include "gpucrypt/crypto/cipher.h"
#include "ppf/analysis/count.h"

static void same_line(const struct profile *committed, const struct profile *profile)
{
	char line[256], committed_line[256];

	assert_non_null(committed);
	profile_line(line, sizeof line, profile);
	profile_line(committed_line, sizeof committed_line, committed);
	if (strcmp(line, committed_line) != 0)
		print_error("ppf/analysis/profiles.inc is not current: run make profiles\n");
	assert_string_equal(line, committed_line);
}

static void is_current(const struct cipher *cipher, unsigned size, const struct table_form *form)
{
	for (enum core_part part = CORE_BLOCK; part < (form_is_sliced(form) ? CORE_COUNTER : N_CORE_PARTS); part++) {
		struct profile profile;

		assert_ok(core_analyze(&profile, part, cipher, size, form, "kernels"));
		same_line(profile_builtin(part, cipher->name, 128 + 64 * size, form->name), &profile);
	}
}

static void mode_is_current(const struct cipher *cipher, const struct mode *mode)
{
	struct profile profile;

	assert_ok(core_analyze_mode(&profile, cipher, mode, "kernels"));
	same_line(profile_mode(cipher->name, mode->name), &profile);
}

TEST(every_one_is_current)
{
	if (!analyze_available()) {
		print_message("test_profiles: not compared with the kernels: built without "
		              "libclang\n");
		skip();
	}
	for (const struct cipher *const *c = ciphers; *c; c++)
		for (unsigned size = 0; size < 3; size++)
			for (unsigned i = 0; i < (*c)->n_forms; i++)
				if (test_one_in() == 1 || i % 3 == size)
					is_current(*c, size, &(*c)->forms[i]);
	for (const struct cipher *const *c = ciphers; *c; c++)
		for (unsigned i = 0; i < N_MODES; i++)
			mode_is_current(*c, &modes[i]);
}

TEST(every_one_is_there)
{
	for (const struct cipher *const *c = ciphers; *c; c++)
		for (unsigned bits = 128; bits <= 256; bits += 64)
			for (unsigned i = 0; i < (*c)->n_forms; i++)
				assert_non_null(profile_builtin(CORE_BLOCK, (*c)->name, bits, (*c)->forms[i].name));
	assert_null(profile_builtin(CORE_BLOCK, "aes", 512, "4"));
	assert_null(profile_builtin(CORE_BLOCK, "aes", 128, "3"));
	assert_null(profile_builtin(CORE_BLOCK, "des", 128, "4"));
}

/* Bitsliced states are larger than any register file; tables' ones are not. */
TEST(slices_move)
{
	for (const struct cipher *const *c = ciphers; *c; c++) {
		const struct profile *sliced = profile_builtin(CORE_BLOCK, (*c)->name, 128, "none"),
		                     *longer = profile_builtin(CORE_BLOCK, (*c)->name, 256, "none");

		assert_true(sliced->moves[REGISTERS_16] > sliced->moves[REGISTERS_32]);
		assert_true(sliced->moves[REGISTERS_32] > 100);
		assert_true(longer->moves[REGISTERS_32] > sliced->moves[REGISTERS_32]);
		assert_int_equal(profile_builtin(CORE_BLOCK, (*c)->name, 128, (*c)->forms[0].name)->moves[0], 0);
	}
}

#define STEP(n, ...)                                                  \
	{                                                             \
		.kind = GRAPH_OTHER, .inputs = { { __VA_ARGS__ }, n } \
	}

/* Sources that are needed last are only loaded again; an unused value needs no
 * register, and a value used twice in one step counts once.  The profiles above
 * depend on the rest of the rules. */
TEST(registers_that_suffice)
{
	static const struct graph_node sources
	        [] = { [4] = STEP(2, 2, 3), [5] = STEP(2, 1, 4), [6] = STEP(2, 5, 1), [7] = STEP(2, 6, 2) },
	 unused[] = {
		 [2] = STEP(2, 1, 1), [3] = STEP(1, 2), [4] = STEP(1, 2), [5] = STEP(1, 2), [6] = STEP(3, 2, 2, 2)
	 };

	assert_int_equal(registers_moves(sources, 7, 2), 1);
	assert_int_equal(registers_moves(unused, 6, 1), 0);
}

/* Counters share look-ups of the block, and one look-up of Camellia that only
 * the first counter does. */
TEST(counters_share)
{
	static const struct {
		const char *cipher, *form;
		unsigned bits, shared;
	} expected[] = {
		{ "aes", "1", 128, 27 },
		{ "aes", "4", 256, 27 },
		{ "camellia", "4", 192, 15 },
		{ "sc2000", "6,5,5,5,5,6", 128, 8 },
		{ "sc2000", "6,10,10,6", 128, 4 },
		{ "sc2000", "11,10,11", 256, 4 },
		{ "sc2000", "16,16", 192, 2 },
	};

	for (size_t i = 0; i < N_OF(expected); i++) {
		const char *cipher = expected[i].cipher, *form = expected[i].form;
		unsigned bits = expected[i].bits;
		const struct profile *block = profile_builtin(CORE_BLOCK, cipher, bits, form),
		                     *counter = profile_builtin(CORE_COUNTER, cipher, bits, form),
		                     *shared = profile_builtin(CORE_SHARED, cipher, bits, form);

		assert_int_equal(counter->n_tbl + expected[i].shared, block->n_tbl);
		assert_true(shared->n_tbl >= expected[i].shared);
		assert_true(shared->n_tbl <= expected[i].shared + 3);
		assert_true(counter->n_key < block->n_key);
		assert_true(counter->logic_functions < block->logic_functions);
	}
	assert_null(profile_builtin(CORE_COUNTER, "aes", 128, "none"));
	assert_null(profile_builtin(CORE_SHARED, "sc2000", 128, "none"));
}

TEST(table_6_4)
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
