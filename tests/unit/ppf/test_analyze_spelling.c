/* Code analysis: the same computation has the same counts however it is written. */
#include "tests/unit/libclang_kept.h"
#include "tests/unit/sources.h"

#define HEADER "#include <stdint.h>\nstatic const uint32_t T[256] = { 0xffffffff };\n"
#define F      HEADER "void f(const uint32_t *in, uint32_t *out, const uint32_t *rk)\n"

#define TWO                                                                     \
	"static const unsigned D[2][256] = { { 1 } }, P[256][2] = { { 1 } };\n" \
	"void f(const unsigned *in, unsigned *out, const unsigned *rk)\n"

#define CONSTANTS                                                                                                       \
	HEADER "static const uint8_t c[8] = { 1, 2, 'a', 'b', 'c', 'd' }, b[2] = { 9, 0x61 }, *const t[] = { c, b };\n" \
	       "static const char text[] = \"<abcd>\";\n"                                                               \
	       "void f(const uint32_t *in, uint32_t *out, const uint32_t *rk)\n"

/* Keys around four S-boxes: bytes are taken from a word by three masks and shifts, and put together by three | and
 * shifts.
 */
#define BLOCK                                              \
	HEADER "static const uint8_t S[256] = { 0xff };\n" \
	       "union s { uint32_t w; uint8_t b[4]; };\nstruct t { uint32_t w; };\n"
#define ROUND " w[0] ^= rk[0]; for (int i = 0; i < 4; i++) b[i] = S[b[i]]; w[0] ^= rk[1]; }"

