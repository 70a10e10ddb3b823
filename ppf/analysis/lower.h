/*
 * From libclang's cursors to the tree.  Only parse.c and lower*.c know libclang.
 */
#ifndef PPF_ANALYSIS_LOWER_H
#define PPF_ANALYSIS_LOWER_H

#include <stddef.h>

#include <clang-c/Index.h>

#include "gen/libclang.h"
#include "ppf/analysis/tree.h"
#include "ppf/shared_library.h"

/* libclang's functions, loaded when the first file is analysed, and only in the process that analyses: OpenCL drivers
 * bring an LLVM of their own, and two of them in one process break each other. */
struct libclang {
	LIBCLANG_FUNCTIONS(SHARED_LIBRARY_MEMBER)
};

extern struct libclang libclang;

/* Load libclang before any other call.  GPUCRYPT_UNKNOWN. */
int libclang_load(const char *needed_by);

#define KNOWN_BUCKETS 512

struct known;
struct called;

struct lowering {
	struct unit *unit; /* not owned: where the tree goes */
	const char *text;  /* preprocessed */
	size_t n_bytes;
	struct known *known[KNOWN_BUCKETS]; /* records, symbols and functions that were looked up so far */
	struct called *called, *last;       /* functions, in the order of their first call */
	const char *file;                   /* of the last place */
	unsigned depth;
};

/* What a kind of cursor becomes: what `lower` makes of it; without that a node with its children, of which there are
 * least to most; or text says why that is not supported. */
struct lower_rule {
	enum CXCursorKind cursor;
	struct node *(*lower)(struct lowering *lowering, CXCursor cursor);
	enum node_kind kind;
	unsigned least, most;
	const char *text;
};

/* An expression or a statement. */
struct node *lower(struct lowering *lowering, CXCursor cursor);

/* Of statements; NULL: the cursor is none. */
const struct lower_rule *lower_statement_rule(enum CXCursorKind kind);

/* A node without children where the cursor is. */
struct node *lower_node(struct lowering *lowering, CXCursor cursor, enum node_kind kind);

/* what: NULL: the rule's text, or the source's. */
struct node *lower_unsupported(struct lowering *lowering, CXCursor cursor, const char *what);

/* Initial values in braces, and a compound literal. */
struct node *lower_list(struct lowering *lowering, CXCursor cursor);
struct node *lower_object(struct lowering *lowering, CXCursor cursor);

/* The identifier that stands at this place. */
const char *lower_identifier(struct lowering *lowering, const char *text);

/* Cursors, in the memory of the tree. */
struct cursors {
	CXCursor *cursor;
	unsigned n, allocated;
};

void lower_append(struct cursors *cursors, CXCursor cursor);

/* The children that are expressions, statements or declarations. */
struct cursors lower_children(CXCursor cursor);

/* A node with all these cursors as children; or unsupported, unless there are least to most children. */
struct node *lower_all(struct lowering *lowering, CXCursor cursor, enum node_kind kind, const struct cursors *children);
struct node *lower_some(struct lowering *lowering, CXCursor cursor, enum node_kind kind, unsigned least, unsigned most);

struct type lower_type(struct lowering *lowering, CXType type);
struct symbol *lower_symbol(struct lowering *lowering, CXCursor declaration);
struct function *lower_function(struct lowering *lowering, CXCursor declaration);

/* Lower the functions that were looked up so far, and all that they call. */
void lower_bodies(struct lowering *lowering);

/* libclang's text as the tree's own. */
const char *lower_text(CXString string);

/* A name of libclang's; "" for one that later versions make of the place of what has none. */
const char *lower_name_of(CXCursor cursor);

/* Evaluate a constant integer; false: it is none. */
bool lower_evaluate(int64_t *value, CXCursor cursor);

/* Offsets into the preprocessed text. */
unsigned lower_start(CXCursor cursor);
unsigned lower_end(CXCursor cursor);

/* The first character from offset on that is neither blank nor part of a line marker. */
const char *lower_token(const struct lowering *lowering, unsigned offset);

#endif
