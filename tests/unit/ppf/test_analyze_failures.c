/* Code analysis: what cannot be counted is refused with file, line and reason. */
#include "tests/unit/libclang_kept.h"
#include "tests/unit/sources.h"

/* Sources that cannot be counted: expected status, and the message after FILE. */
static const struct {
	const char *text;
	int status;
	const char *message;
} failures[] = {
	{ "int g(void) { return 1; } int h(void) { return 2; }", GPUCRYPT_USAGE,
	        ": defines no function f (choose from: g, h)" },
	{ "int f(void);", GPUCRYPT_USAGE, ": defines no function f" },
	{ "uint99_t f(void) { return 0; }", GPUCRYPT_CORRUPT,
	        ":3: does not parse: unknown type name 'uint99_t': declare it by -D or --include" },
	{ "word f(word x) { word a[4] = { 1 }; return a[x]; }", GPUCRYPT_UNKNOWN,
	        ":3: a subscript of the local variable 'a' depends on data: 'x' is not known: give its value by --set 'x=" },
	{ "\nint f(void { return 0; }", GPUCRYPT_CORRUPT, ":4: does not parse: " },
	{ "#include \"nowhere.h\"\n", GPUCRYPT_CORRUPT, ":3:" },
	{ "\n#error no\n", GPUCRYPT_CORRUPT, ":4:" },
	{ "void f(int n) {\nfor (int i = 0; i < n; i++)\n; }", GPUCRYPT_UNKNOWN,
	        ":4: the condition of a loop depends on data" },
	{ "word f(word x) {\nwhile (x)\nx >>= 1; return x; }", GPUCRYPT_UNKNOWN,
	        ":4: the condition of a loop depends on data" },
	{ "void f(word *x, const word *rk) { if (rk[3]) x[0]++; }", GPUCRYPT_UNKNOWN,
	        ":3: an if depends on data from 'rk': make it a selection by ?:, of which both sides are counted, or give the "
	        "value of an element by --set 'rk[3]=VALUE'" },
	{ "word f(word x) { if (x) x++; return x; }", GPUCRYPT_UNKNOWN, ":3: an if depends on data" },
	{ "word f(word x) { switch (x) { default: return x; } }", GPUCRYPT_UNKNOWN, ":3: a switch depends on data" },
	{ "word f(word x) { return x ? f(x - 1) : 0; }", GPUCRYPT_UNKNOWN, ":3: function 'f' calls itself" },
	{ "word g(word);\nword h(word x) { return g(x); }\nword g(word x) { return h(x); }\n"
	  "word f(word x) { return g(x); }",
	        GPUCRYPT_UNKNOWN, ":4: function 'g' calls itself" },
	{ "word g(word);\nword f(word x) { return\ng(x); }", GPUCRYPT_UNKNOWN,
	        ":5: function 'g' is not defined in the file: name the source that has it, too" },
	{ "word f(word x) { return unheard(x); }", GPUCRYPT_UNKNOWN,
	        ":3: function 'unheard' is not defined in the file" },
	{ "word f(word x) { return __builtin_popcount(x); }", GPUCRYPT_UNKNOWN,
	        ":3: function '__builtin_popcount' is not defined in the file: define it in C by --include" },
	{ "word f(word (*g)(word), word x) { return g(x); }", GPUCRYPT_UNKNOWN,
	        ":3: cannot be counted: a call through a pointer" },
	{ "word f(word x) { goto in; { in: x++; } return x; }", GPUCRYPT_UNKNOWN,
	        ":3: a goto into a block: put the label" },
	{ "word f(word x) { void *p = &&end; goto *p; end: return x; }", GPUCRYPT_UNKNOWN, ":3: cannot be counted: " },
	{ "word f(word x) { __asm__(\"bswapl %0\" : \"+r\"(x)); return x; }", GPUCRYPT_UNKNOWN,
	        ":3: cannot be counted: inline assembler: choose the portable C code by -D or -U" },
	{ "word f(word x) { return __builtin_choose_expr(1, x, 3); }", GPUCRYPT_UNKNOWN,
	        ":3: cannot be counted: '__builtin_choose_expr(1, x, 3)': write it in plain C" },
	{ "word f(word x) { return _Generic(x, word: x, default: 0); }", GPUCRYPT_UNKNOWN,
	        ":3: cannot be counted: _Generic: choose the expression by -D" },
	{ "struct s { word a : 4, b : 12; };\nword f(word x) { struct s s; s.a = x; return s.a; }", GPUCRYPT_UNKNOWN,
	        ":4: cannot be counted: a bit field: use shifts and masks" },
	{ "word f(word x) { float y = x; return y; }", GPUCRYPT_UNKNOWN, ":3: cannot be counted: a floating" },
	{ "word f(word x) { for (;;) x = ({ break; x; }); return x; }", GPUCRYPT_UNKNOWN,
	        ":3: a jump out of a statement expression" },
	{ "struct s { word a; };\nword f(struct s a, struct s b, word x) { a = x ? a : b; return a.a; }",
	        GPUCRYPT_UNKNOWN, ":4: a structure that data selects: select its members by ?:" },
	{ "struct s { word a[2], b; };\nword f(word x) { struct s s = { x, x, x }; return s.b; }", GPUCRYPT_UNKNOWN,
	        ":4: cannot be counted: initial values: give each array and structure its own braces" },
	{ "word f(__int128 x) { return x * x; }", GPUCRYPT_UNKNOWN, ":3: arithmetic on what is no" },
	{ "extern const word box[256]; word f(word x) { return x + box[1]; }", GPUCRYPT_UNKNOWN,
	        ":3: 'box' is neither table, key" },
	{ "struct c { unsigned char s[256]; };\n"
	  "void f(struct c *c, const word *in, word *out) { c->s[in[0] & 255] = 1; out[0] = c->s[in[1] & 255]; }",
	        GPUCRYPT_UNKNOWN, ":4: a subscript of 'c->s' depends on data, and this array is changed" },
	{ "word f(word s[4], word x) { return s[x]; }", GPUCRYPT_UNKNOWN, ":3: a subscript of 's' depends on data" },
	{ "struct c { word key[8], other[8]; };\n"
	  "word f(const struct c *c, word x) { for (int i = 0; i < 12; i++)\nx += c->key[i]; return x; }",
	        GPUCRYPT_UNKNOWN, ":5: index 8 is outside 'c->key', which has 8 elements" },
	{ "static const unsigned char s[16] = { 1 };\n"
	  "word f(const unsigned char *in, const unsigned char *rk) { return s[in[0] + rk[0] & 31]; }",
	        GPUCRYPT_UNKNOWN, ":4: index 31 is outside 's', which has 16 elements" },
	{ "word f(word x) { word w[4]; for (int i = 3; i >= -1; i--) w[i] = x; return w[0]; }", GPUCRYPT_UNKNOWN,
	        ":3: index -1 is outside 'w'" },
	{ "word f(const word *p, const word *q) { return p[0] ^ q[0]; }", GPUCRYPT_UNKNOWN,
	        ":3: 'p' and 'q' are only read: name the input block by --plain, or the key by --key" },
	{ "word f(word *rk) { rk[0] = 1; return 0; }", GPUCRYPT_UNKNOWN, ":3: writes to 'rk', which is a round key" },
	{ "word n; word f(word x) { return x + n; }", GPUCRYPT_UNKNOWN, ":3: global variable 'n' is not constant" },
	{ "word f(word x) { for (;;) x++; }", GPUCRYPT_UNKNOWN, ":3: not done after" },
	{ "word f(word x) { int i = 0; x ? (i = 1) : 0; if (i) x++; return x; }", GPUCRYPT_UNKNOWN,
	        ":3: an if depends on data" },
	/* What alone decides a place is asked for. */
	{ "struct c { int rounds; word rk[9]; };\nvoid f(const struct c *c, const word *in, word *out)\n"
	  "{ const word *k = c->rk, *end = k + 2 * c->rounds; while (k != end) *out++ = *in++ ^ *k++; }",
	        GPUCRYPT_UNKNOWN,
	        ":5: the condition of a loop depends on data: 'c->rounds' is not known: give its value by --set 'c->rounds=" },
	{ "struct c { int at; word rk[9]; };\nvoid f(const struct c *c, const word *in, word *out)\n"
	  "{ const word *k = c->rk + c->at; *out = *in ^ *k++; *out += *k; }",
	        GPUCRYPT_UNKNOWN,
	        ":5: 'c->at' selects a place in 'c->rk' and is not known: give its value by --set 'c->at=" },
	{ "static const word c[9] = { 1 };\nvoid f(const word *in, word *out, int n)\n"
	  "{ for (int i = 0; i < 4; i++) out[i] = in[i] ^ c[n - i]; }",
	        GPUCRYPT_UNKNOWN,
	        ":5: 'n' selects a place in 'c' and is not known: give its value by --set 'n=VALUE'" },
	{ "void f(const word *in, word *out, const word *a, const word *b, int n)\n"
	  "{ const word *k = n ? a : b; *out = *in ^ *k; }",
	        GPUCRYPT_UNKNOWN,
	        ":4: the memory that 'k' points to depends on data: 'n' is not known: give its value" },
	{ "void g(int *p, word x) { *p = x; }\nint f(word x) { int i = 0; g(&i, x); if (i) i++; return i; }",
	        GPUCRYPT_UNKNOWN, ":4: an if depends on data: 'x' is not known: give its value by --set 'x=VALUE'" },
	{ "word f(word x) { switch (2) { case 1 ... 3: x++; } return x; }", GPUCRYPT_UNKNOWN,
	        ":3: cannot be counted: a switch" },
};

