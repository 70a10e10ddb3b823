/* Places in the source, nodes, and children. */
#include "ppf/analysis/lower.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Places. */

const char *lower_text(CXString string)
{
	const char *text = libclang.getCString(string);
	char *copy = tree_allocate(strlen(text ? text : "") + 1);

	strcpy(copy, text ? text : "");
	libclang.disposeString(string);
	return copy;
}

const char *lower_name_of(CXCursor cursor)
{
	const char *name = lower_text(libclang.getCursorSpelling(cursor));

	return strchr(name, '(') ? "" : name;
}

bool lower_evaluate(int64_t *value, CXCursor cursor)
{
	CXEvalResult result = libclang.Cursor_Evaluate(cursor);
	bool is_integer = result && libclang.EvalResult_getKind(result) == CXEval_Int;

	if (is_integer)
		*value = libclang.EvalResult_isUnsignedInt(result) ? (int64_t)libclang.EvalResult_getAsUnsigned(result)
		                                                   : libclang.EvalResult_getAsLongLong(result);
	if (result)
		libclang.EvalResult_dispose(result);
	return is_integer;
}

unsigned lower_start(CXCursor cursor)
{
	unsigned offset;

	libclang.getFileLocation(libclang.getRangeStart(libclang.getCursorExtent(cursor)), NULL, NULL, NULL, &offset);
	return offset;
}

unsigned lower_end(CXCursor cursor)
{
	unsigned offset;

	libclang.getFileLocation(libclang.getRangeEnd(libclang.getCursorExtent(cursor)), NULL, NULL, NULL, &offset);
	return offset;
}

const char *lower_token(const struct lowering *l, unsigned offset)
{
	const char *text = l->text, *end = l->text + l->n_bytes;

	text += offset < l->n_bytes ? offset : l->n_bytes;
	while (text < end && strchr(" \t\r\n\v\f#", *text))
		if (*text++ == '#')
			text += strcspn(text, "\n");
	return text;
}

static void set_place(struct lowering *l, struct node *node, CXCursor cursor)
{
	CXString file;

	libclang.getPresumedLocation(libclang.getCursorLocation(cursor), &file, &node->line, NULL);
	if (!l->file || strcmp(l->file, libclang.getCString(file)) != 0)
		l->file = lower_text(file);
	else
		libclang.disposeString(file);
	node->file = l->file;
}

struct node *lower_node(struct lowering *l, CXCursor cursor, enum node_kind kind)
{
	struct node *node = tree_allocate(sizeof *node);

	node->kind = kind;
	node->text = "";
	set_place(l, node, cursor);
	if (libclang.isExpression(libclang.getCursorKind(cursor)))
		node->type = lower_type(l, libclang.getCursorType(cursor));
	return node;
}

const char *lower_identifier(struct lowering *l, const char *text)
{
	size_t n = 0;

	while (text + n < l->text + l->n_bytes && (isalnum((unsigned char)text[n]) || text[n] == '_'))
		n++;
	return memcpy(tree_allocate(n + 1), text, n);
}

/* The start of the source's own text, and what to do. */
static const char *quote(struct lowering *l, CXCursor cursor)
{
	enum { MAX_QUOTE = 40, MAX_TEXT = 128 };
	unsigned start = lower_start(cursor), end = lower_end(cursor);
	char *text = tree_allocate(MAX_TEXT);
	size_t n = end > start && end <= l->n_bytes ? end - start : 0;
	size_t shown = n > MAX_QUOTE ? MAX_QUOTE : n;

	snprintf(text, MAX_TEXT, "'%.*s%s': write it in plain C, or choose other code by -D or -U", (int)shown,
	        l->text + start, n > shown ? "..." : "");
	for (char *c = text; *c; c++)
		*c = iscntrl((unsigned char)*c) ? ' ' : *c;
	return text;
}

struct node *lower_unsupported(struct lowering *l, CXCursor cursor, const char *what)
{
	struct node *node = lower_node(l, cursor, NODE_UNSUPPORTED);

	node->text = what ? what : quote(l, cursor);
	return node;
}

/* Children. */

void lower_append(struct cursors *cursors, CXCursor cursor)
{
	if (cursors->n == cursors->allocated) {
		CXCursor *larger;

		cursors->allocated = 2 * cursors->allocated + 4;
		larger = tree_allocate(cursors->allocated * sizeof *larger);
		if (cursors->n > 0)
			memcpy(larger, cursors->cursor, cursors->n * sizeof *larger);
		cursors->cursor = larger;
	}
	cursors->cursor[cursors->n++] = cursor;
}

static enum CXChildVisitResult append(CXCursor cursor, CXCursor parent, CXClientData self)
{
	enum CXCursorKind kind = libclang.getCursorKind(cursor);

	(void)parent;
	if (libclang.isExpression(kind) || libclang.isStatement(kind) || libclang.isDeclaration(kind))
		lower_append(self, cursor);
	return CXChildVisit_Continue;
}

struct cursors lower_children(CXCursor cursor)
{
	struct cursors children = { 0 };

	libclang.visitChildren(cursor, append, &children);
	return children;
}

struct node *lower_all(struct lowering *l, CXCursor cursor, enum node_kind kind, const struct cursors *children)
{
	struct node *node = lower_node(l, cursor, kind);

	node->children = tree_allocate((children->n + 1) * sizeof *node->children);
	for (unsigned i = 0; i < children->n; i++)
		node->children[i] = lower(l, children->cursor[i]);
	node->n_children = children->n;
	return node;
}

struct node *lower_some(struct lowering *l, CXCursor cursor, enum node_kind kind, unsigned least, unsigned most)
{
	struct cursors children = lower_children(cursor);

	if (children.n >= least && children.n <= most)
		return lower_all(l, cursor, kind, &children);
	return lower_unsupported(l, cursor, NULL);
}
