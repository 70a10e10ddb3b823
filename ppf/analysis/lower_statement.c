/* Statements. */
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/analysis/lower.h"

static struct node *lower_block(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(l, cursor);

	return lower_all(l, cursor, NODE_BLOCK, &children);
}

/* Variables; types and functions that are declared here need nothing. */
static struct node *lower_declaration(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(l, cursor);
	unsigned n = 0;

	for (unsigned i = 0; i < children.n; i++)
		if (libclang.getCursorKind(children.cursor[i]) == CXCursor_VarDecl)
			children.cursor[n++] = children.cursor[i];
	children.n = n;
	return lower_all(l, cursor, NODE_BLOCK, &children);
}

static struct node *lower_variable(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_node(l, cursor, NODE_DECLARE);

	node->symbol = lower_symbol(l, cursor);
	return node;
}

/* With so many children at least, and no more than that. */
static struct node *lower_some(struct lowering *l, CXCursor cursor, enum node_kind kind, unsigned least, unsigned most)
{
	struct cursors children = lower_children(l, cursor);

	if (children.n >= least && children.n <= most)
		return lower_all(l, cursor, kind, &children);
	free(children.cursor);
	return lower_unsupported(l, cursor, NULL);
}

static struct node *lower_if(struct lowering *l, CXCursor cursor)
{
	return lower_some(l, cursor, NODE_IF, 2, 3);
}

static struct node *lower_while(struct lowering *l, CXCursor cursor)
{
	return lower_some(l, cursor, NODE_WHILE, 2, 2);
}

static struct node *lower_do(struct lowering *l, CXCursor cursor)
{
	return lower_some(l, cursor, NODE_DO, 2, 2);
}

static struct node *lower_return(struct lowering *l, CXCursor cursor)
{
	return lower_some(l, cursor, NODE_RETURN, 0, 1);
}

static struct node *lower_label(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_some(l, cursor, NODE_LABEL, 1, 1);

	if (node->kind == NODE_LABEL)
		node->text = lower_identifier(l, lower_token(l, lower_start(cursor)));
	return node;
}

static struct node *lower_goto(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_node(l, cursor, NODE_GOTO);

	node->text = lower_identifier(l, lower_token(l, lower_start(cursor) + (unsigned)strlen("goto")));
	return node;
}

/* A barrier for the compiler, which has no instruction. */
static struct node *lower_assembler(struct lowering *l, CXCursor cursor)
{
	const char *text = memchr(l->text + lower_start(cursor), '(', lower_end(cursor) - lower_start(cursor));

	if (text)
		text = lower_token(l, (unsigned)(text + 1 - l->text));
	if (text && l->text + l->n_bytes - text > 2 && text[0] == '"' && text[1] == '"' &&
	        *lower_token(l, (unsigned)(text + 2 - l->text)) != '"')
		return lower_node(l, cursor, NODE_BLOCK);
	return lower_unsupported(l, cursor, NULL);
}

/* A statement behind an attribute or a pragma. */
static struct node *lower_wrapped(struct lowering *l, CXCursor cursor)
{
	return lower_some(l, cursor, NODE_BLOCK, 1, 1);
}

static struct node *lower_break(struct lowering *l, CXCursor cursor)
{
	return lower_node(l, cursor, NODE_BREAK);
}

static struct node *lower_continue(struct lowering *l, CXCursor cursor)
{
	return lower_node(l, cursor, NODE_CONTINUE);
}

/* for */

/* Behind a character or string literal. */
static const char *skip_quoted(const char *text, const char *end)
{
	char quote = *text++;

	while (text < end && *text != quote)
		text += *text == '\\' ? 2 : 1;
	return text < end ? text + 1 : end;
}

/* Offsets of the two semicolons of `for (;;)` and of its closing parenthesis; false: not found. */
static bool for_marks(const struct lowering *l, unsigned offset, unsigned marks[3])
{
	const char *text = lower_token(l, offset), *end = l->text + l->n_bytes;
	unsigned depth = 0, n = 0;

	while (text < end && n < 3) {
		if (*text == '"' || *text == '\'') {
			text = skip_quoted(text, end);
			continue;
		}
		if (strchr("({", *text) && *text)
			depth++;
		else if (*text && strchr(")}", *text))
			depth--;
		if ((*text == ';' && depth == 1 && n < 2) || (*text == ')' && depth == 0))
			marks[n++] = (unsigned)(text - l->text);
		if (depth == 0 && *text == ')')
			break;
		text = lower_token(l, (unsigned)(text + 1 - l->text));
	}
	return n == 3;
}

