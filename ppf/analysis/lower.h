/*
 * From libclang's cursors to the tree.  Only parse.c and lower*.c know libclang.
 */
#ifndef LOWER_H
#define LOWER_H

#include <stddef.h>

#include "ppf/analysis/libclang.h"

#include "ppf/analysis/analyze.h"
#include "ppf/analysis/tree.h"

#define SYMBOL_BUCKETS 512

struct known_record;
struct known_symbol;
struct known_function;

struct lowering {
	struct unit *unit; /* not owned: where the tree goes */
	const char *text;  /* preprocessed */
	size_t n_bytes;
	struct known_record *records;
	struct known_symbol *symbols[SYMBOL_BUCKETS];
	struct known_function *functions; /* called so far; those behind `lowered` are to be lowered */
	struct known_function *last;
	const char *file; /* of the last place */
	unsigned depth;
	int status; /* the first failure; nothing is lowered after it */
};

/* A node without children where the cursor is.  Never NULL: with no memory left, a static one. */
struct node *lower_node(struct lowering *lowering, CXCursor cursor, enum node_kind kind);

/* An expression or a statement. */
struct node *lower(struct lowering *lowering, CXCursor cursor);

/* Statements, by kind of cursor; NULL: it is none. */
struct node *lower_statement(struct lowering *lowering, CXCursor cursor);

/* Initial values in braces, and a compound literal. */
struct node *lower_list(struct lowering *lowering, CXCursor cursor);
struct node *lower_object(struct lowering *lowering, CXCursor cursor);

/* The identifier that stands at this place. */
const char *lower_identifier(struct lowering *lowering, const char *text);

struct node *lower_unsupported(struct lowering *lowering, CXCursor cursor, const char *what);

/* The children that are expressions, statements or declarations; to be freed. */
struct cursors {
	CXCursor *cursor;
	unsigned n, allocated;
	bool failed;
};

void lower_append(struct cursors *cursors, CXCursor cursor);
struct cursors lower_children(struct lowering *lowering, CXCursor cursor);

/* A node with all these cursors as children; frees them. */
struct node *lower_all(struct lowering *lowering, CXCursor cursor, enum node_kind kind, struct cursors *children);

/* The members of a structure or union, in order; to be freed. */
struct cursors lower_fields(CXType type);

struct type lower_type(struct lowering *lowering, CXType type);
struct symbol *lower_symbol(struct lowering *lowering, CXCursor declaration);
struct function *lower_function(struct lowering *lowering, CXCursor declaration);

/* Lower the functions that were looked up so far, and all that they call. */
void lower_bodies(struct lowering *lowering);

/* libclang's text as the unit's own. */
const char *lower_text(struct lowering *lowering, CXString string);

/* Offsets into the preprocessed text. */
unsigned lower_start(CXCursor cursor);
unsigned lower_end(CXCursor cursor);

/* The first character from offset on that is neither blank nor part of a line marker. */
const char *lower_token(const struct lowering *lowering, unsigned offset);

#endif
