/* Expressions. */
#include "ppf/analysis/lower.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"

#define MAX_DEPTH 500

/* A node that must have so many children. */
static struct node *lower_n(struct lowering *l, CXCursor cursor, enum node_kind kind, unsigned n)
{
	struct cursors children = lower_children(l, cursor);

	if (children.n != n) {
		free(children.cursor);
		return lower_unsupported(l, cursor, NULL);
	}
	return lower_all(l, cursor, kind, &children);
}

/* Operators. */

/* The longest one that the text starts with, OP_NONE: none. */
static enum operation find(const char *text, enum operation first, enum operation last)
{
	enum operation found = OP_NONE;

	for (enum operation i = first; i <= last; i++)
		if (strlen(operation_texts[i]) > strlen(operation_texts[found]) &&
		        strncmp(text, operation_texts[i], strlen(operation_texts[i])) == 0)
			found = i;
	return found;
}

/* libclang 14 does not name operators; they stand behind the left operand. */
static struct node *lower_infix(struct lowering *l, CXCursor cursor, enum node_kind kind)
{
	struct cursors children = lower_children(l, cursor);
	enum operation operation = OP_NONE;

	if (children.n == 2)
		operation = find(lower_token(l, lower_end(children.cursor[0])), OP_ADD, OP_ASSIGN);
	if (operation == OP_NONE) {
		free(children.cursor);
		return lower_unsupported(l, cursor, NULL);
	}
	struct node *node = lower_all(l, cursor, kind, &children);

	node->operation = operation;
	return node;
}

static struct node *lower_binary(struct lowering *l, CXCursor cursor)
{
	return lower_infix(l, cursor, NODE_BINARY);
}

static struct node *lower_compound(struct lowering *l, CXCursor cursor)
{
	return lower_infix(l, cursor, NODE_COMPOUND);
}

static struct node *lower_unary(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(l, cursor);
	enum operation operation = OP_NONE;

	if (children.n == 1 && lower_start(children.cursor[0]) > lower_start(cursor))
		operation = find(lower_token(l, lower_start(cursor)), OP_MINUS, OP_PRE_DECREMENT);
	else if (children.n == 1)
		operation = find(lower_token(l, lower_end(children.cursor[0])), OP_POST_INCREMENT, OP_POST_DECREMENT);
	if (operation == OP_NONE) {
		free(children.cursor);
		return lower_unsupported(l, cursor, NULL);
	}
	struct node *node = lower_all(l, cursor, NODE_UNARY, &children);

	node->operation = operation;
	return node;
}

/* The rest. */

static struct node *lower_literal(struct lowering *l, CXCursor cursor)
{
	CXEvalResult result = libclang.Cursor_Evaluate(cursor);
	struct node *node = lower_node(l, cursor, NODE_CONSTANT);

	if (!result || libclang.EvalResult_getKind(result) != CXEval_Int)
		node = lower_unsupported(l, cursor, NULL);
	else if (libclang.EvalResult_isUnsignedInt(result))
		node->bits = (int64_t)libclang.EvalResult_getAsUnsigned(result);
	else
		node->bits = libclang.EvalResult_getAsLongLong(result);
	if (result)
		libclang.EvalResult_dispose(result);
	return node;
}

static struct node *lower_string(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_node(l, cursor, NODE_TEXT);

	node->text = lower_text(l, libclang.getCursorSpelling(cursor));
	return node;
}

static struct node *lower_name(struct lowering *l, CXCursor cursor)
{
	CXCursor to = libclang.getCursorReferenced(cursor);
	enum CXCursorKind kind = libclang.getCursorKind(to);
	struct node *node;

	if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) {
		node = lower_node(l, cursor, NODE_NAME);
		node->symbol = lower_symbol(l, to);
		return node;
	}
	if (kind != CXCursor_EnumConstantDecl)
		return lower_unsupported(l, cursor,
		        kind == CXCursor_FunctionDecl ? "a function's address: call the function by its name" : NULL);
	node = lower_node(l, cursor, NODE_CONSTANT);
	node->bits = libclang.getEnumConstantDeclValue(to);
	return node;
}

static struct node *lower_parentheses(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(l, cursor);
	struct node *node = children.n == 1 ? lower(l, children.cursor[0]) : lower_unsupported(l, cursor, NULL);

	free(children.cursor);
	return node;
}

static struct node *lower_subscript(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_n(l, cursor, NODE_SUBSCRIPT, 2);

	if (node->n_children == 2 && node->children[0]->type.kind == TYPE_INTEGER) {
		struct node *index = node->children[0]; /* 3[a] */

		node->children[0] = node->children[1];
		node->children[1] = index;
	}
	return node;
}

/* A structure or union without a name within another; later versions of libclang name it by its place. */
static bool is_anonymous(CXCursor cursor)
{
	CXString string = libclang.getCursorSpelling(cursor);
	const char *name = libclang.getCString(string);
	bool is_named = name && *name && !strchr(name, '(');

	libclang.disposeString(string);
	return !is_named && libclang.getCursorKind(cursor) == CXCursor_MemberRefExpr;
}

/* libclang leaves out one member without a name around the member, and lower_member() the others: the place is that in
 * the structure of the base. */
static int64_t place_of_member(CXCursor base, const char *name)
{
	CXType type = libclang.getCanonicalType(libclang.getCursorType(base));
	long long bits;

	if (type.kind == CXType_Pointer)
		type = libclang.getPointeeType(type);
	else if (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray)
		type = libclang.getArrayElementType(type);
	bits = libclang.Type_getOffsetOf(libclang.getCanonicalType(type), name);
	return bits > 0 ? bits / 8 : 0;
}

