/* Running a tree on unknown data and counting: count.c and operator.c do expressions, place.c
 * memory, memory_cells.c what is known of its data, run.c statements and calls; profile_count.c sums up. */
#ifndef PPF_ANALYSIS_COUNT_H
#define PPF_ANALYSIS_COUNT_H

#include "ppf/analysis/analyze.h"
#include "ppf/analysis/tree.h"

/*
 * The values that a function computes from data.  An operator on the same inputs makes the same value, so that a
 * common subexpression is one value; a value that reaches no output costs nothing; and an operator costs as many
 * 32-bit operations as the bits that are used of its result need.
 */
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

/* Bytes of a block whose loads and stores are counted separately. */
#define MAX_TRACKED_BYTES 4096

/* The use of one array, or of one member of a structure, that lies outside the function. */
struct memory {
	const struct symbol *symbol;
	struct memory *next;
	enum role role;
	const char *why;
	int64_t start;     /* first byte used, relative to the pointer's target; 0 or negative */
	uint64_t bytes;    /* from start to the end, as far as declared or used */
	unsigned accesses; /* loads and stores that the counts hold */
	unsigned loads, stores, lookups;
	unsigned n_in, n_out; /* different bytes loaded before any store to them, and stored */
	uint64_t in[MAX_TRACKED_BYTES / 64], out[MAX_TRACKED_BYTES / 64];
	const struct node *first, *first_store; /* places for messages */
	bool typed, given;                      /* the type, or an option, gave the role */
	bool counted;                           /* a word to which the function only adds constants */
	bool reached;                           /* an output depends on its first content */
	bool whole; /* an array parameter of fixed size without a telling name: it is loaded and stored whole */
};

/* A value in the memory of a variable.  Of several cells with the same byte, the first one in the list is valid;
 * integers are little-endian. */
struct cell {
	struct cell *next;
	int64_t at; /* bytes from the start */
	uint64_t bytes;
	struct value value;
	bool loaded; /* not stored by the function: each part of it that is read is a load */
};

/* An access outside an array, always or, if data selects the place, for some data. */
struct access {
	const struct node *node;
	struct value at;
	unsigned loaded; /* the loaded value; 0: a store */
	struct access *next;
};

struct counter {
	const struct analysis *analysis;
	uint64_t set_used; /* bit i: the setting analysis->set[i] */
	struct values values;
	struct memory *memories, *last; /* in order of their first use */
	struct access *outside;
	struct cell *unused; /* cells that were forgotten */
	unsigned uncertain;  /* arms of ?: && || that data may or may not take, around this one */
	unsigned depth;
	const char *label; /* of a goto that is under way */
	uint64_t steps;
	struct value result; /* of the last return */
};

struct value count_expression(struct counter *counter, const struct node *node);

/* Bits that are known, as the type holds them. */
struct value count_known(int64_t bits, const struct type *type);

/* The value of an operator or access. */
struct value count_value(struct counter *counter, const struct value_node *node);

/* The number of this value, for an input of another; an unknown value without a number gets one.  0: it is known. */
unsigned count_input(struct counter *counter, const struct value *value);

/* Data from a parameter or from memory, with the width of its type. */
struct value count_source(struct counter *counter, const struct symbol *root, uint64_t bytes);

/* The data as this type holds it. */
struct value count_convert(struct counter *counter, struct value value, const struct type *from, const struct type *to);

/* An output, or something that decides what runs, uses the value. */
void count_use(struct counter *counter, const struct value *value, uint64_t bits);

/* Of a condition: 0 or 1, or -1 where data decides. */
int count_truth(const struct node *node, const struct value *value);

/* One operator on integers: folded or counted.  The node has the type of the result. */
struct value operator_apply(struct counter *counter, const struct node *node, enum operation operation, struct value a,
        struct value b, const struct type *type);

struct value operator_unary(struct counter *counter, const struct node *node);
struct value operator_binary(struct counter *counter, const struct node *node);
struct value operator_compound(struct counter *counter, const struct node *node);

/* A pointer to where the expression's value lies; one that lies nowhere is evaluated, and is in registers. */
struct value place_find(struct counter *counter, const struct node *node);

