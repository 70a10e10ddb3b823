/*
 * The text of a function and of all it calls, as a tree that needs libclang no more.  lower.c makes
 * it out of libclang's cursors; count.c and run.c walk it.  Everything lies in the unit's arena.
 */
#ifndef PPF_ANALYSIS_TREE_H
#define PPF_ANALYSIS_TREE_H

#include <stddef.h>

#include "ppf/analysis/analyze.h"

enum type_kind { TYPE_OTHER, TYPE_VOID, TYPE_INTEGER, TYPE_POINTER, TYPE_ARRAY, TYPE_RECORD };

struct record;

struct type {
	enum type_kind kind;
	bool is_signed, is_bool, is_const; /* is_const of an array: its elements */
	enum role role;                    /* of a typedef named `tables` or `keys`, else ROLE_NONE */
	uint64_t bytes, target_bytes;      /* target: pointed at, or one element; 0: unknown */
	const struct type *target;         /* NULL: neither a pointer nor an array */
	const struct record *record;       /* of TYPE_RECORD */
};

/* A member of a structure or union.  name "": its own members belong to the structure around it, too. */
struct member {
	const char *name;
	int64_t at;       /* bytes from the start */
	struct type type; /* TYPE_OTHER of a bit field */
};

struct record {
	struct member *members;
	unsigned n_members;
	unsigned number; /* in the unit, from 0 */
	bool is_union;
	/* Of a union of which expressions name only one member: this member, if it is a structure.  Otherwise NULL. */
	const struct member *alternative;
	unsigned n_named; /* of a union: 1 as long as all expressions name the same member */
};

struct symbol;
struct node;

/*
 * What an expression is known to be: an integer, or where a pointer (or an array) points to.  Of
 * data nothing is known.
 */
struct value {
	bool known;                /* the integer; a pointer: that only constants were added to it */
	int64_t bits;              /* the integer, extended from its type; a pointer: bytes from root */
	enum role role;            /* of the memory that is pointed at */
	const struct symbol *root; /* the variable that it points into; NULL: not followed */
	unsigned flow;             /* data: the value (count.h); a pointer: what selects its place; 0: none */
	uint64_t zeros;            /* data: the bits that are known to be zero */
	uint64_t span;             /* a pointer to which data was added: the largest such sum, in bytes */
};

enum storage { STORAGE_PARAMETER, STORAGE_AUTOMATIC, STORAGE_STATIC };

/* A variable.  As nothing is recursive, each has one value at a time. */
struct symbol {
	const char *name;
	unsigned number; /* in the unit, from 0; of variables that the source declares */
	struct type type;
	enum storage storage;
	const struct node *initial; /* or NULL */
	unsigned level;             /* of uncertainty, where it was declared (count.h) */
	bool is_entry;              /* what a parameter of the function that is analysed points to */
	struct memory *memory;      /* its use (count.h); NULL: none */
	struct cell *cells;         /* the values in it (count.h) */
	uint64_t entry_bits;        /* of a constant table: those that are 1 in an entry; 0: not known yet */
	struct symbol *members;     /* of a structure outside the function, and pointees, as far as used */
	struct symbol *next;        /* the next member of the same structure */
	int64_t at;                 /* a pointee: the place of the pointer, in bytes; a member: -1 - its place */
	uint64_t stride;            /* a member: the bytes of its structure, of which there may be an array */
	const struct type *layout;  /* the structure that a cast says is there; NULL: as the type says */
};

enum operation {
	OP_NONE,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_REM,
	OP_AND,
	OP_OR,
	OP_XOR,
	OP_SHL,
	OP_SHR,
	OP_LT,
	OP_GT,
	OP_LE,
	OP_GE,
	OP_EQ,
	OP_NE,
	OP_LOGICAL_AND,
	OP_LOGICAL_OR,
	OP_COMMA,
	OP_ASSIGN,
	OP_MINUS,
	OP_PLUS,
	OP_COMPLEMENT,
	OP_NOT,
	OP_DEREFERENCE,
	OP_ADDRESS,
	OP_PRE_INCREMENT,
	OP_PRE_DECREMENT,
	OP_POST_INCREMENT,
	OP_POST_DECREMENT
};

/* As C spells it.  OP_ADD to OP_ASSIGN stand between operands, OP_MINUS to OP_PRE_DECREMENT before one. */
extern const char *const operation_texts[OP_POST_DECREMENT + 1];

