/* Interpret a tree on unknown data and count operations: count.c and operator.c evaluate expressions, place.c memory
 * accesses, cell.c the known content of memory, run.c statements and calls. */
#ifndef COUNT_H
#define COUNT_H

#include "ppf/analysis/analyze.h"
#include "ppf/analysis/graph.h"
#include "ppf/analysis/tree.h"

#define MAX_CELLS 1024

struct counts {
	unsigned operators[N_OPERATORS], n_tbl, n_key;
	unsigned fields[N_FIELDS], high_fields, field_operators[N_OPERATORS];
	uint64_t plain_bytes, cipher_bytes; /* loaded, stored */
};

/* Known properties of the data in an array or behind a pointer. */
struct cell {
	const struct symbol *root;
	int64_t at; /* bytes from there */
	unsigned flow;
	uint64_t zeros;
};

/* The subscript of a table while it is evaluated: shifts right and masks pick a field. */
struct selection {
	bool active, picks;
	unsigned shift;
	uint64_t word_zeros; /* of the word that the field lies in */
};

#define MAX_TOUCHED 1024

/* A byte of a plaintext or ciphertext that was loaded or stored before. */
struct touched {
	const struct symbol *root;
	int64_t at;
	bool stored;
};

struct counter {
	const struct patterns *patterns;
	struct counts counts;
	struct graph graph;
	struct cell cells[MAX_CELLS]; /* when all are in use, the first ones are used again */
	unsigned n_cells;
	struct touched touched[MAX_TOUCHED];
	unsigned n_touched;
	struct memory_list memory;
	const char *const *set; /* struct analysis */
	uint64_t set_used;      /* bit i: of set[i] */
	bool by_value;          /* struct analysis */
	bool finds_roles;       /* accesses to parameters without a role are recorded, not refused */
	struct selection selection;
	unsigned uncertain; /* arms of ?: && || that data may or may not take, around this one */
	unsigned depth;
	uint64_t steps;
	struct value result; /* of the last return */
	int status;          /* the first failure; nothing happens after it */
};

/* The place of an object in memory. */
struct place {
	struct value at;       /* a pointer to it */
	struct symbol *symbol; /* it is this whole variable; or NULL */
	enum field_kind field; /* that selects the entry, where it is a table's */
	struct value index;    /* a table's: what selects the entry */
	bool by_data;          /* it is a table's because its subscript depends on data */
	bool high;             /* FIELD_BYTE: it starts above bit 2 of its byte */
};

struct value count_expression(struct counter *counter, const struct node *node);

/* Without counting. */
struct value count_silently(struct counter *counter, const struct node *node);

/* Does struct analysis set this parameter or member to a known value? */
bool count_set_value(struct counter *counter, const char *name, const struct type *type, struct value *value);

/* Bits that are known, as the type holds them. */
struct value count_known(int64_t bits, const struct type *type);

/* Data that comes from a and b, which may be NULL. */
struct value count_result(struct counter *counter, enum graph_kind kind, const struct value *a, const struct value *b);

/* The value of a condition: 0 or 1, or -1 if it depends on data. */
int count_truth(const struct node *node, const struct value *value);

struct value operator_unary(struct counter *counter, const struct node *node);
struct value operator_binary(struct counter *counter, const struct node *node);
/* A conversion of data to an integer type.  In a table's subscript a narrower unsigned type picks a field, as & does.
 */
struct value operator_narrow(struct counter *counter, const struct node *node, struct value value);
struct value operator_compound(struct counter *counter, const struct node *node);

/* The place of the expression's value; a value without a place is evaluated, and is in registers. */
struct place place_find(struct counter *counter, const struct node *node);
struct value place_load(struct counter *counter, const struct node *node, const struct place *place);
void place_store(struct counter *counter, const struct node *node, const struct place *place, struct value value);

/* Known properties of the data at the place that a pointer points to. */
struct value cell_load(struct counter *counter, const struct value *at);
void cell_store(struct counter *counter, const struct value *at, const struct value *value);

/* A variable begins anew: nothing is known of what lies in it. */
void cell_forget(struct counter *counter, const struct symbol *symbol);

/* Make a variable hold this, as its declaration or a call does. */
void place_bind(struct counter *counter, struct symbol *symbol, struct value value);

/* pointer + sign * index, of elements of so many bytes */
struct value place_shift(struct value pointer, const struct value *index, int sign, uint64_t bytes);

/* Is it a pointer, or an array, which becomes one? */
bool place_is_address(const struct type *type);

struct value run_call(struct counter *counter, const struct node *node);

/* The function that is analysed, with parameters of which only the roles are known. */
int run_entry(struct counter *counter, const struct unit *unit);

/* Keep the first failure. */
void count_fail(struct counter *counter, const struct node *node, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* One more step, one level deeper; false: too many.  Each is followed by count_leave(). */
bool count_enter(struct counter *counter, const struct node *node);
void count_leave(struct counter *counter);

#endif
