/*
 * A cipher's profile: what one block costs by the source text of its encryption function, counted
 * by the rules of the dissertation (section 6.3.1): table accesses, round-key accesses, operators,
 * and the words of plaintext and ciphertext.
 */
#ifndef PPF_ANALYSIS_PROFILE_H
#define PPF_ANALYSIS_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cipher;
struct mode;
struct table_form;

/* Vector registers of a processor: 16 with AVX2, 32 with AVX-512. */
enum register_file { REGISTERS_16, REGISTERS_32, N_REGISTER_FILES };

/* Operators with a longer latency than others, counted on the critical path. */
enum slow_operator {
	SLOW_ADD,
	SLOW_MUL,
	SLOW_TURN,  /* a rotation by data, written as two shifts */
	SLOW_CARRY, /* an addition of 64 bits */
	N_SLOW_OPERATORS
};

/* "add", "mul", …: the JSON names. */
extern const char *const slow_names[N_SLOW_OPERATORS];

/* The analysed part of a cipher: the encryption of a block; or in CTR, where the counters of 256 neighbouring blocks
 * share rounds, the work for each counter  or the shared work. */
enum core_part { CORE_BLOCK, CORE_COUNTER, CORE_SHARED, N_CORE_PARTS };

/* "", " counter", …: at the end of a profile's name. */
extern const char *const core_part_names[N_CORE_PARTS];

/* Operators behind N_inst, by the hardware that does them. */
enum operator_class {
	OPERATOR_ADD,     /* + - and unary - */
	OPERATOR_LOGIC,   /* & | ^ ~ */
	OPERATOR_SHIFT,   /* << >> */
	OPERATOR_ROTATE,  /* a call of a rotate function */
	OPERATOR_MUL,     /* * / % */
	OPERATOR_COMPARE, /* < > == …, ?: and ! */
	OPERATOR_PERMUTE, /* a call of a function that puts bytes elsewhere */
	OPERATOR_WIDE,    /* a call of a function that makes a double word of a product and summands */
	N_OPERATORS
};

/* "add", "logic", …: the JSON names. */
extern const char *const operator_names[N_OPERATORS];

/* The bits of a word that select a table's entry. */
enum field_kind {
	FIELD_BYTE,   /* one of its bytes, as it stands */
	FIELD_PART,   /* a part of one byte */
	FIELD_ACROSS, /* of more than one byte */
	N_FIELDS
};

extern const char *const field_names[N_FIELDS]; /* "byte", … */

/* The two ways in which sources write rotations by data.  Compilers recognise the first one more often. */
enum turn {
	TURN_WORD, /* x << n | x >> (32 - n) */
	TURN_LONG, /* the same with masks or words of 64 bits, of which the upper half is dropped */
	N_TURNS
};

extern const char *const turn_names[N_TURNS]; /* "word", "long" */

#define N_TABLE_SIZES 24

struct profile {
	char name[256];        /* "camellia-128 table 4", or FILE:FUNCTION */
	unsigned n_tbl, n_key; /* accesses a block */
	unsigned operators[N_OPERATORS];
	unsigned n_pt, n_ct; /* 32-bit words of plaintext loaded, of ciphertext stored */
	/* Beyond the dissertation: */
	unsigned fields[N_FIELDS];             /* of n_tbl, by the field that selects the entry */
	unsigned high_fields;                  /* of fields[FIELD_BYTE]: start above bit 2 of their byte */
	unsigned field_operators[N_OPERATORS]; /* of the operators: what only picks such fields */
	unsigned logic_functions;              /* what the other logic operators are, if one may have three inputs */
	unsigned moves[N_REGISTER_FILES];      /* words to memory and back that registers cannot hold */
	unsigned lookups_deep, operators_deep; /* one after the other, on the longest way through */
	unsigned casts;               /* masks that the source writes as casts; by value they are in N_inst, too */
	unsigned block_bytes;         /* of ciphertext; 0: 16 */
	char note[160];               /* a question about it, or "" */
	uint64_t table_bytes;         /* of all tables; 0: unknown */
	unsigned halves[N_OPERATORS]; /* of the operators: those beyond one that operators on 64 bits need */
	unsigned turns[N_TURNS];      /* of the rotations: those by data */
	unsigned slow_deep[N_SLOW_OPERATORS]; /* of operators_deep; built-in ciphers have none */
	unsigned left_shifts; /* of the shifts outside look-ups: by a constant to the left, which are products, too */
	unsigned keys_once;   /* of n_key: words that no load before has loaded; 0: unknown */
	unsigned lookups[N_TABLE_SIZES]; /* of n_tbl, by the log2 of the 32-bit words that the index reaches; all 0:
	                                    unknown */
};

/* clang-format off */
/* A row of built-in profiles, as profile_line() writes it. */
#define PROFILE(of, tables, keys, add, logic, shift, rotate, mul, compare, permute, wide, plain, cipher, byte, part, \
        across, high, field_logic, field_shift, functions, moves_16, moves_32, lookups, operations)                   \
	{ .name = of, .n_tbl = tables, .n_key = keys,                                                                 \
		.operators = { add, logic, shift, rotate, mul, compare, permute, wide }, .n_pt = plain,               \
		.n_ct = cipher, .fields = { byte, part, across }, .high_fields = high,                                \
		.field_operators = { [OPERATOR_LOGIC] = field_logic, [OPERATOR_SHIFT] = field_shift },                \
		.logic_functions = functions, .moves = { moves_16, moves_32 }, .lookups_deep = lookups,               \
		.operators_deep = operations }
/* clang-format on */

/* N_inst: the sum of the operators. */
unsigned profile_n_inst(const struct profile *profile);

/*
 * The built-in profiles: generated from kernels/ by ppf analyze and committed, so that a build
 * needs no libclang.  form is the table form's name; direction is encryption.  NULL: none.
 */
const struct profile *profile_builtin(enum core_part part, const char *cipher, unsigned key_bits, const char *form);

/* Cost that a mode adds to a cipher's block: operators and logic functions only. */
const struct profile *profile_mode(const char *cipher, const char *mode);

/* With the macros of a device program (gpucrypt/engine/opencl/program.c); size: of the key, 0 to 2; kernels: the folder
 * of the sources.  Statuses as analyze(). */
int core_analyze(struct profile *profile, enum core_part part, const struct cipher *cipher, unsigned size,
        const struct table_form *form, const char *kernels);

/* The same for what a mode adds (profile_mode()). */
int core_analyze_mode(
        struct profile *profile, const struct cipher *cipher, const struct mode *mode, const char *kernels);

/* A profile as a row of profiles.inc, without a line feed. */
void profile_line(char *text, size_t n_bytes, const struct profile *profile);

/* The counts printed in the dissertation's table 6.4 (128-bit keys); NULL: not in it. */
const struct profile *profile_thesis(const char *cipher, const char *form);

#endif
