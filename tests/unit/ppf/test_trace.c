/* Traced look-ups: as many as the analysis counts, and conflicts as their layout makes them. */
#include "gpucrypt/crypto/names.h"
#include "tests/unit/cmocka_all.h"
#include "ppf/analysis/profile.h"
#include "ppf/model/trace.h"

/* With a copy of the table for each bank nothing conflicts: one access a look-up, as many as N_tbl.
 */
TEST(test_one_access_a_lookup)
{
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		for (unsigned f = 0; f < (*c)->n_forms; f++)
			for (unsigned bits = 128; bits <= 256; bits += 64) {
				const struct table_form *form = &(*c)->forms[f];
				const struct profile *profile =
				        profile_builtin(CORE_BLOCK, (*c)->name, bits, form->name);
				assert_non_null(profile);
				assert_true(trace_wavefronts(*c, form, bits / 8, 0, 32, 32, 32) == profile->n_tbl);
				assert_true(trace_wavefronts(*c, form, bits / 8, 0, 1, 1, 32) == profile->n_tbl);
			}
}

/* 32 random bytes in 32 banks: about 3.2 of them want one bank; neighbouring counters fewer. */
TEST(test_conflicts)
{
	const struct table_form *form = form_by_name(&cipher_aes, "4");
	double random = trace_wavefronts(&cipher_aes, form, 16, 0, 1, 32, 32);
	double counters = trace_wavefronts(&cipher_aes, form, 16, 1, 1, 32, 32);

	assert_true(random > 3.05 * 160 && random < 3.3 * 160);
	/* Round 1 differs in one byte, round 2 in one column: 27 look-ups are the same for all. */
	assert_true(counters < random - 20 * 2.1 && counters > random - 30 * 2.3);
}

/* A look-up shared by consecutive counters is one access per warp, and one for 8 warps. */
TEST(test_shared)
{
	static const struct {
		const struct cipher *cipher;
		const char *form;
		unsigned of_block, once; /* look-ups: in each block, or once */
	} shared[] = {
		{ &cipher_aes, "4", 27, 27 },
		{ &cipher_aes, "1", 27, 27 },
		{ &cipher_camellia, "1", 15, 17 },
		{ &cipher_sc2000, "6,5,5,5,5,6", 8, 8 },
		{ &cipher_sc2000, "11,10,11", 4, 4 },
	};

	for (size_t i = 0; i < N_OF(shared); i++)
		for (unsigned copies = 1; copies <= 32; copies += 31) {
			const struct table_form *form = form_by_name(shared[i].cipher, shared[i].form);
			double alone = trace_wavefronts(shared[i].cipher, form, 32, 1, copies, 32, 32);
			double together = trace_wavefronts(shared[i].cipher, form, 32, 8, copies, 32, 32);
			double saved = shared[i].of_block - shared[i].once / 8.0;
			assert_true(alone - together > saved - 1e-6);
			assert_true(alone - together < saved + 1e-6);
		}
}

/* One bank is read word by word; few copies gain nothing, 16 and 32 do. */
TEST(test_layout)
{
	const struct table_form *form = form_by_name(&cipher_camellia, "1");
	double one_bank = trace_wavefronts(&cipher_camellia, form, 16, 0, 1, 32, 1);
	double once = trace_wavefronts(&cipher_camellia, form, 16, 0, 1, 32, 32);
	double copies_4 = trace_wavefronts(&cipher_camellia, form, 16, 0, 4, 32, 32);
	double copies_16 = trace_wavefronts(&cipher_camellia, form, 16, 0, 16, 32, 32);

	assert_true(one_bank > 29 * 144 && one_bank < 31 * 144); /* 32 draws of 256: 30.1 distinct */
	assert_true(copies_4 > 0.95 * once && copies_4 < 1.1 * once);
	assert_true(copies_16 < 0.7 * once && copies_16 > 1.8 * 144);
}