/* Load and store the expression's value, which lies there. */
struct value place_load(struct counter *counter, const struct node *node, struct value at);
void place_store(struct counter *counter, const struct node *node, struct value at, struct value value);

/* The value in memory where a pointer points; memory that was not written yet holds data. */
struct value cell_load(struct counter *counter, const struct value *at, uint64_t bytes);
void cell_store(struct counter *counter, const struct value *at, uint64_t bytes, const struct value *value);

/* Store an initial value of this type `at` bytes from the start of a variable. */
void cell_fill(struct counter *counter, struct symbol *symbol, const struct node *initial, int64_t at,
        const struct type *type);

/* A structure as a value is a copy, and the value points to it. */
struct value cell_copy(struct counter *counter, const struct node *node, const struct value *at);

/* Store such a copy; as the value of a variable. */
void cell_paste(struct counter *counter, const struct node *node, const struct value *at, const struct value *copy);
void cell_bind(struct counter *counter, struct symbol *symbol, const struct value *copy);

/* Copy n_bytes from where a pointer points to where another one points, in elements of the nodes' types. */
void cell_move(struct counter *counter, const struct node *to, struct value target, const struct node *from,
        struct value source, uint64_t n_bytes);

/* A local variable or a compound literal begins: it gets its initial values each time that it is reached. */
void run_declare(struct counter *counter, struct symbol *symbol);

/* The bits that an entry of so many bytes of a table may have: of a constant one, those of its initial values. */
uint64_t cell_entry_bits(struct counter *counter, const struct symbol *table, uint64_t bytes);

/* Load a constant from the initial values of the variable that the pointer points into; false: data, or no constant. */
bool cell_load_constant(struct counter *counter, const struct value *at, const struct type *type, struct value *loaded);

/* The use of an array that lies outside the function. */
struct memory *memory_of_symbol(struct counter *counter, struct symbol *symbol);

/* From a place outside the function to that in the memory of the member in which it lies, by whatever pointers the
 * source gets there. */
void memory_find(struct value *at);

/* The memory of the member that lies -1 - at bytes behind the start, or, with at >= 0, the memory that a pointer at
 * this place points to. */
struct symbol *symbol_within(struct symbol *of, const char *name, int64_t at, const struct type *type);

/* The value that --set gives to a parameter or member; false: none. */
bool setting_use(struct counter *counter, const char *name, int64_t *bits);

/* The name, as --set has it, of the value that a load or source reads. */
const char *setting_name(const struct value_node *of);

/* The same for memory: NAME=VALUE, or, of an element of an array, NAME[INDEX]=VALUE. */
bool setting_of_place(struct counter *counter, const struct node *node, const struct value *at, int64_t *bits);

/* A call of a function of the C library that is known: memcpy and the like; false: it is none. */
bool library_call(
        struct counter *counter, const struct node *node, const struct value *arguments, struct value *result);

/* A variable begins anew: nothing is known of what lies in it. */
void cell_forget(struct counter *counter, const struct symbol *symbol);

/* Make a variable hold this, as its declaration or a call does. */
void place_bind(struct counter *counter, struct symbol *symbol, struct value value);

/* pointer + sign * index, of elements of so many bytes */
struct value place_shift(
        struct counter *counter, struct value pointer, const struct value *index, int sign, uint64_t bytes);

/* The bytes of an integer or pointer; 0: the variable is neither. */
uint64_t place_scalar_bytes(const struct symbol *symbol);

/* A statement expression: its last statement's value. */
struct value run_statements(struct counter *counter, const struct node *node);

struct value run_call(struct counter *counter, const struct node *node);

/* The function that is analysed, with parameters of which only --set gives values. */
void run_entry(struct counter *counter, const struct unit *unit);

/* Can an access to this number of bytes be outside the declared array, for some data? */
bool access_is_outside(const struct value *at, uint64_t bytes);

/* Reject an access outside an array, which compilers accept: a store at once; at the end of the analysis also an access
 * whose place data selects, and a load whose value an output depends on. */
void access_check(struct counter *counter, const struct node *node, const struct value *at, unsigned loaded);

/* The integer as its type holds it. */
int64_t fold_to_type(int64_t bits, const struct type *type);

