/* research/profiles.inc is what ppf analyze counts of the experiments' own kernels. */
#include <stdio.h>

#include "tests/unit/cmocka_all.h"
#include "tests/unit/libclang_kept.h"

#include "ppf/analysis/analyze.h"
#include "research/study.h"

static struct profile counted(const struct analysis *analysis)
{
	struct profile profile;

	assert_ok(analyze(&profile, analysis));
	return profile;
}

static void is_current(struct profile *profile, const char *name)
{
	char line[256], committed_line[256];

	snprintf(profile->name, sizeof profile->name, "%s", name);
	assert_non_null(study_profile(name));
	profile_line(line, sizeof line, profile);
	profile_line(committed_line, sizeof committed_line, study_profile(name));
	assert_string_equal(line, committed_line);
}

TEST(products_are_current)
{
	static const char *const factors[] = { "factor", "b", "q", NULL }, *const modulus[] = { "m", "words", NULL };

	if (!analyze_available())
		skip();
	for (unsigned bits = 1024; bits <= 4096; bits += 1024) {
		char words[32], name[32];
		const char *const options[] = { words, "-include", "kernels/common/word.cl", "-include",
			"kernels/common/carry.cl", NULL };
		struct profile all, profile;

		snprintf(words, sizeof words, "-DWORDS=%u", bits / 32);
		all = counted(&(struct analysis){ .file = "research/kernels/rsa.cl",
		        .function = "montgomery",
		        .options = options,
		        .patterns = { .plain = factors, .key = modulus } });
		profile = (struct profile){ .n_key = all.n_key, .n_pt = all.n_pt, .n_ct = all.n_ct };
		memcpy(profile.operators, all.operators, sizeof profile.operators);
		snprintf(name, sizeof name, "rsa-%u product", bits);
		is_current(&profile, name);
	}
}

TEST(stages_are_current)
{
	if (!analyze_available())
		skip();
	for (unsigned i = 0; i < N_STAGES_OF_DESIGN; i++) {
		char file[64];
		struct profile profile;

		snprintf(file, sizeof file, "examples/ciphers/camellia_pattern%u.c", i + 1);
		profile = counted(&(struct analysis){ .file = file, .function = "encrypt_block" });
		memset(profile.moves, 0, sizeof profile.moves);
		is_current(&profile, design_stages[i].name);
	}
}
