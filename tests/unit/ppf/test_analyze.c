/* Code analysis: the dissertation's figures, the built-in cores, each rule. */
#include "gpucrypt/crypto/names.h"
#include "tests/unit/libclang_kept.h"
#include "tests/unit/sources.h"

#define EXAMPLES "examples/ciphers/"

static struct profile of(const char *file, const char *function)
{
	struct analysis analysis = { .file = file, .function = function };

	return analyzed(&analysis);
}

TEST(figure_6_2)
{
	struct profile p = of(EXAMPLES "camellia_f.c", "camellia_f");

	assert_int_equal(p.n_tbl, 8);
	assert_int_equal(p.n_key, 2);
	assert_int_equal(profile_n_inst(&p), 29);
	expect_operators(&p, (const unsigned[N_OPERATORS]){ 1, 20, 8, 0, 0, 0 }, p.name);
	assert_int_equal(p.n_pt, 4);
	assert_int_equal(p.n_ct, 4);
	assert_string_equal(p.name, EXAMPLES "camellia_f.c:camellia_f");
}

/* Counted by hand: 9 rounds of 16 fields (12 shifted), 12 + 4 exclusive ors; and the last one. */
TEST(aes_by_hand)
{
	struct profile p;

	assert_ok(core_analyze(&p, CORE_BLOCK, &cipher_aes, 0, &cipher_aes.forms[0], "kernels"));
	expect_operators(
	        &p, (const unsigned[N_OPERATORS]){ 0, 4 + 9 * 32 + 4 * 11 + 4, 9 * 12 + 4 * 5, 0, 0, 0 }, p.name);
	/* fields: a mask each, and a shift but for the lowest */
	assert_int_equal(p.fields[FIELD_BYTE], 160);
	assert_int_equal(p.field_operators[OPERATOR_LOGIC], 160);
	assert_int_equal(p.field_operators[OPERATOR_SHIFT], 120);
	/* keys; columns of four entries and a key; the last round merges by masks */
	assert_int_equal(p.logic_functions, 4 + 9 * 4 * 2 + 4 * 6);
}