/* Spellings of one computation, and the operators by class that each of them has. */
static const struct {
	const char *texts[4]; /* ended by NULL */
	unsigned operators[N_OPERATORS];
} computations[] = {
	/* A byte of a word selects an entry. */
	{ { F "{ uint32_t x = in[0] ^ rk[0]; out[0] = T[x >> 16 & 0xff]; }",
	          F "{ uint32_t x = in[0] ^ rk[0]; out[0] = T[(uint8_t)(x >> 16)]; }",
	          F "{ uint32_t x = in[0] ^ rk[0]; uint8_t i = x >> 16; out[0] = T[i]; }",
	          HEADER "static uint32_t look(uint8_t i) { return T[i]; }\n"
	                 "void f(const uint32_t *in, uint32_t *out, const uint32_t *rk)\n"
	                 "{ uint32_t x = in[0] ^ rk[0]; out[0] = look(x >> 16); }" },
	        { 0, 2, 1 } },
	/* A half of a word, which crosses bytes. */
	{ { F "{ uint32_t x = in[0] ^ rk[0]; out[0] = T[x >> 7 & 0xff] ^ (x & 0xffff); }",
	          F "{ uint32_t x = in[0] ^ rk[0]; uint8_t i = x >> 7; out[0] = T[i] ^ (uint16_t)x; }",
	          F "{ uint32_t x = in[0] ^ rk[0]; uint16_t y = x; x >>= 7; x &= 0xff; out[0] = T[x] ^ y; }" },
	        { 0, 4, 1 } },
	/* Sums of bytes, which are masked where they are shifted to the right, and only there. */
	{ { F "{ uint32_t x = in[0] + rk[0] & 0xff; out[0] = (x << 3 | x >> 5) & 0xff; out[1] = x + rk[1] & 0xff; }",
	          F
	          "{ uint8_t x = in[0] + rk[0]; out[0] = (uint8_t)(x << 3 | x >> 5); out[1] = (uint8_t)(x + rk[1]); }",
	          F "{ uint8_t x = in[0]; x += rk[0]; out[0] = (x << 3 | x >> 5) & 0xff; x += rk[1]; out[1] = x; }" },
	        { 2, 4, 2 } },
	/* The same in place: what is stored stays in a register. */
	{ { "typedef unsigned char u8;\nvoid f(u8 *s, const u8 *rk)\n"
	    "{ u8 x = s[0] + rk[0]; s[0] = x; s[1] ^= (u8)(x << 1 | x >> 7); }",
	          "void f(unsigned char *s, const unsigned char *rk)\n"
	          "{ s[0] += rk[0]; s[1] ^= s[0] << 1 | s[0] >> 7; }" },
	        { 1, 3, 2 } },
	/* Stores to bytes need no mask. */
	{ { HEADER "void f(const uint32_t *in, uint8_t *out, const uint32_t *rk)\n"
	           "{ uint32_t x = in[0] ^ rk[0]; out[0] = x >> 24; out[1] = x >> 16; out[2] = x >> 8; out[3] = x; }",
	          HEADER
	          "void f(const uint32_t *in, uint8_t *out, const uint32_t *rk)\n"
	          "{ uint32_t x = in[0] ^ rk[0]; for (int i = 3; i >= 0; i--) out[i] = x >> (24 - 8 * i) & 0xff; }",
	          HEADER
	          "void f(const uint32_t *in, uint8_t *out, const uint32_t *rk)\n"
	          "{ uint32_t x = in[0] ^ rk[0]; for (int i = 0; i < 4; i++) out[i] = (uint8_t)(x >> (24 - 8 * i)); }" },
	        { 0, 1, 3 } },
	/* A rotation of a word. */
	{ { F "{ uint32_t x = in[0] ^ rk[0]; out[0] = x << 9 | x >> 23; }",
	          F "{ uint32_t x = in[0] ^ rk[0]; out[0] = (x >> 23) + 0 ^ x << 9; }",
	          F "{ uint64_t x = in[0] ^ rk[0]; out[0] = (uint32_t)(x << 9 | x >> 23); }",
	          HEADER
	          "static uint32_t turn(uint32_t x, int n) { return x << n | x >> (32 - n); }\n"
	          "void f(const uint32_t *in, uint32_t *out, const uint32_t *rk) { out[0] = turn(in[0] ^ rk[0], 9); }" },
	        { 0, 1, 0, 1 } },
	/* A rotation that a function does, by its name, and one by operators, whose operand is computed once. */
	{ { "unsigned rotl32(unsigned, int);\n" F "{ out[0] = rotl32(in[0] + rk[1], 7); }",
	          F "{ out[0] = (in[0] + rk[1]) << 7 | (in[0] + rk[1]) >> 25; }",
	          F "{ out[0] = ((in[0] + rk[1]) >> 25) ^ ((in[0] + rk[1]) << 7); }" },
	        { 1, 0, 0, 1 } },
	/* By data to the right, and by a key word that a macro writes twice, with a mask that is longer than the word.
	 */
	{ { F "{ uint32_t x = in[0], n = in[1]; out[0] = x >> (n & 31) | x << (-n & 31); }",
	          F "{ uint32_t x = in[0], n = in[1]; out[0] = x << (32 - n & 31) ^ x >> (n & 31); }",
	          F "{ uint32_t x = in[0], n = in[1]; out[0] = x << n % 32 | x >> (32 - n) % 32; }" },
	        { 0, 0, 0, 1 } },
	{ { F "{ uint32_t x = in[0], n = rk[0] & 31; out[0] = x << n | x >> (32 - n & 31); }",
	          F "{ uint32_t x = in[0]; out[0] = ((x << rk[0]) & 0xffffffffL) | (x >> ((32 - rk[0]) & 31)); }",
	          F "{ uint64_t x = in[0]; out[0] = (x << rk[0] & 0xffffffff) | x >> (32 - rk[0] & 31); }" },
	        { 0, 0, 0, 1 } },
	/* By a constant. */
	{ { F "{ uint32_t x = in[0] ^ rk[0]; out[0] = x << 3 | x >> 29; }",
	          F "{ uint32_t x = in[0] ^ rk[0]; out[0] = x * 8 + x / 0x20000000; }",
	          F "{ uint32_t x = in[0] ^ rk[0]; out[0] = (x << 3 & 0xfffffff8) | (x >> 29 & 7); }",
	          F "{ unsigned long x = in[0] ^ rk[0]; out[0] = (x << 3 & 0xfffffff8) | (x >> 29 & 7); }" },
	        { 0, 1, 0, 1 } },
	/* Products, quotients and remainders by powers of two. */
	{ { F "{ out[0] = (in[0] << 2) + (in[1] >> 3 & 0xffff); }", F "{ out[0] = in[0] * 4 + in[1] / 8 % 65536; }",
	          F "{ out[0] = (int)(4 * in[0]) + (uint16_t)(in[1] / 8); }" },
	        { 1, 1, 2 } },
	{ { F "{ out[0] = (in[0] & 0xff) + (in[1] & 0xff) >> 1; }",
	          F "{ uint8_t x = in[0], y = in[1]; out[0] = (x + y) / 2; }" },
	        { 1, 2, 1 } },
	/* But not of what may be negative. */
	{ { F "{ int32_t x = in[0]; out[0] = x / 8 + x % 256; }" }, { 1, 0, 0, 0, 2 } },
	/* A mask that changes no bit, also in a subscript. */
	{ { F "{ uint32_t x = in[0] ^ rk[0]; out[0] = T[x >> 24]; }",
	          F "{ uint32_t x = in[0] ^ rk[0]; out[0] = T[x >> 24 & 0xff]; }",
	          F "{ uint32_t x = in[0] ^ rk[0]; out[0] = T[(x & 0xff000000) >> 24 & 0xff]; }",
	          F "{ uint32_t x = rk[0] ^ in[0]; out[0] = T[(uint8_t)(x / 0x1000000)]; }" },
	        { 0, 1, 1 } },
	/* A constant that is added in a subscript, or multiplies it, is in the address. */
	{ { TWO "{ out[0] = D[1][(in[0] ^ rk[0]) >> 24]; }", TWO "{ out[0] = (*D)[256 + ((in[0] ^ rk[0]) >> 24)]; }",
	          TWO "{ out[0] = *(*D + ((in[0] ^ rk[0]) >> 24) + 256); }",
	          TWO "{ out[0] = D[0][(in[0] ^ rk[0]) >> 24 | 256]; }" },
	        { 0, 1, 1 } },
	{ { TWO "{ out[0] = P[(in[0] ^ rk[0]) >> 24][1]; }", TWO "{ out[0] = P[0][2 * ((in[0] ^ rk[0]) >> 24) + 1]; }",
	          TWO "{ out[0] = P[0][1 | (in[0] ^ rk[0]) >> 24 << 1]; }" },
	        { 0, 1, 1 } },
	/* The bytes of a word; a byte of it that changes. */
	{ { F "{ uint32_t x = in[0] ^ rk[0]; out[0] = T[x & 255] ^ T[x >> 8 & 255] ^ T[x >> 24]; }",
	          F "{ union { uint32_t w; uint8_t b[4]; } u[2]; u[1].w = in[0] ^ rk[0];\n"
	            "out[0] = T[u[1].b[0]] ^ T[u[1].b[1]] ^ T[u[1].b[3]]; }",
	          F "{ uint32_t x = in[0] ^ rk[0]; uint8_t *b = (uint8_t *)&x; out[0] = T[*b] ^ T[b[1]] ^ T[b[3]]; }",
	          "void *memcpy(void *, const void *, unsigned long);\n" F
	          "{ uint32_t x = in[0] ^ rk[0]; uint8_t b[4]; memcpy(b, &x, 4); out[0] = T[*b] ^ T[b[1]] ^ T[b[3]]; }" },
	        { 0, 5, 2 } },
	{ { F "{ uint32_t x = in[0]; out[0] = (x & 0xffff00ff) | (rk[0] & 0xff) << 8; }",
	          F "{ uint32_t x = in[0]; ((uint8_t *)&x)[1] = rk[0]; out[0] = x; }" },
	        { 0, 3, 1 } },
	/* S-boxes between words, in a block that is words, bytes, or both. */
	{ { BLOCK "void f(uint32_t *w, const uint32_t *rk) { uint8_t *b = (uint8_t *)w;" ROUND,
	          BLOCK "void f(uint8_t *b, const uint32_t *rk) { uint32_t *w = (uint32_t *)b;" ROUND,
	          BLOCK "void f(union s *s, const uint32_t *rk) { uint32_t *w = &s->w; uint8_t *b = s->b;" ROUND,
	          BLOCK
	          "void f(struct t *s, const uint32_t *rk) { uint32_t *w = &s->w; uint8_t *b = (uint8_t *)s;" ROUND },
	        { 0, 1 + 3 + 3 + 1, 3 + 3 } },
	/* Constants that a pointer reaches, in parts and together, and by a table of pointers. */
	{ { F "{ out[0] = (in[0] ^ rk[0]) * 0x64636261; }",
	          CONSTANTS "{ const uint8_t *p = &c[1]; p = &p[1]; out[0] = (in[0] ^ rk[0]) * *(const uint32_t *)p; }",
	          CONSTANTS "{ const char *p = text + 1; uint32_t x = 0; for (int i = 4; i-- > 0;) x = x << 8 | p[i];\n"
	                    "out[0] = (in[0] ^ rk[0]) * x; }",
	          CONSTANTS "{ const uint8_t *p = t[1]; out[0] = (in[0] ^ rk[0]) * (uint32_t)(p[1] + 0x64636200); }" },
	        { 0, 1, 0, 0, 1 } },
	/* What initial values leave out is zero, also in structures; a string that may change. */
	{ { F "{ out[0] = (in[0] ^ rk[0]) * 0x61; }",
	          F "{ uint32_t a[2][8] = { { 1 } }; struct { uint32_t m, n[8]; } s[2] = { [1] = { .m = 1 } };\n"
	            "out[0] = (in[0] ^ rk[0] ^ a[0][6] ^ a[1][7] ^ s[1].n[5] ^ s[0].m) * 0x61; }",
	          F "{ char t[4] = \"a\"; out[0] = (in[0] ^ rk[0]) * (t[0] + t[3]); }" },
	        { 0, 1, 0, 0, 1 } },
	/* The address of a compound literal. */
	{ { F "{ out[0] = (in[0] ^ rk[0]) * 3; }", HEADER
	          "static uint32_t g(const uint32_t *p) { return *p * 3; }\n"
	          "void f(const uint32_t *in, uint32_t *out, const uint32_t *rk) { *out = g(&(uint32_t){ *in ^ *rk }); }" },
	        { 0, 1, 0, 0, 1 } },
	/* The result of the last function that is called is no result of f. */
	{ { HEADER "static uint32_t g(uint32_t x) { return (x << 3 ^ 5); }\n"
	           "void f(const uint32_t *in, uint8_t *out, const uint32_t *rk) { *out = g(in[0] ^ rk[0]) & 0xf0; }",
	          HEADER "void f(const uint32_t *in, uint8_t *out, const uint32_t *rk)\n"
	                 "{ *out = ((in[0] ^ rk[0]) << 3 ^ 5) & 0xf0; }" },
	        { 0, 3, 1 } },
};

