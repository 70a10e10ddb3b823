/* Places in the source, nodes, and children. */
#include "ppf/analysis/lower.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"

/* Places. */

const char *lower_text(struct lowering *l, CXString string)
{
	const char *text = libclang.getCString(string);
	char *copy = unit_allocate(l->unit, strlen(text ? text : "") + 1);

	if (copy)
		strcpy(copy, text ? text : "");
	else
		l->status = GPUCRYPT_OTHER;
	libclang.disposeString(string);
	return copy ? copy : "";
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
		l->file = lower_text(l, file);
	else
		libclang.disposeString(file);
	node->file = l->file;
}

struct node *lower_node(struct lowering *l, CXCursor cursor, enum node_kind kind)
{
	static struct node none = { .text = "" };
	struct node *node = unit_allocate(l->unit, sizeof *node);

	if (!node) {
		l->status = GPUCRYPT_OTHER;
		return &none;
	}
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
	char *copy;

	while (text + n < l->text + l->n_bytes && (isalnum((unsigned char)text[n]) || text[n] == '_'))
		n++;
	copy = unit_allocate(l->unit, n + 1);
	if (!copy) {
		l->status = GPUCRYPT_OTHER;
		return "";
	}
	memcpy(copy, text, n);
	return copy;
}

/* The start of the source's own text, and what to do. */
static const char *quote(struct lowering *l, CXCursor cursor)
{
	enum { MAX_QUOTE = 40, MAX_TEXT = 128 };
	unsigned start = lower_start(cursor), end = lower_end(cursor);
	char *text = unit_allocate(l->unit, MAX_TEXT);
	size_t n = end > start && end <= l->n_bytes ? end - start : 0;
	size_t shown = n > MAX_QUOTE ? MAX_QUOTE : n;

	if (!text) {
		l->status = GPUCRYPT_OTHER;
		return "";
	}
	snprintf(text, MAX_TEXT, "'%.*s%s': write it in plain C, or choose other code by -D or -U", (int)shown,
	        l->text + start, n > shown ? "..." : "");
	for (char *c = text; *c; c++)
		*c = iscntrl((unsigned char)*c) ? ' ' : *c;
	return text;
}

static const char *unsupported_text(struct lowering *l, CXCursor cursor)
{
	static const struct {
		enum CXCursorKind kind;
		const char *text;
	} known[] = {
		{ CXCursor_AsmStmt, "inline assembler: choose the portable C code by -D or -U" },
		{ CXCursor_MSAsmStmt, "inline assembler: choose the portable C code by -D or -U" },
		{ CXCursor_FloatingLiteral, "a floating-point number: use integers" },
		{ CXCursor_GenericSelectionExpr, "_Generic: choose the expression by -D" },
		{ CXCursor_IndirectGotoStmt, "a computed goto: use a loop or a switch" },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].kind == libclang.getCursorKind(cursor))
			return known[i].text;
	return quote(l, cursor);
}

struct node *lower_unsupported(struct lowering *l, CXCursor cursor, const char *what)
{
	struct node *node = lower_node(l, cursor, NODE_UNSUPPORTED);
	node->text = what ? what : unsupported_text(l, cursor);
	return node;
}

/* Children. */

void lower_append(struct cursors *cursors, CXCursor cursor)
{
	if (cursors->n == cursors->allocated) {
		unsigned more = 2 * cursors->allocated + 4;
		CXCursor *larger = realloc(cursors->cursor, more * sizeof *larger);

		if (!larger) {
			cursors->failed = true;
			return;
		}
		cursors->cursor = larger;
		cursors->allocated = more;
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

struct cursors lower_children(struct lowering *l, CXCursor cursor)
{
	struct cursors children = { 0 };

	libclang.visitChildren(cursor, append, &children);
	if (children.failed)
		l->status = fail(GPUCRYPT_OTHER, "out of memory");
	return children;
}

struct node *lower_all(struct lowering *l, CXCursor cursor, enum node_kind kind, struct cursors *children)
{
	struct node *node = lower_node(l, cursor, kind);

	node->children = unit_allocate(l->unit, (children->n + 1) * sizeof *node->children);
	if (!node->children)
		l->status = GPUCRYPT_OTHER;
	for (unsigned i = 0; i < children->n && l->status == GPUCRYPT_OK; i++) {
		node->children[i] = lower(l, children->cursor[i]);
		node->n_children = i + 1;
	}
	free(children->cursor);
	*children = (struct cursors){ 0 };
	return node;
}
