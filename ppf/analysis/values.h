/*
 * The values that a function computes from data.  An operator on the same inputs makes the same value, so that a
 * common subexpression is one value; a value that reaches no output costs nothing; and an operator costs as many
 * 32-bit operations as the bits that are used of its result need.
 */
#ifndef PPF_ANALYSIS_VALUES_H
#define PPF_ANALYSIS_VALUES_H

#include "ppf/analysis/profile.h"
#include "ppf/analysis/tree.h"

enum value_kind {
	VALUE_SOURCE,   /* data from outside */
	VALUE_LOAD,     /* one load at a known place; inputs[0]: the value in memory */
	VALUE_LOOKUP,   /* a load at a place that data selects; inputs[0]: the index */
	VALUE_OPERATOR, /* inputs[0] operation inputs[1] */
	VALUE_PICK,     /* a shift or mask that does nothing but select a field of inputs[0] as an index */
	VALUE_JOIN      /* both inputs, at no cost: a value that was stored in parts */
};

struct value_node {
	enum value_kind kind;
	enum operation operation; /* OP_NONE: a call of a known function, or ?: */
	enum operator_class class;
	unsigned inputs[2];        /* values; 0: the constant, or none */
	int64_t constant;          /* an operand; a load: bytes from root; a rotation by data: TO_RIGHT, BY_LONG */
	const struct symbol *root; /* of a load or a source; else NULL */
	bool is_signed;
	bool is_cast;      /* a mask that the source writes as a conversion, which is no written operator */
	bool selects;      /* a look-up's index is made of it */
	bool computes;     /* something else is */
	unsigned bytes;    /* width of the operands, or of the access */
	uint64_t zeros;    /* bits that are known to be zero */
	uint64_t demanded; /* bits that an output needs; 0: the value is dead */
	unsigned next;     /* in its bucket; 0: the last */
};

#define TO_RIGHT 1
#define BY_LONG  2 /* a rotation of a word that the source writes as shifts of 64 bits */

#define VALUE_BUCKETS 65536

struct values {
	struct value_node *nodes; /* of tree_grow(); nodes[0] is no value */
	unsigned *buckets;
	unsigned n, room;
	bool as_written; /* nothing is shared, nothing is dead, and a wide operator is one */
};

/* Is left operation right the same as right operation left? */
bool values_is_commutative(enum operation operation);

/* The value, which is an earlier one if that has the same operation and inputs. */
unsigned values_add(struct values *values, const struct value_node *node);

/* Mark these bits of a value as used by an output. */
void values_use(struct values *values, unsigned value, uint64_t bits);

/* Find out which bits of each value are used, from the last value to the first. */
void values_settle(struct values *values);

/* The 32-bit operations of a live operator or cast, and the 32-bit words of a live load. */
unsigned values_cost(const struct values *values, const struct value_node *node);

/* The field of a word that the index of a look-up is, by masks and by shifts to the right.  *high: it is a byte of the
 * word, and starts above bit 2 of the byte. */
enum field_kind values_field(const struct values *values, unsigned index, bool *high);

/* The scalar or memory that a value comes from, as the root of this node; NULL: neither is known. */
const struct value_node *values_origin(const struct values *values, unsigned value);

/* The lowest bits up to the highest of these. */
uint64_t values_up_to(uint64_t bits);

/* The bits of an integer of so many bytes. */
uint64_t values_mask(uint64_t bytes);

#endif
