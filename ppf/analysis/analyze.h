/*
 * Code analysis: from C source to a profile, by the dissertation's rules (section 6.3.1).
 *
 * The function is run once on unknown data, calls and all.  What is known while the program is
 * compiled (literals, loop variables, constant arrays) costs nothing, and loops must be so.
 *
 * N_inst  Operators by class, with assignment operators, and those written inside a subscript.
 *         Not: arithmetic with pointers, operators that fold away (x << 0, x + 0, x * 1, x | 0,
 *         x & ~0, all operands known), loop control.  A call of a function named like a rotation is
 *         one rotation; other calls are followed.  ?: on data is one comparison, && and || on data
 *         one logic operation, and both their sides count.  A call of a function named like one
 *         that puts bytes elsewhere is one permutation, and of one named like multiply_add one wide
 *         product.
 * N_tbl   Loads from a `tables` (the type), or from an array or pointer named like a table; one for
 * N_key   each four bytes of the entry.  The same with `keys`.  What a pointer was assigned or
 *         passed from counts, not the name that it has in the callee.  Without such a name the use decides
 *         (memory_roles.c): memory that is only read is a table where its subscript depends on data, constants are
 *         literals elsewhere.
 * N_pt    The words of array parameters of fixed size (word s[4]), which are the state, kept in
 * N_ct    registers: N_pt, and N_ct unless const.  And loads, and stores, through parameters named
 *         like plaintext or ciphertext, in words (bytes / 4, rounded up).
 *
 * What cannot be counted is a failure: a condition on data, recursion, a function that is not
 * defined, memory that is none of these, a subscript on data where no table is known.
 */
#ifndef PPF_ANALYSIS_ANALYZE_H
#define PPF_ANALYSIS_ANALYZE_H

#include <stdbool.h>

#include "ppf/analysis/profile.h"

/* Names by class: glob patterns as in fnmatch(3), each list ended by NULL.  NULL: the default. */
struct patterns {
	const char *const *table;
	const char *const *key;
	const char *const *rotate;
	const char *const *plain;
	const char *const *cipher;
};

#define MAX_MEMORY_USES 256 /* a function that accesses more is rejected */

/* The purpose of an array. */
enum role {
	ROLE_NONE,     /* no pointer and no array */
	ROLE_REGISTER, /* local variables: free, if subscripts are constant */
	ROLE_CONSTANT, /* constant arrays with initial values: literals, if subscripts are constant */
	ROLE_TABLE,
	ROLE_KEY,
	ROLE_PLAIN,
	ROLE_CIPHER,
	ROLE_STATE,  /* read and written in place: plaintext, then ciphertext */
	ROLE_BUFFER, /* outside the function, and written before it is read: no output */
	ROLE_FOREIGN /* outside the function, and not decided yet */
};

extern const char *const role_names[]; /* "table", "key", … */

/* What an object in memory was taken for, and why. */
struct memory_use {
	char name[128]; /* bytes of the name of a parameter, a global array or a member */
	enum role role;
	const char *why;        /* a constant text */
	unsigned bytes;         /* from its start to the last byte that was accessed at a known place, or of its type */
	unsigned before;        /* of these bytes: those before the place that the pointer points to */
	unsigned around;        /* bytes of the structures that contain this member, or its own bytes */
	unsigned loads, stores; /* accesses, of whatever width */
	unsigned accesses;      /* words of it in N_tbl, N_key, or N_pt and N_ct */
};

struct memory_list {
	struct memory_use of[MAX_MEMORY_USES];
	unsigned n;
};

struct analysis {
	const char *file, *function;
	const char *const *set; /* NAME=VALUE: integer parameters and members of known value, ended by NULL; or NULL */
	const char *const *options; /* for the preprocessor: -DX=1 …, ended by NULL; or NULL */
	const char *prepare;        /* a C statement, to be read as a function of its own (unit_read()); NULL: none */
	struct patterns patterns;
	struct memory_list *memory; /* out: all objects that are accessed; NULL: not wanted */
	/* Count what a device does: common subexpressions and bytes of a block once, dead code never, operators on
	 * 64-bit integers as those of 32 bits that they need, with a shift where a sign fills the upper word, and the
	 * comparisons with 0 of && and ||.  Else, as in the dissertation, what is written. */
	bool by_value;
};

/* The number of the setting of a parameter, of a member, as "c->n" or by its last name alone, or of an element, as
 * "c->key[3]"; -1: none. */
int setting_find(const char *const *set, const char *name, int64_t *bits);

/* Was this program built with libclang? */
bool analyze_available(void);

/*
 * GPUCRYPT_IO: file not readable; GPUCRYPT_USAGE: it has no such function; GPUCRYPT_CORRUPT: it does
 * not parse; GPUCRYPT_UNKNOWN: not countable; GPUCRYPT_OTHER: no preprocessor, no memory, built
 * without libclang.  Not for several threads at once.
 */
int analyze(struct profile *profile, const struct analysis *analysis);

#endif
