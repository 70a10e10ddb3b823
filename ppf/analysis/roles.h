/*
 * The memory that a function uses, and the role of each array: table, round keys, plaintext, ciphertext, state.
 * Options and the types `tables` and `keys` decide first, then the use of the array, and the default names only where
 * the use leaves a choice.  A role that remains open is a failure which names the array.
 */
#ifndef ROLES_H
#define ROLES_H

#include "ppf/analysis/analyze.h"
#include "ppf/analysis/tree.h"

/* Bytes of an array whose loads and stores are told apart. */
#define MAX_TRACKED_BYTES 4096

/* The use of one array, or of one member of a structure, that lies outside the function. */
struct memory {
	const struct symbol *symbol;
	struct memory *next;
	enum role role;
	const char *why;
	uint64_t bytes;    /* size, as far as declared or used */
	unsigned accesses; /* loads and stores that the counts hold */
	unsigned loads, stores, lookups;
	unsigned n_in, n_out; /* different bytes loaded before any store to them, and stored */
	uint64_t in[MAX_TRACKED_BYTES / 64], out[MAX_TRACKED_BYTES / 64];
	const struct node *first, *first_store; /* places for messages */
	bool typed;                             /* the type gave the role */
	bool whole; /* an array parameter of fixed size without a telling name: it is loaded and stored whole */
};

/* Is this a name of a function that rotates? */
bool role_is_wide(const struct patterns *patterns, const char *name);
bool role_is_permute(const struct patterns *patterns, const char *name);
bool role_is_rotate(const struct patterns *patterns, const char *name);

extern const char *const role_names[]; /* "table", "key", … */

/* Does the name give a role, by an option or by default? */
bool role_is_named(const struct patterns *patterns, const char *name);

/* Note an access to `bytes` bytes at `at`; at < 0: data selects the place.  every: bytes count again at each access. */
void memory_note(struct memory *memory, const struct node *node, int64_t at, uint64_t bytes, bool store, bool every);

/* Data selects the place: the memory reaches as far as the subscript can, but not beyond its declared end. */
void memory_extend(struct memory *memory, const struct value *at, uint64_t bytes);

/* Give each memory of the list a role. */
void roles_decide(struct memory *memories, const struct analysis *analysis);

#endif