/* Each rule by itself: the text of f and the expected counts. */
static const struct {
	const char *text;
	unsigned n_tbl, n_key, operators[N_OPERATORS]; /* add logic shift rotate mul compare */
} rules[] = {
	{ "word f(word x) { return (x << 0) + 0 * 3 | (3 - 2 - 1); }", 0, 0, { 0 } },
	{ "word f(word x) { return (x * 1 ^ 0) & ~0u; }", 0, 0, { 0 } },
	{ "word f(word x) { return x & 0 | (0 << x); }", 0, 0, { 0 } },
	{ "word f(word x) { return -x + +x - ~x; }", 0, 0, { 3, 1 } },
	{ "word f(word x) { return 0 - x; }", 0, 0, { 1 } },
	{ "word f(word x) { return x * 5 / 3 % 7; }", 0, 0, { 0, 0, 0, 0, 3 } },
	{ "word f(word x) { return (x < 3) + (x == 4) + !x; }", 0, 0, { 2, 0, 0, 0, 0, 3 } },
	{ "word f(word x) { return x ? x + 1 : x ^ 2; }", 0, 0, { 1, 1, 0, 0, 0, 1 } },
	{ "word f(word x) { return 1 ? x + 1 : x ^ 2; }", 0, 0, { 1 } },
	{ "word f(word x) { return x && x + 1 || 0 && x - 1; }", 0, 0, { 1, 2 } },
	{ "word f(word x) { x += 1; x ^= x; x <<= 3; x |= 0; x++; return x; }", 0, 0, { 2, 1, 1 } },
	{ "word f(tables t, word x) { return t[(x + 1) & 7]; }", 1, 0, { 1, 1 } },
	{ "word f(tables t, word x) { return (t + 256)[x >> 8] ^ *(t + 4 + x); }", 2, 0, { 0, 1, 1 } },
	{ "word f(tables t, word x) { return t[x >> 214] ^ t[x >> 20 >> 20]; }", 2, 0, { 0, 1, 3 } },
	{ "word f(tables t, word x) { tables u = t; u += 5; return 3[u] ^ *u++ ^ u[x]; }", 3, 0, { 0, 2 } },
	{ "word f(keys k) { return k[0] - *k; }", 0, 2, { 1 } },
	{ "word f(const unsigned long *rk) { return (word)rk[0]; }", 0, 2, { 0 } },
	{ "struct c { word rk[8], n; const word *Te0; };\n"
	  "word f(const struct c *c, word x) { return c->rk[2] ^ c->Te0[x]; }",
	        1, 1, { 0, 1 } },
	{ "extern const word T0[256], sp1[2][256];\n"
	  "word f(word x) { return T0[x] ^ sp1[1][x]; }",
	        2, 0, { 0, 1 } },
	{ "static word g(const word *x, word i) { return x[i]; }\n"
	  "word f(tables t, keys k, word y) { return g(t, y) ^ g(k, 2); }",
	        1, 1, { 0, 1 } },
	{ "static const unsigned char n[2][2] = { { 0, 7 }, { 8, 0 } };\n"
	  "word f(word x) { word y = 0; for (int i = 0; i < 4; i++) y += x << n[i / 2][i % 2];\n"
	  "return y; }",
	        0, 0, { 3, 0, 2 } },
	{ "word f(word x) { for (int i = 0; i < 10; i++) if (i & 1) x = rotate_left(x, 8 * i);\n"
	  "return x; }",
	        0, 0, { 0, 0, 0, 5 } },
	{ "word f(word x) { return rotate_left(x, 0) + rotate_left(x, 32) + rotate_left(x, 33); }", 0, 0,
	        { 2, 0, 0, 1 } },
	{ "word f(word x) { int i = 0; for (;;) { if (i++ == 3) break; x ^= 5; } return x; }", 0, 0, { 0, 3 } },
	{ "word f(word x) { int i = 3; while (i--) { if (i == 1) continue; x ^= 5; } return x; }", 0, 0, { 0, 2 } },
	{ "word f(word x) { int i = 0; do x += 2; while (++i < 4); return x; }", 0, 0, { 4 } },
	{ "word f(word x) { for (int c = ')'; c != ';' ; c += ';' - ')') x += 2; return x; }", 0, 0, { 1 } },
	{ "word f(word s[4], keys k) { for (keys e = k + 4; k < e; k += 2) s[0] ^= k[1]; return 0; "
	  "}",
	        0, 2, { 0, 2 } },
	{ "word f(word x) { for (int i = 0; i < 3; i++) switch (i) { case 0: case 9: x ^= 1; "
	  "break;\n"
	  "case 1: x += 1; default: x <<= 1; } return x; }",
	        0, 0, { 1, 1, 2 } },
	{ "enum { N = 3 };\n"
	  "word f(word x) { return x << (sizeof x - 1) >> (N - 3) ^ 'a'; }",
	        0, 0, { 0, 1, 1 } },
	{ "static void g(int *p) { *p = 7; }\n"
	  "word f(word x) { int i = 0; g(&i); return x + i; }",
	        0, 0, { 1 } },
	{ "word f(word x) { int i = 0; x ? (i = 1) : 0; return x + i; }", 0, 0, { 1, 0, 0, 0, 0, 1 } },
	{ "static word g(word x) { for (int i = 0; i < 2; i++) x += x; return x; }\n"
	  "word f(word x) { return x ? g(x) : 0; }",
	        0, 0, { 2, 0, 0, 0, 0, 1 } },
	{ "word f(word x) { unsigned char c = 255; c++; return x + c; }", 0, 0, { 0 } },
	{ "word f(word x) { int n = -1; return (n < 1u) | x << (-8 & 31); }", 0, 0, { 0, 0, 1 } },
	{ "#include <stdint.h>\n#include <string.h>\n#include <stdlib.h>\n"
	  "uint32_t f(uint32_t x) { return x + UINT32_C(3); }",
	        0, 0, { 1 } },
};