/* left operation right, both of type `operand`; false: C does not define it. */
bool fold_binary(int64_t *result, enum operation operation, int64_t left, int64_t right, const struct type *operand);

/* With one operand known: is an operation on data 0, or its other operand? */
bool fold_is_zero(enum operation operation, int64_t known, bool is_left);
bool fold_is_other(enum operation operation, int64_t known, bool is_left, const struct type *type);

/*
 * The role of each array: table, round keys, plaintext, ciphertext, state.  Options and the types `tables` and `keys`
 * decide first, then the use of the array, and the default names only where the use leaves a choice.  A role that
 * remains open is a failure which names the array.
 */

/* Is this a name of a function that is one operator: a rotation, a permutation or a wide product? */
bool role_is_operator(enum operator_class *class, const struct patterns *patterns, const char *name);

/* A path as a.b where it is a->b. */
void dot_members(char *to, size_t n, const char *path);

/* Does the name give a role, by an option or by default? */
bool role_is_named(const struct patterns *patterns, const char *name);

/* Note an access of the node's type.  every: bytes count again at each access. */
void memory_note(struct memory *memory, const struct node *node, const struct value *at, bool store, bool every);

/* Give each memory of the list a role. */
void roles_decide(struct memory *memories, const struct analysis *analysis);
bool roles_have(const struct memory *memories, enum role role);

extern const char why_selected[], why_changed[]; /* reasons for roles */

/* Call this after the roles are decided: marks the outputs, and fails if a count would be wrong. */
void check_before(struct counter *counter);

/* Call this after the values are counted. */
void check_accesses(const struct counter *counter);

/* The failure that `what` depends on data names the parameter, member or array that the data comes from, and the option
 * that helps. */
_Noreturn void fail_on_data(
        struct counter *counter, const struct node *node, const struct value *value, const char *what);

/* Decide the roles, and count what is live (profile_count.c). */
void profile_count(struct profile *profile, struct memory_list *list, struct counter *counter);

/* GRAPH_NONE: a value that costs nothing of its own.  GRAPH_JOIN: what needs both inputs, and costs nothing. */
enum graph_kind { GRAPH_NONE, GRAPH_SOURCE, GRAPH_JOIN, GRAPH_LOGIC, GRAPH_OTHER, GRAPH_LOOKUP };

#define MAX_INPUTS 3 /* of a function of logic operators */

struct function_inputs {
	unsigned input[2 * MAX_INPUTS], n; /* nodes; 0: a constant */
};

/* Look-ups and operators one after the other, up to and with a node. */
struct way {
	unsigned lookups, operators, slow[N_SLOW_OPERATORS];
};

/* One for each value, with its number. */
struct graph_node {
	enum graph_kind kind;
	unsigned of; /* the node that stands for the value; 0: a constant, or nothing */
	unsigned uses;
	unsigned words; /* 32-bit operations that it stands for */
	bool absorbed;  /* into the function of its only user */
	bool slow[N_SLOW_OPERATORS];
	struct function_inputs inputs;
	struct way way;
};

/*
 * The functions of up to three inputs (a constant is one) that cover the logic operators, where an operator with one
 * use is merged into its user while inputs are free; the critical path, on which a look-up counts as several operators;
 * and the moves of results that registers cannot hold.  costs: of each value, by values_cost().
 */
void graph_summarize(struct profile *profile, const struct values *values, const unsigned *costs);

/*
 * Loads and stores of values beyond a file of so many registers, at most 32, in the order of the nodes: they go to
 * memory and come back.  A compiler knows all later uses; this model, too, keeps the values that are needed soonest
 * (L. A. Belady, 1966).  What no node makes is in memory before, and to load it for the first time does not count.
 */
unsigned registers_moves(const struct graph_node *nodes, unsigned n, unsigned n_registers);

/* The role of the memory of a load or look-up. */
enum role value_role(const struct value_node *node);

/* Is it a rotation by data? */
bool value_is_turn(const struct value_node *node);

/* One more step, one level deeper; too many end the analysis.  Each is followed by count_leave(). */
void count_enter(struct counter *counter, const struct node *node);
void count_leave(struct counter *counter);

#endif