static struct profile profile_of(const char *text)
{
	return analyzed(&(struct analysis){ .file = source(text), .function = "f", .by_value = true });
}

static void expect_same(const struct profile *found, const struct profile *expected, const char *text)
{
	struct profile same = *found;

	memcpy(same.name, expected->name, sizeof same.name);
	same.casts = expected->casts;
	memcpy(same.turns, expected->turns, sizeof same.turns); /* how rotations by data are written */
	if (memcmp(&same, expected, sizeof same) != 0)
		print_error("%s\n  %u operators, expected %u\n", text, profile_n_inst(found), profile_n_inst(expected));
	assert_memory_equal(&same, expected, sizeof same);
}

TEST(each_computation)
{
	for (size_t i = 0; i < N_OF(computations); i++) {
		struct profile first = profile_of(computations[i].texts[0]);

		expect_operators(&first, computations[i].operators, computations[i].texts[0]);
		for (unsigned j = 1; j < N_OF(computations[i].texts) && computations[i].texts[j]; j++) {
			struct profile other = profile_of(computations[i].texts[j]);

			expect_same(&other, &first, computations[i].texts[j]);
		}
	}
}

/* PRESENT's rounds on a word of 64 bits: as many operators as on two of 32 bits, which test_example_counts has. */
TEST(present_on_64_bits)
{
	struct profile p =
	        profile_of("#include <stdint.h>\n"
	                   "static const uint8_t S[16] = { 12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2 };\n"
	                   "void f(const uint64_t rk[32], uint64_t block[1]) {\n"
	                   "uint64_t s = block[0];\n"
	                   "for (int r = 0; r < 31; r++) {\n"
	                   "uint64_t t = 0, u = 0; s ^= rk[r];\n"
	                   "for (int i = 0; i < 16; i++) t |= (uint64_t)S[s >> 4 * i & 15] << 4 * i;\n"
	                   "for (int i = 0; i < 64; i++) u |= (t >> i & 1) << (i == 63 ? 63 : 16 * i % 63);\n"
	                   "s = u; }\n"
	                   "block[0] = s ^ rk[31]; }\n");

	assert_int_equal(p.n_tbl, 31 * 16);
	assert_int_equal(p.n_key, 32 * 2);
	assert_int_equal(p.operators[OPERATOR_LOGIC], 31 * (2 + 14 + 14 + 61 + 62) + 2);
	assert_int_equal(p.operators[OPERATOR_SHIFT], 31 * (14 + 14 + 62 + 62));
}