/* Behind each: its children. */
enum node_kind {
	NODE_UNSUPPORTED, /* children do not matter; text is what it is */
	NODE_CONSTANT,    /* bits */
	NODE_TEXT,        /* a string literal: text, in quotes and with escapes */
	NODE_NAME,        /* symbol */
	NODE_UNARY,       /* operation; operand */
	NODE_BINARY,      /* operation, also OP_ASSIGN; left, right */
	NODE_COMPOUND,    /* left operation= right */
	NODE_CHOICE,      /* condition, then, else; bits: 1 if `then` is the condition, x ?: y */
	NODE_SUBSCRIPT,   /* pointer, index */
	NODE_MEMBER,      /* text, bits: bytes from the start; structure or pointer to it */
	NODE_CALL,        /* function; arguments */
	NODE_CAST,        /* operand */
	NODE_LIST,        /* initial values, one for each element or member; NULL: a member has none */
	NODE_OBJECT,      /* a compound literal: symbol */
	NODE_STATEMENTS,  /* a statement expression: statements, the last of which is its value */
	NODE_BLOCK,       /* statements */
	NODE_VARIABLES,   /* declarations of one statement */
	NODE_DECLARE,     /* symbol */
	NODE_IF,          /* condition, then, else or NULL */
	NODE_FOR,         /* start, condition, step (each NULL if missing), body */
	NODE_WHILE,       /* condition, body */
	NODE_DO,          /* body, condition */
	NODE_SWITCH,      /* value, body */
	NODE_CASE,        /* constant or NULL (default), statement */
	NODE_RETURN,      /* value or NULL */
	NODE_BREAK,
	NODE_CONTINUE,
	NODE_LABEL, /* text; statement */
	NODE_GOTO   /* text: the label */
};

struct node {
	enum node_kind kind;
	enum operation operation;
	struct type type;
	int64_t bits;
	const char *text;
	struct symbol *symbol;
	struct function *function;
	struct node **children;
	unsigned n_children;
	const char *file; /* where it stands */
	unsigned line;
};

struct function {
	const char *name;
	struct symbol **parameters;
	unsigned n_parameters;
	struct type result;
	struct node *body; /* NULL: not defined in the file */
	bool active;       /* it is being run */
};

/* What a call of a function does that belongs to the C library or to compilers. */
enum library_use {
	LIBRARY_NONE,   /* the function is not known */
	LIBRARY_COPY,   /* copies arguments[2] bytes from arguments[1] to arguments[0], which is the value */
	LIBRARY_SET,    /* sets arguments[2] bytes at arguments[0], which is the value, to arguments[1] */
	LIBRARY_FIRST,  /* has the value arguments[0] */
	LIBRARY_NOTHING /* ends the program, or erases what no output uses any more */
};

enum library_use library_find(const char *name, unsigned n_arguments);

/* What is read of a source.  The tree lies in memory of this process that nothing frees: a process reads one source,
 * and ends. */
struct unit {
	struct function *entry; /* the function to analyse */
	struct node *at_entry;  /* only a place: where it is defined */
	struct function
	        *prepare; /* of the analysis' statement: a pointer to random bytes, then the entry's parameters */
	unsigned n_records, n_symbols;
};

/* Zeroed memory; the process ends with isolate_end() if there is none. */
void *tree_allocate(size_t n_bytes);

/* An array that its caller frees, with the same end: a new one of zeros, or array as it grows. */
void *tree_array(size_t n, size_t n_bytes);
void *tree_grow(void *array, size_t n_bytes);

/* Read the function and all that it calls (parse.c, or parse_none.c without libclang).  A failure ends the process with
 * a status as that of analyze(). */
void unit_read(struct unit *unit, const struct analysis *analysis);

/* The text that cc -E makes of a file, with a 0 behind its n_bytes.  It has line markers, so that places in it are
 * places in the file.  A failure ends the process: GPUCRYPT_CORRUPT with the preprocessor's own first error. */
const char *preprocess(size_t *n_bytes, const char *file, const char *const *options);

/* isolate() for work that reads a source, because very deep nesting in a source makes libclang crash.  The
 * preprocessor inherits the limits of the process, and ends with it. */
int source_isolate(const char *file, void (*work)(void *result, const void *request), const void *request, void *result,
        size_t n_bytes);

/* End the process: GPUCRYPT_UNKNOWN, `FILE:LINE: text`. */
_Noreturn void fail_at(const struct node *node, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A pointer, or an array, which becomes one. */
static inline bool type_is_address(const struct type *type)
{
	return type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY;
}

/* The structure that is a pointer's target, a variable's type or an array's element; NULL: none. */
static inline const struct type *type_layout(const struct type *type)
{
	type = type->kind == TYPE_POINTER ? type->target : type;
	while (type && type->kind == TYPE_ARRAY)
		type = type->target;
	return type && type->kind == TYPE_RECORD ? type : NULL;
}

/* An element or member by its number: its type, and its place in bytes from the start. */
static inline const struct type *type_of_part(const struct type *type, int64_t number)
{
	return type->record ? &type->record->members[number].type : type->target;
}

static inline int64_t place_of_part(const struct type *type, int64_t number)
{
	return type->record ? type->record->members[number].at : number * (int64_t)type->target_bytes;
}

static inline bool type_is_bit_field(const struct type *type)
{
	return type->kind == TYPE_OTHER && type->bytes == 0;
}

#endif
