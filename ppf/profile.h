/*
 * A cipher's profile: what one block costs by the source text of its encryption function, counted
 * by the rules of the dissertation (section 6.3.1): table accesses, round-key accesses, operators,
 * and the words of plaintext and ciphertext.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>

/* Operators behind N_inst, by the hardware that does them. */
enum operator_class {
	OPERATOR_ADD,     /* + - and unary - */
	OPERATOR_LOGIC,   /* & | ^ ~ */
	OPERATOR_SHIFT,   /* << >> */
	OPERATOR_ROTATE,  /* a call of a rotate function */
	OPERATOR_MUL,     /* * / % */
	OPERATOR_COMPARE, /* < > == …, ?: and ! */
	N_OPERATORS
};

/* "add", "logic", …: the JSON names. */
extern const char *const operator_names[N_OPERATORS];

struct profile {
	char name[64];                /* "camellia-128 table 4", or FILE:FUNCTION */
	unsigned n_tbl, n_key;        /* accesses a block */
	unsigned operators[N_OPERATORS];
	unsigned n_pt, n_ct;          /* 32-bit words of plaintext loaded, of ciphertext stored */
};

/* N_inst: the sum of the operators. */
unsigned profile_n_inst(const struct profile *profile);

/*
 * The built-in profiles: generated from kernels/ by ppf analyze and committed, so that a build
 * needs no libclang.  form is the table form's name; direction is encryption.  NULL: none.
 */
const struct profile *profile_builtin(const char *cipher, unsigned key_bits, const char *form);

/* The counts printed in the dissertation's table 6.4 (128-bit keys); NULL: not in it. */
const struct profile *profile_thesis(const char *cipher, const char *form);

#endif
