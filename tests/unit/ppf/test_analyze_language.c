/* Code analysis: parts of the C language that ciphers use.  The counts of each text follow from reading it. */
#include "tests/unit/libclang_kept.h"
#include "tests/unit/sources.h"

#define F "void f(const unsigned *in, unsigned *out, const unsigned *rk)\n"

static const struct {
	const char *text;
	unsigned n_tbl, n_key, operators[N_OPERATORS]; /* add logic shift rotate mul compare permute */
} sources[] = {
	/* Designated initial values: x is the key, y the plaintext; what is left out is zero. */
	{ "struct s { unsigned x, y, z; };\n" F
	  "{ struct s v = { .y = in[0], .x = rk[0] }; out[0] = (v.y << 3) + v.x + v.z; }",
	        0, 1, { 1, 0, 1 } },
	{ "static const int n[4] = { [3] = 7, [0] = 32, [1] = 64 };\n" F
	  "{ unsigned w[4] = { [2] = in[0], [0] = rk[0] }; out[0] = w[0] + (w[2] << n[3]) + w[1] + n[2]; }",
	        0, 1, { 1, 0, 1 } },
	{ "static const int n[8] = { [0 ... 3] = 7, [4 ... 7] = 0 };\n" F "{ out[0] = in[0] << n[2] ^ rk[0] << n[5]; }",
	        0, 1, { 0, 1, 1 } },
	{ "static const struct { int left; const char *name; int right; } n = { 5, \"n\", .right = 0 };\n" F
	  "{ out[0] = in[0] << n.left ^ rk[0] << n.right; }",
	        0, 1, { 0, 1, 1 } },
	{ F "{ unsigned x = in[0] ^ rk[0]; for (const unsigned *p = in + 4; p != in; p = p - 1) x += 3; out[0] = x; }",
	        0, 1, { 4, 1 } },
	/* Walking backwards, from the end, and from a place that data selects to another one there. */
	{ "static const unsigned S[256] = { 1 };\n" F
	  "{ unsigned x = in[0] ^ rk[0]; const unsigned *p = rk - 1; for (int i = 0; i < 3; i++, p--)\n"
	  "x = S[x & 255] ^ p[0] ^ p[-1]; out[0] = x; }",
	        3, 1 + 3 * 2, { 0, 1 + 3 * 3 } },
	{ "struct c { int rounds; unsigned rk[4]; };\n"
	  "void f(const unsigned char *in, unsigned char *out, const struct c *c)\n"
	  "{ const unsigned *k = c->rk + sizeof c->rk / sizeof *c->rk, *end = &k[-3] - 1; in += 4; out = &out[4];\n"
	  "while (k != end) *--out = *--in + *--k; }",
	        0, 4, { 4 } },
	{ "void f(const unsigned *in, unsigned *out, const unsigned *rk, int n)\n"
	  "{ for (const unsigned *p = in + 4 * n, *end = p + 4; p < end; p++) *out++ = *p + *rk++; }",
	        0, 4, { 4 } },
	{ "struct r { unsigned k[2], w[2]; };\nstruct c { int n; struct r r[3]; };\n"
	  "void f(const struct c *c, const unsigned *in, unsigned *out)\n"
	  "{ unsigned x = in[0]; for (int i = 0; i < 3; i++) x = (x + c->r[i].k[1]) ^ c->r[i].w[1]; out[0] = x; }",
	        0, 6, { 3, 3 } },
	/* Structures as values: copies, parameters, results; a new value leaves nothing of the old one. */
	{ "struct s { unsigned w[2]; };\n"
	  "void f(const struct s *in, struct s *out, const unsigned *rk)\n"
	  "{ struct s x = *in, y; x.w[0] ^= rk[0]; y = x; x.w[0] = 0; y.w[1] += 3; *out = y; }",
	        0, 1, { 1, 1 } },
	{ "struct s { unsigned x, y; };\n"
	  "static struct s g(unsigned x, unsigned y) { struct s r = { x ^ y, x + y }; return r; }\n"
	  "static unsigned h(struct s a, struct s b) { a.x -= b.x; return a.x; }\n" F
	  "{ struct s v = g(in[0], rk[0]); out[1] = v.y; out[0] = h(g(in[0], 9), v); }",
	        0, 1, { 2, 2 } },
	{ "struct s { unsigned x, y; };\n" F
	  "{ struct s v = { in[0], rk[0] }; out[0] = v.x + v.y; v = (struct s){ .x = in[1] }; out[1] = v.x + v.y; }",
	        0, 1, { 1 } },
	/* Compound literals. */
	{ "static unsigned g(const unsigned *p) { return p[0] ^ p[1]; }\n" F
	  "{ out[0] = g((unsigned[2]){ in[0], rk[0] }); }",
	        0, 1, { 0, 1 } },
	/* Unions; the contexts of two ciphers, of which the source uses one. */
	{ "union c { struct { unsigned S[256], k[2]; } a; struct { int n; unsigned S[512]; } b; };\n"
	  "void f(const unsigned *in, unsigned *out, const union c *c)\n"
	  "{ out[0] = c->a.S[(in[0] ^ c->a.k[0]) & 255] ^ c->a.k[1]; }",
	        1, 2, { 0, 3 } },
	{ "static const unsigned box[256] = { 1 };\n"
	  "union u { unsigned w; unsigned char b[4]; };\n" F
	  "{ union u u = { .w = in[0] ^ rk[0] }; out[0] = box[u.b[0]] ^ box[u.b[3]]; }",
	        2, 1, { 0, 3, 1 } },
	{ "struct s { unsigned x; union { unsigned w; unsigned char b[4]; }; };\n" F
	  "{ struct s s; s.x = rk[0]; s.w = 3; out[0] = s.x + in[0]; }",
	        0, 1, { 1 } },
	{ "struct s { unsigned x; union { struct { unsigned w, v; }; unsigned b[2]; }; };\n" F
	  "{ struct s s; s.x = rk[0]; s.w = 3; out[0] = s.x + in[0]; }",
	        0, 1, { 1 } },
	{ "struct s { union { unsigned w; unsigned char b[4]; }; int n; };\n" F
	  "{ struct s s; s.w = in[0] ^ rk[0]; s.n = 3; out[0] = s.b[1] << s.n; }",
	        0, 1, { 0, 2, 2 } },
	/* An entry of the first table is less than 200, as far as it is known. */
	{ "static const unsigned char first[256] = { 199 }, second[200] = { 1 };\n" F
	  "{ out[0] = second[first[in[0] & 255]] ^ second[(in[0] + rk[0]) % 200]; }",
	        3, 1, { 1, 2, 0, 0, 1 } },
	{ "static const unsigned char box[16] = { 1 };\n" F "{ out[0] = box[in[0] ^ (in[0] & ~15u)] ^ rk[0]; }", 1, 1,
	        { 0, 3 } },
	{ F "{ unsigned long x = in[0]; x *= rk[0]; out[0] = x * 3 >> 32; }", 0, 1, { [OPERATOR_MUL] = 4 } },
	/* The sign of a word fills the upper half of 64 bits. */
	{ "void f(const int *in, long *out, const int *rk) { out[0] = in[0] ^ rk[0]; }", 0, 1, { 0, 1, 1 } },
	{ "void f(const int *in, long *out, const int *rk) { out[0] = (in[0] ^ rk[0]) < 3; }", 0, 1,
	        { 0, 1, 0, 0, 0, 1 } },
	/* Operands of && and ||: a comparison with 0, unless they are truths. */
	{ F "{ out[0] = in[0] && rk[0]; }", 0, 1, { 0, 1, 0, 0, 0, 2 } },
	{ F "{ out[0] = in[0] < 5 || rk[0] > 3; }", 0, 1, { 0, 1, 0, 0, 0, 2 } },
	/* Statements and selections as expressions. */
	{ "#define ROTATE(x, n) (__extension__({ unsigned x_ = (x); x_ << (n) | x_ >> (32 - (n)); }))\n" F
	  "{ out[0] = ROTATE(in[0] ^ rk[0], 7); }",
	        0, 1, { 0, 1, 0, 1 } },
	{ F "{ out[0] = (in[0] ?: 3) ^ rk[0]; }", 0, 1, { 0, 1, 0, 0, 0, 1 } },
	{ F "{ unsigned x, y; x = in[0], y = rk[0]; out[0] = (x += y, x ^= 5, x); }", 0, 1, { 1, 1 } },
	/* Jumps. */
	{ F "{ int i = 0; unsigned x = in[0] ^ rk[0]; again: x += 3; if (++i < 4) goto again; out[0] = x; }", 0, 1,
	        { 4, 1 } },
	{ F "{ unsigned x = in[0] ^ rk[0]; for (int i = 0;;) { x += 3; if (++i == 4) goto end; } end: out[0] = x; }", 0,
	        1, { 4, 1 } },
	{ F "{ unsigned x = in[0] ^ rk[0]; do { x += 3; } while (0); goto end; x *= 5; end: out[0] = x; }", 0, 1,
	        { 1, 1 } },
	/* Known functions, and parts that cost nothing. */
	{ "unsigned _rotl(unsigned, int), _lrotr(unsigned, int);\n" F
	  "{ out[0] = _rotl(in[0] ^ rk[0], 7) ^ _lrotr(in[0], 3); }",
	        0, 1, { 0, 2, 0, 2 } },
	{ "unsigned htonl(unsigned), ntohl(unsigned);\n" F "{ out[0] = htonl(ntohl(in[0]) ^ rk[0]); }", 0, 1,
	        { 0, 1, 0, 0, 0, 0, 2 } },
	{ F "{ out[0] = __builtin_bswap32(in[0]) ^ __builtin_rotateleft32(rk[0], 5); }", 0, 1,
	        { 0, 1, 0, 1, 0, 0, 1 } },
	{ "struct s { unsigned x, y; };\n" F "{ out[0] = in[__builtin_offsetof(struct s, y) / 4] ^ rk[0]; }", 0, 1,
	        { 0, 1 } },
	{ "void project_zeroize(void *, unsigned long);\n" F
	  "{ unsigned x = in[0] ^ rk[0]; __asm__ volatile(\"\" : \"+r\"(x) : : \"memory\"); out[0] = x;\n"
	  "project_zeroize(&x, sizeof x); }",
	        0, 1, { 0, 1 } },
};

TEST(each_source)
{
	for (size_t i = 0; i < N_OF(sources); i++) {
		struct profile p;

		p = analyzed(&(struct analysis){ .file = source(sources[i].text), .function = "f", .by_value = true });
		expect_operators(&p, sources[i].operators, sources[i].text);
		assert_int_equal(p.n_tbl, sources[i].n_tbl);
		assert_int_equal(p.n_key, sources[i].n_key);
	}
}