TEST(each_rule)
{
	for (size_t i = 0; i < N_OF(rules); i++) {
		char text[2048];
		struct profile p;

		snprintf(text, sizeof text, HEAD "%s\n", rules[i].text);
		p = of(source(text), "f");
		expect_operators(&p, rules[i].operators, rules[i].text);
		assert_int_equal(p.n_tbl, rules[i].n_tbl);
		assert_int_equal(p.n_key, rules[i].n_key);
	}
}

TEST(plaintext_and_ciphertext)
{
	static const struct {
		const char *parameters, *body;
		unsigned n_pt, n_ct;
	} expected[] = {
		{ "word s[4]", "s[0] ^= s[1];", 4, 4 },
		{ "unsigned char s[16]", "s[0] ^= s[1];", 4, 4 },
		{ "const word x[2], word y[2]", "y[0] = x[1];", 4, 2 },
		{ "const word *pt, word *ct", "ct[0] = pt[0] ^ pt[1]; ct[1] = pt[2];", 3, 2 },
		{ "const word in[4], word *out", "out[0] = in[0]; out[1] ^= 1;", 2, 2 },
		{ "const unsigned char *plain, word *cipher", "*cipher = plain[0] | *plain;", 1, 1 },
		{ "const struct { word x, y, z, w; } *in, word out[1]", "*out = in->x ^ in[3].w;", 2, 1 },
		{ "word x", "x++;", 0, 0 },
	};

	for (size_t i = 0; i < N_OF(expected); i++) {
		char text[1024];
		struct profile p;

		snprintf(text, sizeof text, HEAD "void f(%s) { %s }\n", expected[i].parameters, expected[i].body);
		p = of(source(text), "f");
		assert_int_equal(p.n_pt, expected[i].n_pt);
		assert_int_equal(p.n_ct, expected[i].n_ct);
	}
}

static struct profile by_value(const char *text)
{
	return analyzed(&(struct analysis){ .file = source(text), .function = "f", .by_value = true });
}

/* The names have no meaning here: the accesses alone decide. */
TEST(roles_by_use)
{
	struct profile p =
	        by_value("static const unsigned char S[256] = { 1 };\n"
	                 "struct context { unsigned w[4], boxes[4][256]; };\n"
	                 "void f(const struct context *c, const unsigned *a, unsigned *b)\n"
	                 "{ for (int i = 0; i < 4; i++) b[i] = S[a[i] & 255] ^ c->w[i] ^ c->boxes[i][a[i] >> 24]; }\n");

	assert_int_equal(p.n_tbl, 4 + 4); /* S, and boxes of the context */
	assert_int_equal(p.n_key, 4);
	assert_int_equal(p.n_pt, 4); /* each word once, although it is read twice */
	assert_int_equal(p.n_ct, 4);
	/* In place: a block is loaded once and stored once. */
	p = by_value("void f(const unsigned *rk, unsigned char *s)\n"
	             "{ for (int r = 0; r < 3; r++) for (int i = 0; i < 8; i++) s[i] ^= rk[r] + s[7 - i]; }\n");
	assert_int_equal(p.n_key, 24);
	assert_int_equal(p.n_pt, 2);
	assert_int_equal(p.n_ct, 2);
	/* A constant is no key, whatever its name. */
	p = by_value("static const int keystep[4] = { 1, 2, 3, 4 };\n"
	             "void f(const unsigned *in, unsigned *out) { out[0] = in[0] + keystep[2]; }\n");
	assert_int_equal(p.n_key, 0);
	assert_int_equal(p.n_tbl, 0);
	/* Counters beside tables, as in libgcrypt's ARIA, are neither tables nor a part of the block. */
	p = by_value(
	        "static struct { volatile unsigned head, s1[256]; volatile unsigned tail; } sboxes = { 0, { 1 }, 0 };\n"
	        "void f(const unsigned *in, unsigned *out, const unsigned *rk)\n"
	        "{ sboxes.tail = ++sboxes.head; out[0] = sboxes.s1[in[0] & 255] ^ rk[0];\n"
	        "for (int i = 0; i < 1028; i += 128) (void)((volatile unsigned char *)sboxes.s1)[i]; }\n");
	assert_int_equal(p.n_tbl, 1);
	assert_int_equal(p.n_key, 1);
	assert_int_equal(p.n_pt + p.n_ct, 2);
	assert_int_equal(p.table_bytes, 1024);
	expect_operators(&p, (const unsigned[N_OPERATORS]){ 0, 2 }, p.name);
	/* A counter that the result needs is data. */
	p = by_value("struct c { unsigned n, k[4]; };\n"
	             "void f(struct c *c, unsigned *out) { c->n++; out[0] = c->n + c->k[0]; }\n");
	assert_int_equal(p.n_pt, 1);
	assert_int_equal(p.n_ct, 2);
}