static void expect_failure(const struct analysis *analysis, int status, const char *message)
{
	size_t length = strlen(analysis->file);
	struct profile profile;
	int result;

	fail_clear();
	result = analyze(&profile, analysis);
	if (result != status || strncmp(gpucrypt_error(), analysis->file, length) != 0 ||
	        strncmp(gpucrypt_error() + length, message, strlen(message)) != 0) {
		print_error("%s\n  expected %s\n", gpucrypt_error(), message);
		assert_int_equal(result, status);
		assert_true(false);
	}
	assert_null(strchr(gpucrypt_error(), '\n'));
}

TEST(each_failure)
{
	for (size_t i = 0; i < N_OF(failures); i++) {
		struct analysis analysis = { .function = "f" };
		char text[1024];

		snprintf(text, sizeof text, HEAD "%s\n", failures[i].text);
		analysis.file = source(text);
		expect_failure(&analysis, failures[i].status, failures[i].message);
	}
}

TEST(unreadable_files)
{
	struct analysis analysis = { .file = "/nowhere/x.c", .function = "f" };

	expect_failure(&analysis, GPUCRYPT_IO, ": cannot open: No such file");
	analysis.file = "kernels";
	expect_failure(&analysis, GPUCRYPT_IO, ": not a regular file");
	analysis.file = "/dev/zero";
	expect_failure(&analysis, GPUCRYPT_IO, ": not a regular file");
	analysis.file = source("\1\2\3 not C \377\376");
	expect_failure(&analysis, GPUCRYPT_CORRUPT, ":1");
	analysis.file = source("");
	expect_failure(&analysis, GPUCRYPT_USAGE, ": defines no function f");
}

