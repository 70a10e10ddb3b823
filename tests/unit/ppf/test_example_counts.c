/* Operations of one block of the ciphers in examples/ciphers/, counted by hand: each number follows from the standard.
 */
#include "tests/unit/libclang_kept.h"
#include "tests/unit/sources.h"

static const struct {
	const char *cipher;
	struct profile counts;
} ciphers_by_hand[] = {
	/* 18 rounds of F0 and F1: an exclusive or with the key, four look-ups with three masks and three shifts, three
	 * exclusive ors of their results and one with the line; 4 whitening keys. */
	{ "clefia", { .n_tbl = 36 * 4,
	                    .n_key = 36 + 4,
	                    .n_pt = 4,
	                    .n_ct = 4,
	                    .operators = { [OPERATOR_LOGIC] = 36 * (1 + 3 + 3 + 1) + 4, [OPERATOR_SHIFT] = 36 * 3 } } },
	/* 32 rounds: an exclusive or of three words and the key; the S-box with three masks, three shifts to the bytes,
	 * three back, and three |; L with four rotations and exclusive ors; the exclusive or with the fourth word.  A
	 * word is loaded by three shifts and three |, and stored by three shifts. */
	{ "sm4", { .n_tbl = 32 * 4,
	                 .n_key = 32,
	                 .n_pt = 4,
	                 .n_ct = 4,
	                 .operators = { [OPERATOR_LOGIC] = 32 * (3 + 3 + 3 + 4 + 1) + 4 * 3,
	                         [OPERATOR_SHIFT] = 32 * (3 + 3) + 4 * (3 + 3),
	                         [OPERATOR_ROTATE] = 32 * 4 } } },
	/* 32 rounds of an addition, two exclusive ors and two rotations, each on a word of 64 bits: twice on 32 bits.
	 */
	{ "speck128", { .n_key = 32 * 2,
	                      .n_pt = 4,
	                      .n_ct = 4,
	                      .operators = { [OPERATOR_ADD] = 32 * 2,
	                              [OPERATOR_LOGIC] = 32 * 2 * 2,
	                              [OPERATOR_ROTATE] = 32 * 2 * 2 } } },
	/* 31 rounds on two words: the key; 16 nibbles, of which two need no shift before and behind the S-box, and two
	 * no mask, and 14 |; 64 bits, of which two need no shift from and two none to their place, with 62 |, and a
	 * mask each except for bits 31 and 63, which have no bit above them, and bit 61, which moves to the top of a
	 * word.  A last key. */
	{ "present80", { .n_tbl = 31 * 16,
	                       .n_key = 32 * 2,
	                       .n_pt = 2,
	                       .n_ct = 2,
	                       .operators = { [OPERATOR_LOGIC] = 31 * (2 + 14 + 14 + 61 + 62) + 2,
	                               [OPERATOR_SHIFT] = 31 * (14 + 14 + 62 + 62) } } },
	/* FI: three look-ups, a shift and a mask that part its input, a mask behind S7, five exclusive ors, a shift and
	 * an | that put the output together; two parts of the key.  FO: three FI, seven exclusive ors, four keys.  8
	 * times FO and two exclusive ors with the other half; 10 times FL with two exclusive ors, an & and an |, and
	 * two keys.  Each of the four words of 16 bits is loaded by a shift and an |, and stored by a shift. */
	{ "misty1", { .n_tbl = 8 * 3 * 3,
	                    .n_key = 8 * (3 * 2 + 4) + 10 * 2,
	                    .n_pt = 2,
	                    .n_ct = 2,
	                    .operators = { [OPERATOR_LOGIC] = 8 * (3 * 8 + 7 + 2) + 10 * 4 + 4,
	                            [OPERATOR_SHIFT] = 8 * 3 * 2 + 4 + 4 } } },
	/* 10 times 8 quarter rounds of four additions, exclusive ors and rotations; 16 additions of the initial state;
	 * an exclusive or for each byte, three shifts for each word. */
	{ "chacha20", { .n_key = 8 + 3,
	                      /* and the nonce */ .n_pt = 16,
	                      .n_ct = 16,
	                      .operators = { [OPERATOR_ADD] = 10 * 8 * 4 + 16,
	                              [OPERATOR_LOGIC] = 10 * 8 * 4 + 64,
	                              [OPERATOR_SHIFT] = 16 * 3,
	                              [OPERATOR_ROTATE] = 10 * 8 * 4 } } },
	/* 32 rounds of F0 and F1 twice each: three rotations of a byte, which are two shifts and an | each, two
	 * exclusive ors between them, one with the key or the other byte, and an addition.  Whitening of eight bytes:
	 * four additions and four exclusive ors.  A sum is longer than a byte, and needs a mask before a rotation
	 * shifts it to the right: two sums of the first whitening, and four bytes of each round but the last. */
	{ "hight", { .n_key = 32 * 4 + 8,
	                   .n_pt = 2,
	                   .n_ct = 2,
	                   .operators = { [OPERATOR_ADD] = 32 * 4 + 4,
	                           [OPERATOR_LOGIC] = 32 * 4 * (3 + 2 + 1) + 4 + 2 + 31 * 4,
	                           [OPERATOR_SHIFT] = 32 * 4 * 3 * 2 } } },
};

TEST(counts)
{
	for (size_t i = 0; i < N_OF(ciphers_by_hand); i++) {
		const struct profile *expected = &ciphers_by_hand[i].counts;
		const char *cipher = ciphers_by_hand[i].cipher;
		char file[64], function[64];
		struct profile found;

		snprintf(file, sizeof file, "examples/ciphers/%s.c", cipher);
		snprintf(function, sizeof function, "%s_encrypt", cipher);
		found = analyzed(&(struct analysis){ .file = file, .function = function, .by_value = true });
		assert_int_equal(found.n_tbl, expected->n_tbl);
		assert_int_equal(found.n_key, expected->n_key);
		assert_int_equal(found.n_pt, expected->n_pt);
		assert_int_equal(found.n_ct, expected->n_ct);
		expect_operators(&found, expected->operators, cipher);
	}
}