/* Memory that changes beside the block is none of it in silence; a key that changes is loaded once, and what it is at
 * the end is no output. */
TEST(blocks_that_are_questions)
{
	static const char *const key[] = { "tk", NULL }, *const block[] = { "st", NULL };
	static const struct {
		const char *text, *note;
	} notes[] = {
		{ "void f(unsigned long *d, const unsigned *key)\n"
		  "{ d[0] = (d[0] + key[0]) & 0xffffffffL; d[1] = (d[0] << 3 ^ d[1] >> 29) & 0xffffffffL; }",
		        "words of 'd' have 64 bits, of which the output uses 32" },
		{ "void f(const unsigned *in, unsigned *out, const unsigned *rk) { for (int i = 0; i < 3; i++)\n"
		  "out[i] = in[i] ^ rk[i]; }",
		        "a block of 12 bytes" },
		{ "void f(const unsigned *in, unsigned *out, unsigned *tag) { out[0] = in[0] + 3; *tag = out[0] ^ 5; }",
		        "1 words of input, and 2 of output" },
		{ "void f(const unsigned char *in, unsigned char *out, const unsigned *rk) { out[0] = in[0] ^ rk[0]; }",
		        "" },
	};
	struct analysis analysis = { .file = source("struct st { unsigned tk[4], s[2]; };\n"
		                                    "void f(struct st *st) { for (int i = 0; i < 8; i++) {\n"
		                                    "st->s[0] += st->s[1] ^ st->tk[i & 3];\n"
		                                    "st->s[1] ^= st->s[0];\n"
		                                    "st->tk[i & 3] = st->tk[i & 3] * 5; } }\n"),
		.function = "f",
		.by_value = true };
	struct profile p;

	fail_clear();
	assert_fails_about(
	        analyze(&p, &analysis), GPUCRYPT_UNKNOWN, "'st->tk' changes, too: name the block by --ciphertext");
	analysis.patterns.key = key;
	p = analyzed(&analysis);
	assert_int_equal(p.block_bytes, 8);
	assert_int_equal(p.n_key, 4 * 2);
	expect_operators(&p, (const unsigned[N_OPERATORS]){ 8, 16, 0, 0, 4 }, p.name);
	analysis.patterns = (struct patterns){ .cipher = block };
	p = analyzed(&analysis);
	assert_int_equal(p.block_bytes, 24);
	for (size_t i = 0; i < N_OF(notes); i++) {
		p = by_value(notes[i].text);
		assert_memory_equal(p.note, notes[i].note, strlen(notes[i].note) + (*notes[i].note == '\0'));
	}
}