/* n times the middle between start and end. */
static const char *repeated(const char *start, const char *middle, unsigned n, const char *end)
{
	char *text = malloc(strlen(start) + n * strlen(middle) + strlen(end) + 1);
	const char *name;

	assert_non_null(text);
	strcpy(text, start);
	for (char *to = text + strlen(start); n > 0; n--)
		to = stpcpy(to, middle), *to = '\0';
	strcat(text, end);
	name = source(text);
	free(text);
	return name;
}

/* Sources that would exhaust a stack or take forever: a failure, not a crash. */
TEST(extreme_sources)
{
	struct analysis analysis = { .function = "f" };
	struct profile profile;

	analysis.file = repeated("int f(int x) { return ", "x+", 400, "x; }");
	profile = analyzed(&analysis);
	assert_int_equal(profile.operators[OPERATOR_ADD], 400);
	analysis.file = repeated("int f(int x) { return ", "x+", 5000, "x; }");
	expect_failure(&analysis, GPUCRYPT_UNKNOWN, ":1: nested more than");
	analysis.file = repeated("int f(int x) { return ", "(", 5000, "x; }");
	expect_failure(&analysis, GPUCRYPT_CORRUPT, ":1: does not parse: ");
	analysis.file = repeated("int f(int x) { return ", "-(int)", 100000, "x; }");
	assert_int_not_equal(analyze(&profile, &analysis), GPUCRYPT_OK);
	analysis.file = repeated("int f(int x) { ", "{", 100000, "x; }");
	assert_int_not_equal(analyze(&profile, &analysis), GPUCRYPT_OK);
	analysis.file = source("#include __FILE__\n#include __FILE__\n");
	assert_int_not_equal(analyze(&profile, &analysis), GPUCRYPT_OK);
}