static struct node *lower_member(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(l, cursor);
	bool is_bit_field = libclang.Cursor_isBitField(libclang.getCursorReferenced(cursor));
	struct node *node;
	CXCursor base;

	while (children.n == 1 && is_anonymous(base = children.cursor[0])) {
		free(children.cursor);
		children = lower_children(l, base);
	}
	if (is_bit_field || children.n != 1) {
		free(children.cursor);
		return lower_unsupported(l, cursor, is_bit_field ? "a bit field: use shifts and masks" : NULL);
	}
	node = lower_all(l, cursor, NODE_MEMBER, &children);
	node->text = lower_text(l, libclang.getCursorSpelling(cursor));
	node->bits = place_of_member(base, node->text);
	return node;
}

static struct node *lower_call(struct lowering *l, CXCursor cursor)
{
	CXCursor callee = libclang.getCursorReferenced(cursor);
	int n = libclang.Cursor_getNumArguments(cursor);
	struct cursors arguments = { 0 };
	struct node *node;

	if (libclang.getCursorKind(callee) != CXCursor_FunctionDecl)
		return lower_unsupported(l, cursor, "a call through a pointer: call the function by its name");
	for (int i = 0; i < n; i++)
		lower_append(&arguments, libclang.Cursor_getArgument(cursor, (unsigned)i));
	if (arguments.failed)
		l->status = fail(GPUCRYPT_OTHER, "out of memory");
	node = lower_all(l, cursor, NODE_CALL, &arguments);
	node->function = lower_function(l, callee);
	return node;
}

/* Written and implicit conversions. */
static struct node *lower_cast(struct lowering *l, CXCursor cursor)
{
	return lower_n(l, cursor, NODE_CAST, 1);
}

/* x ?: y */
static struct node *lower_short_choice(struct lowering *l, CXCursor cursor, struct cursors *children)
{
	struct cursors three = { 0 };
	struct node *node;

	lower_append(&three, children->cursor[0]);
	lower_append(&three, children->cursor[0]);
	lower_append(&three, children->cursor[children->n - 1]);
	free(children->cursor);
	node = lower_all(l, cursor, NODE_CHOICE, &three);
	node->bits = 1;
	return node;
}

/* What libclang does not expose is an implicit conversion if it has one child, else x ?: y, or a constant such as
 * offsetof. */
static struct node *lower_unexposed(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(l, cursor);

	if (children.n == 1)
		return lower_all(l, cursor, NODE_CAST, &children);
	if (children.n > 1 && *lower_token(l, lower_end(children.cursor[0])) == '?')
		return lower_short_choice(l, cursor, &children);
	free(children.cursor);
	return lower_literal(l, cursor);
}

static struct node *lower_choice(struct lowering *l, CXCursor cursor)
{
	return lower_n(l, cursor, NODE_CHOICE, 3);
}

/* ({ … }) */
static struct node *lower_statements(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_n(l, cursor, NODE_STATEMENTS, 1);

	if (node->n_children == 1) {
		node->n_children = node->children[0]->n_children;
		node->children = node->children[0]->children;
	}
	return node;
}

static const struct {
	enum CXCursorKind kind;
	struct node *(*lower)(struct lowering *lowering, CXCursor cursor);
} expressions[] = {
	{ CXCursor_UnexposedExpr, lower_unexposed },
	{ CXCursor_CStyleCastExpr, lower_cast },
	{ CXCursor_CompoundLiteralExpr, lower_object },
	{ CXCursor_StmtExpr, lower_statements },
	{ CXCursor_ParenExpr, lower_parentheses },
	{ CXCursor_DeclRefExpr, lower_name },
	{ CXCursor_IntegerLiteral, lower_literal },
	{ CXCursor_CharacterLiteral, lower_literal },
	{ CXCursor_UnaryExpr, lower_literal }, /* sizeof and _Alignof */
	{ CXCursor_StringLiteral, lower_string },
	{ CXCursor_BinaryOperator, lower_binary },
	{ CXCursor_CompoundAssignOperator, lower_compound },
	{ CXCursor_UnaryOperator, lower_unary },
	{ CXCursor_ConditionalOperator, lower_choice },
	{ CXCursor_ArraySubscriptExpr, lower_subscript },
	{ CXCursor_MemberRefExpr, lower_member },
	{ CXCursor_CallExpr, lower_call },
	{ CXCursor_InitListExpr, lower_list },
};

#define N_EXPRESSIONS (sizeof expressions / sizeof *expressions)

struct node *lower(struct lowering *l, CXCursor cursor)
{
	enum CXCursorKind kind = libclang.getCursorKind(cursor);
	struct node *node = NULL;

	if (l->status != GPUCRYPT_OK)
		return lower_unsupported(l, cursor, "");
	if (l->depth == MAX_DEPTH) {
		l->status = fail_at(lower_node(l, cursor, NODE_BLOCK), GPUCRYPT_UNKNOWN,
		        "nested more than %d levels deep", MAX_DEPTH);
		return lower_unsupported(l, cursor, "");
	}
	l->depth++;
	for (size_t i = 0; i < N_EXPRESSIONS && !node; i++)
		if (expressions[i].kind == kind)
			node = expressions[i].lower(l, cursor);
	if (!node)
		node = lower_statement(l, cursor);
	if (!node)
		node = lower_unsupported(l, cursor, NULL);
	l->depth--;
	return node;
}