/* Single bits of a word move: each needs its mask, but for the one that comes from the top or goes there. */
TEST(masks_that_are_needed)
{
	struct profile p = by_value("void f(const unsigned *in, unsigned *out)\n"
	                            "{ unsigned to = 0; for (int i = 0; i < 32; i++)\n"
	                            "to |= (in[0] >> i & 1) << 7 * i % 32; out[0] = to; }\n");

	/* bit 0 stays, and bit 9 goes to the top */
	expect_operators(&p, (const unsigned[N_OPERATORS]){ 0, 31 + 30, 31 + 31, 0, 0, 0 }, p.name);
}

/* Rotations by data as two shifts of words and of 64 bits, a rotation by a constant, and what else takes long on the
 * critical path: x ^ k, the rotation, * 5, + k; y has a shorter way. */
TEST(slow_operators_on_the_critical_path)
{
	static const char *const turns[N_TURNS] = { [TURN_WORD] = "x << (n & 31) | x >> (-n & 31)",
		[TURN_LONG] = "((x << (n & 31)) | ((x & 0xffffffffUL) >> ((32 - (n & 31)) & 31))) & 0xffffffffUL" };
	static const unsigned deep[N_SLOW_OPERATORS] = { [SLOW_ADD] = 1, [SLOW_MUL] = 1, [SLOW_TURN] = 1 };
	struct profile p;

	for (unsigned i = 0; i < N_TURNS; i++) {
		char text[512];

		snprintf(text, sizeof text,
		        "void f(const unsigned *in, unsigned *out, const unsigned *rk)\n"
		        "{ unsigned x = in[0] ^ rk[0], n = in[1], y = n << 3 | n >> 29; x = %s;\n"
		        "out[0] = x * 5 + rk[1]; out[1] = y; }\n",
		        turns[i]);
		p = by_value(text);
		assert_int_equal(p.operators[OPERATOR_ROTATE], 2);
		assert_int_equal(p.turns[i], 1);
		assert_int_equal(p.turns[!i], 0);
		assert_int_equal(p.operators_deep, 4);
		assert_memory_equal(p.slow_deep, deep, sizeof deep);
	}
	p = by_value("void f(const unsigned long *in, unsigned long *out) { out[0] = in[0] + in[1]; }");
	assert_int_equal(p.slow_deep[SLOW_CARRY], 1);
	assert_int_equal(p.slow_deep[SLOW_ADD], 0);
}

/* A table is as large as its declaration, also where the subscript could be larger; a pointer's, as the subscript. */
TEST(sizes_of_tables)
{
	struct memory_list memory = { .n = 0 };
	const char *text = "static const unsigned short S[512] = { 1 };\n"
	                   "void f(const unsigned *T, const unsigned *in, unsigned *out)\n"
	                   "{ out[0] = S[S[in[0] & 511] ^ 3] ^ T[in[0] >> 24]; }\n";

	analyzed(&(struct analysis){ .file = source(text), .function = "f", .by_value = true, .memory = &memory });
	assert_int_equal(memory.n, 4);
	for (unsigned i = 0; i < memory.n; i++)
		if (memory.of[i].role == ROLE_TABLE)
			assert_int_equal(memory.of[i].bytes, 1024);
}

/* 40 tables beside a key, the plaintext and the ciphertext; a name in a folder whose path is too long. */
TEST(nothing_is_cut)
{
	struct memory_list memory = { .n = 0 };
	char text[8192] = "", folders[600], path[700];
	struct analysis analysis = { .function = "f", .by_value = true, .memory = &memory };
	struct profile p;

	for (unsigned i = 0; i < 40; i++)
		sprintf(text + strlen(text), "static const unsigned box%u[16] = { 1, %u };\n", i, i);
	strcat(text, "void f(const unsigned *rk, const unsigned *in, unsigned *out)\n{ unsigned x = in[0] ^ rk[0];\n");
	for (unsigned i = 0; i < 40; i++)
		sprintf(text + strlen(text), "x += box%u[x & 15];\n", i);
	for (size_t i = 0; i < sizeof folders; i++)
		folders[i] = "./"[i % 2];
	sprintf(path, "/tmp/%.*s%s", (int)sizeof folders, folders, source(strcat(text, "out[0] = x; }\n")) + 5);
	analysis.file = path;
	p = analyzed(&analysis);
	assert_int_equal(p.n_tbl, 40);
	assert_int_equal(memory.n, 43);
	assert_memory_equal(p.name, ".../", 4);
	sprintf(text, "%s:f", strrchr(path, '/'));
	assert_string_equal(strrchr(p.name, '/'), text);
}

