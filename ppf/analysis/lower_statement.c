/* Statements. */
#include <limits.h>
#include <string.h>

#include "ppf/analysis/lower.h"

#define ASSEMBLER "inline assembler: choose the portable C code by -D or -U"

/* Variables; types and functions that are declared here need nothing. */
static struct node *lower_declaration(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(cursor);
	unsigned n = 0;

	for (unsigned i = 0; i < children.n; i++)
		if (libclang.getCursorKind(children.cursor[i]) == CXCursor_VarDecl)
			children.cursor[n++] = children.cursor[i];
	children.n = n;
	return lower_all(l, cursor, NODE_VARIABLES, &children);
}

static struct node *lower_variable(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_node(l, cursor, NODE_DECLARE);

	node->symbol = lower_symbol(l, cursor);
	return node;
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
	return lower_unsupported(l, cursor, ASSEMBLER);
}

/* libclang leaves out missing parts: the semicolons before a child say which part the child is.  Between the children
 * there is nothing but punctuation; a declaration includes its semicolon. */
static struct node *lower_for(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(cursor);
	struct node *node = lower_node(l, cursor, NODE_FOR);
	const char *at = lower_token(l, lower_start(cursor));

	if (children.n == 0)
		return lower_unsupported(l, cursor, NULL);
	node->children = tree_allocate(4 * sizeof *node->children);
	node->n_children = 4;
	for (unsigned i = 0, part = 0; i < children.n; i++) {
		CXCursor child = children.cursor[i];
		bool declares = libclang.getCursorKind(child) == CXCursor_DeclStmt;

		for (; at < l->text + lower_start(child); at = lower_token(l, (unsigned)(at + 1 - l->text)))
			part += *at == ';';
		if (part > 2)
			return lower_unsupported(l, cursor, NULL);
		node->children[i + 1 == children.n ? 3 : part] = lower(l, child);
		at = lower_token(l, lower_end(child) - declares);
	}
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

static struct node *lower_default(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_some(l, cursor, NODE_CASE, 1, 1), *statement;

	if (node->n_children != 1)
		return node;
	statement = node->children[0];
	node->children = tree_allocate(2 * sizeof *node->children);
	node->children[1] = statement;
	node->n_children = 2;
	return node;
}

static const struct lower_rule statements[] = {
	{ CXCursor_CompoundStmt, NULL, NODE_BLOCK, 0, UINT_MAX, NULL },
	{ CXCursor_NullStmt, NULL, NODE_BLOCK, 0, UINT_MAX, NULL },
	{ CXCursor_DeclStmt, .lower = lower_declaration },
	{ CXCursor_VarDecl, .lower = lower_variable },
	{ CXCursor_IfStmt, NULL, NODE_IF, 2, 3, NULL },
	{ CXCursor_ForStmt, .lower = lower_for },
	{ CXCursor_WhileStmt, NULL, NODE_WHILE, 2, 2, NULL },
	{ CXCursor_DoStmt, NULL, NODE_DO, 2, 2, NULL },
	{ CXCursor_SwitchStmt, .lower = lower_switch },
	{ CXCursor_CaseStmt, NULL, NODE_CASE, 2, 2, NULL },
	{ CXCursor_DefaultStmt, .lower = lower_default },
	{ CXCursor_ReturnStmt, NULL, NODE_RETURN, 0, 1, NULL },
	{ CXCursor_BreakStmt, NULL, NODE_BREAK, 0, 0, NULL },
	{ CXCursor_ContinueStmt, NULL, NODE_CONTINUE, 0, 0, NULL },
	{ CXCursor_LabelStmt, .lower = lower_label },
	{ CXCursor_GotoStmt, .lower = lower_goto },
	{ CXCursor_AsmStmt, .lower = lower_assembler },
	{ CXCursor_UnexposedStmt, NULL, NODE_BLOCK, 1, 1, NULL }, /* behind an attribute or a pragma */
	{ CXCursor_MSAsmStmt, .text = ASSEMBLER },
	{ CXCursor_IndirectGotoStmt, .text = "a computed goto: use a loop or a switch" },
};

const struct lower_rule *lower_statement_rule(enum CXCursorKind kind)
{
	for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
		if (statements[i].cursor == kind)
			return &statements[i];
	return NULL;
}