/* libclang leaves out missing parts, so that the place says which part a child is. */
static struct node *lower_for(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(l, cursor);
	struct node *node = lower_node(l, cursor, NODE_FOR);
	unsigned marks[3];

	node->children = unit_allocate(l->unit, 4 * sizeof *node->children);
	if (!node->children || !for_marks(l, lower_start(cursor), marks) || children.n < 1) {
		free(children.cursor);
		return lower_unsupported(l, cursor, NULL);
	}
	node->n_children = 4;
	for (unsigned i = 0; i < children.n; i++) {
		unsigned start = lower_start(children.cursor[i]);
		unsigned part = (start > marks[0]) + (start > marks[1]) + (start > marks[2]);

		node->children[part] = lower(l, children.cursor[i]);
	}
	if (!node->children[3])
		node->children[3] = lower_node(l, cursor, NODE_BLOCK);
	free(children.cursor);
	return node;
}

/* switch */

/* An unsupported statement may contain a label. */
static bool has_case(const struct node *node)
{
	if (!node || node->kind == NODE_SWITCH)
		return false;
	if (node->kind == NODE_CASE || node->kind == NODE_UNSUPPORTED)
		return true;
	for (unsigned i = 0; i < node->n_children; i++)
		if (has_case(node->children[i]))
			return true;
	return false;
}

/* Labels must stand in the body itself, where run.c looks for them. */
static struct node *lower_switch(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_some(l, cursor, NODE_SWITCH, 2, 2);
	const struct node *body;

	if (node->kind != NODE_SWITCH || node->n_children < 2)
		return node;
	body = node->children[1];
	if (body->kind != NODE_BLOCK)
		return lower_unsupported(l, cursor, "a switch without a block");
	for (unsigned i = 0; i < body->n_children; i++) {
		const struct node *statement = body->children[i];

		while (statement->kind == NODE_CASE && statement->n_children == 2)
			statement = statement->children[1];
		if (has_case(statement))
			return lower_unsupported(l, cursor,
			        "a switch with other labels than constants in its own block: put them there");
	}
	return node;
}

static struct node *lower_case(struct lowering *l, CXCursor cursor)
{
	return lower_some(l, cursor, NODE_CASE, 2, 2);
}

static struct node *lower_default(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_some(l, cursor, NODE_CASE, 1, 1);
	struct node *statement;

	if (node->n_children != 1)
		return node;
	statement = node->children[0];
	node->children = unit_allocate(l->unit, 2 * sizeof *node->children);
	if (!node->children) {
		l->status = GPUCRYPT_OTHER;
		return lower_unsupported(l, cursor, NULL);
	}
	node->children[1] = statement;
	node->n_children = 2;
	return node;
}

static const struct {
	enum CXCursorKind kind;
	struct node *(*lower)(struct lowering *lowering, CXCursor cursor);
} statements[] = {
	{ CXCursor_CompoundStmt, lower_block },
	{ CXCursor_NullStmt, lower_block },
	{ CXCursor_DeclStmt, lower_declaration },
	{ CXCursor_VarDecl, lower_variable },
	{ CXCursor_IfStmt, lower_if },
	{ CXCursor_ForStmt, lower_for },
	{ CXCursor_WhileStmt, lower_while },
	{ CXCursor_DoStmt, lower_do },
	{ CXCursor_SwitchStmt, lower_switch },
	{ CXCursor_CaseStmt, lower_case },
	{ CXCursor_DefaultStmt, lower_default },
	{ CXCursor_ReturnStmt, lower_return },
	{ CXCursor_BreakStmt, lower_break },
	{ CXCursor_ContinueStmt, lower_continue },
	{ CXCursor_LabelStmt, lower_label },
	{ CXCursor_GotoStmt, lower_goto },
	{ CXCursor_AsmStmt, lower_assembler },
	{ CXCursor_UnexposedStmt, lower_wrapped },
};

struct node *lower_statement(struct lowering *l, CXCursor cursor)
{
	for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
		if (statements[i].kind == libclang.getCursorKind(cursor))
			return statements[i].lower(l, cursor);
	return NULL;
}