/* On words of 32 bits: two sums, two shifts, and three exclusive ors, as in[1] >> 32 is a word that is there. */
TEST(operators_on_64_bits)
{
	struct profile p = by_value("void f(const unsigned long long *in, unsigned long long *out)\n"
	                            "{ out[0] = (in[0] + in[1]) ^ in[0] << 3 ^ in[1] >> 32; }\n");

	expect_operators(&p, (const unsigned[N_OPERATORS]){ 2, 3, 2, 0, 0, 0 }, p.name);
	assert_int_equal(p.halves[OPERATOR_ADD], 1);
	assert_int_equal(p.halves[OPERATOR_LOGIC], 1);
	assert_int_equal(p.halves[OPERATOR_SHIFT], 1);
}

/* 256 bytes are 64 words; of the other table the index reaches 16 words.  A key word that was loaded is there. */
TEST(what_the_estimate_needs)
{
	struct profile p = by_value("static const unsigned char S[256] = { 1 };\n"
	                            "static const unsigned T[1024] = { 1 };\n"
	                            "void f(const unsigned *in, unsigned *out, const unsigned *rk)\n"
	                            "{ unsigned x = in[0] ^ rk[0], y = in[1] + rk[1];\n"
	                            "out[0] = S[x & 255] ^ T[y & 15] ^ x << 5 ^ y >> 3; out[1] = (x + rk[0]) ^ y; }\n");

	for (unsigned i = 0; i < N_TABLE_SIZES; i++)
		assert_int_equal(p.lookups[i], i == 6 || i == 4);
	assert_int_equal(p.keys_once, 2);
	assert_int_equal(p.left_shifts, 1);
}

TEST(names_by_pattern)
{
	static const char *const table[] = { "a*", "b", NULL }, *const key[] = { "c", NULL };
	static const char *const rotate[] = { "turn", NULL }, *const plain[] = { "p", NULL };
	static const char *const cipher[] = { "q", NULL }, *const options[] = { "-DN=3", NULL };
	struct analysis analysis = {
		.file = source("unsigned turn(unsigned, int);\n"
		               "void f(const unsigned *ab, const unsigned *b, const unsigned *c,\n"
		               "const unsigned *p, unsigned *q)\n"
		               "{ for (int i = 0; i < N; i++) *q = turn(ab[*p] ^ b[*p] ^ c[i], N); }\n"),
		.function = "f",
		.options = options,
		.patterns = { .table = table, .key = key, .rotate = rotate, .plain = plain, .cipher = cipher },
	};
	struct profile p = analyzed(&analysis);

	assert_int_equal(p.n_tbl, 6);
	assert_int_equal(p.n_key, 3);
	assert_int_equal(p.n_pt, 6);
	assert_int_equal(p.n_ct, 3);
	expect_operators(&p, (const unsigned[N_OPERATORS]){ 0, 6, 0, 3, 0, 0 }, p.name);
}

/* A member has a role of its own, also where another structure has one of the same name. */
TEST(members_by_pattern)
{
	static const char *const key[] = { "a.w", NULL }, *const plain[] = { "b->*", NULL };
	struct profile p = analyzed(&(struct analysis){
	        .file = source(
	                "struct s { unsigned w[4]; };\n"
	                "void f(const struct s *a, const struct s *b, unsigned *c) { *c = a->w[3] ^ b->w[0]; }\n"),
	        .function = "f",
	        .by_value = true,
	        .patterns = { .key = key, .plain = plain } });

	assert_int_equal(p.n_key, 1);
	assert_int_equal(p.n_pt, 1);
}
