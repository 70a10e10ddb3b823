#include "ppf/analysis/profile.h"

#include <stdio.h>
#include <string.h>

const char *const operator_names[N_OPERATORS] = { "add", "logic", "shift", "rotate", "mul", "compare", "permute",
	"wide" };

const char *const field_names[N_FIELDS] = { "byte", "part", "across" };

/* Subject of a row: a block, in CTR a counter or the part that consecutive counters share, or a product of RSA. */
enum part { PART_BLOCK, PART_COUNTER, PART_SHARED, PART_PRODUCT };

struct row {
	enum part part;
	const char *cipher;
	unsigned key_bits;
	const char *form;
	struct profile profile;
};

/* clang-format off */
/* The built-in ciphers, as `ppf profiles` wrote them. */
#define ROW(what, cipher, bits, form, n_tbl, n_key, add, logic, shift, rotate, mul, compare, permute, \
        n_pt, n_ct, byte, part, across, high, field_logic, field_shift, functions,  \
        lookups, operators, moves_16, moves_32)   \
	{ what, cipher, bits, form,                                                                \
		{ cipher "-" #bits " table " form, n_tbl, n_key,                                   \
			{ add, logic, shift, rotate, mul, compare, permute }, n_pt, n_ct,          \
			{ byte, part, across }, high,                                              \
			{ [OPERATOR_LOGIC] = field_logic, [OPERATOR_SHIFT] = field_shift },        \
			functions, { moves_16, moves_32 }, lookups, operators, 0, 0, 0, { 0 }, 0, 0, { 0 } } },
#define PROFILE(...) ROW(PART_BLOCK, __VA_ARGS__, 0, 0)
#define SLICED(...)  ROW(PART_BLOCK, __VA_ARGS__)
#define COUNTER(...) ROW(PART_COUNTER, __VA_ARGS__, 0, 0)
#define SHARED(...)  ROW(PART_SHARED, __VA_ARGS__, 0, 0)
/* Cost of a mode, stored under key size 0. */
#define MODE(cipher, mode, add, logic, shift, rotate, mul, compare, permute, functions)            \
	{ PART_BLOCK, cipher, 0, mode,                                                                         \
		{ cipher " " mode, 0, 0, { add, logic, shift, rotate, mul, compare, permute }, 0,  \
			0, { 0 }, 0, { 0 }, functions, { 0 }, 0, 0, 0, 0, 0, { 0 }, 0, 0, { 0 } } },
#define PRODUCT(bits, add, logic, shift, mul, compare, wide, n_key, n_pt, n_ct)                    \
	{ PART_PRODUCT, "rsa", bits, "product",                                                     \
		{ "rsa-" #bits " product", 0, n_key,                                               \
			{ add, logic, shift, 0, mul, compare, 0, wide }, n_pt, n_ct,               \
			{ 0 }, 0, { 0 }, 0, { 0 }, 0, 0, 0, 0, 0, { 0 }, 0, 0, { 0 } } },
static const struct row builtin[] = {
#include "ppf/analysis/profiles.inc"
};

/* Table 6.4, which has no operator classes: all of N_inst is under the cheapest, as in equation
 * (6.4).  The first digit of 590 is not legible there. */
#define THESIS(cipher, form, n_tbl, n_key, n_inst)                                                 \
	{ PART_BLOCK, cipher, 128, form,                                                                       \
		{ cipher "-128 table 6.4 " form, n_tbl, n_key, { [OPERATOR_LOGIC] = n_inst }, 4, 4, { n_tbl }, \
			0, { 0 }, n_inst, { 0 }, 0, 0, 0, 0, 0, { 0 }, 0, 0, { 0 } } }
static const struct row thesis[] = {
	THESIS("aes", "4", 160, 44, 436),
	THESIS("camellia", "4", 144, 48, 642),
	THESIS("sc2000", "11,10,11", 72, 56, 506),
	THESIS("sc2000", "6,10,10,6", 96, 56, 590),
};
/* clang-format on */

static const struct profile *find(
        const struct row *rows, size_t n, enum part part, const char *cipher, unsigned key_bits, const char *form)
{
	for (const struct row *row = rows; row < rows + n; row++)
		if (row->part == part && !strcmp(row->cipher, cipher) && row->key_bits == key_bits &&
		        !strcmp(row->form, form))
			return &row->profile;
	return NULL;
}

unsigned profile_n_inst(const struct profile *profile)
{
	unsigned n = 0;

	for (int i = 0; i < N_OPERATORS; i++)
		n += profile->operators[i];
	return n;
}

const struct profile *profile_builtin(const char *cipher, unsigned key_bits, const char *form)
{
	return find(builtin, sizeof builtin / sizeof *builtin, PART_BLOCK, cipher, key_bits, form);
}

const struct profile *profile_counter(const char *cipher, unsigned key_bits, const char *form)
{
	return find(builtin, sizeof builtin / sizeof *builtin, PART_COUNTER, cipher, key_bits, form);
}

const struct profile *profile_shared(const char *cipher, unsigned key_bits, const char *form)
{
	return find(builtin, sizeof builtin / sizeof *builtin, PART_SHARED, cipher, key_bits, form);
}

const struct profile *profile_mode(const char *cipher, const char *mode)
{
	return profile_builtin(cipher, 0, mode);
}

const struct profile *profile_rsa_product(unsigned bits)
{
	return find(builtin, sizeof builtin / sizeof *builtin, PART_PRODUCT, "rsa", bits, "product");
}

const struct profile *profile_thesis(const char *cipher, const char *form)
{
	return find(thesis, sizeof thesis / sizeof *thesis, PART_BLOCK, cipher, 128, form);
}
