/* Expressions. */
#include "ppf/analysis/lower.h"

#include <string.h>

#define MAX_DEPTH 500
#define EXTENSION "__extension__" /* a prefix of an expression without effect */

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

/* libclang 14 does not name operators; they stand behind the left operand, before the only one, or behind that. */
static struct node *lower_operator(struct lowering *l, CXCursor cursor)
{
	enum CXCursorKind kind = libclang.getCursorKind(cursor);
	bool is_unary = kind == CXCursor_UnaryOperator, is_prefix;
	struct cursors children = lower_children(cursor);
	enum operation operation;
	struct node *node;
	const char *token;

	if (children.n != (is_unary ? 1 : 2))
		return lower_unsupported(l, cursor, NULL);
	is_prefix = is_unary && lower_start(children.cursor[0]) > lower_start(cursor);
	token = lower_token(l, is_prefix ? lower_start(cursor) : lower_end(children.cursor[0]));
	if (is_prefix && !strncmp(token, EXTENSION, strlen(EXTENSION)))
		return lower(l, children.cursor[0]);
	operation = find(token,
	        is_prefix  ? OP_MINUS
	        : is_unary ? OP_POST_INCREMENT
	                   : OP_ADD,
	        is_prefix  ? OP_PRE_DECREMENT
	        : is_unary ? OP_POST_DECREMENT
	                   : OP_ASSIGN);
	if (operation == OP_NONE)
		return lower_unsupported(l, cursor, NULL);
	node = lower_all(l, cursor,
	        is_unary                                  ? NODE_UNARY
	        : kind == CXCursor_CompoundAssignOperator ? NODE_COMPOUND
	                                                  : NODE_BINARY,
	        &children);
	node->operation = operation;
	return node;
}

/* The rest. */

static struct node *lower_literal(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_node(l, cursor, NODE_CONSTANT);

	return lower_evaluate(&node->bits, cursor) ? node : lower_unsupported(l, cursor, NULL);
}

static struct node *lower_string(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_node(l, cursor, NODE_TEXT);

	node->text = lower_text(libclang.getCursorSpelling(cursor));
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
	struct cursors children = lower_children(cursor);

	return children.n == 1 ? lower(l, children.cursor[0]) : lower_unsupported(l, cursor, NULL);
}

static struct node *lower_subscript(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_some(l, cursor, NODE_SUBSCRIPT, 2, 2);

	if (node->n_children == 2 && node->children[0]->type.kind == TYPE_INTEGER) {
		struct node *index = node->children[0]; /* 3[a] */

		node->children[0] = node->children[1];
		node->children[1] = index;
	}
	return node;
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

/* Contexts of several ciphers may share a union, of which a cipher uses one structure. */
static void note_alternative(const struct node *node)
{
	const struct type *layout = type_layout(&node->children[0]->type);
	struct record *record = layout ? (struct record *)(uintptr_t)layout->record : NULL;

	for (unsigned i = 0; record && record->is_union && i < record->n_members; i++)
		if (strcmp(record->members[i].name, node->text) == 0 && record->alternative != &record->members[i]) {
			bool only = record->n_named++ == 0 && node->type.kind == TYPE_RECORD;
			record->alternative = only ? &record->members[i] : NULL;
		}
}

static struct node *lower_member(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(cursor);
	struct node *node;
	CXCursor base;

	while (children.n == 1 && libclang.getCursorKind(base = children.cursor[0]) == CXCursor_MemberRefExpr &&
	        *lower_name_of(base) == '\0')
		children = lower_children(base);
	if (libclang.Cursor_isBitField(libclang.getCursorReferenced(cursor)))
		return lower_unsupported(l, cursor, "a bit field: use shifts and masks");
	if (children.n != 1)
		return lower_unsupported(l, cursor, NULL);
	node = lower_all(l, cursor, NODE_MEMBER, &children);
	node->text = lower_text(libclang.getCursorSpelling(cursor));
	node->bits = place_of_member(base, node->text);
	note_alternative(node);
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
	node = lower_all(l, cursor, NODE_CALL, &arguments);
	node->function = lower_function(l, callee);
	return node;
}

/* What libclang does not expose is an implicit conversion if it has one child, else x ?: y, or a constant such as
 * offsetof. */
static struct node *lower_unexposed(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(cursor);
	struct node *node;

	if (children.n == 1)
		return lower_all(l, cursor, NODE_CAST, &children);
	if (children.n < 2 || *lower_token(l, lower_end(children.cursor[0])) != '?')
		return lower_literal(l, cursor);
	node = lower_all(l, cursor, NODE_CHOICE,
	        &(struct cursors){
	                (CXCursor[]){ children.cursor[0], children.cursor[0], children.cursor[children.n - 1] }, 3,
	                3 });
	node->bits = 1;
	return node;
}

/* ({ … }) */
static struct node *lower_statements(struct lowering *l, CXCursor cursor)
{
	struct node *node = lower_some(l, cursor, NODE_STATEMENTS, 1, 1);

	if (node->n_children == 1) {
		node->n_children = node->children[0]->n_children;
		node->children = node->children[0]->children;
	}
	return node;
}

static const struct lower_rule expressions[] = {
	{ CXCursor_UnexposedExpr, .lower = lower_unexposed },
	{ CXCursor_CStyleCastExpr, NULL, NODE_CAST, 1, 1, NULL },
	{ CXCursor_CompoundLiteralExpr, .lower = lower_object },
	{ CXCursor_StmtExpr, .lower = lower_statements },
	{ CXCursor_ParenExpr, .lower = lower_parentheses },
	{ CXCursor_DeclRefExpr, .lower = lower_name },
	{ CXCursor_IntegerLiteral, .lower = lower_literal },
	{ CXCursor_CharacterLiteral, .lower = lower_literal },
	{ CXCursor_UnaryExpr, .lower = lower_literal }, /* sizeof and _Alignof */
	{ CXCursor_StringLiteral, .lower = lower_string },
	{ CXCursor_BinaryOperator, .lower = lower_operator },
	{ CXCursor_CompoundAssignOperator, .lower = lower_operator },
	{ CXCursor_UnaryOperator, .lower = lower_operator },
	{ CXCursor_ConditionalOperator, NULL, NODE_CHOICE, 3, 3, NULL },
	{ CXCursor_ArraySubscriptExpr, .lower = lower_subscript },
	{ CXCursor_MemberRefExpr, .lower = lower_member },
	{ CXCursor_CallExpr, .lower = lower_call },
	{ CXCursor_InitListExpr, .lower = lower_list },
	{ CXCursor_GenericSelectionExpr, .text = "_Generic: choose the expression by -D" },
};

static const struct lower_rule *rule_of(CXCursor cursor)
{
	enum CXCursorKind kind = libclang.getCursorKind(cursor);

	for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++)
		if (expressions[i].cursor == kind)
			return &expressions[i];
	return lower_statement_rule(kind);
}

/* Variables, results and conversions too, which have no literal. */
static bool is_floating(CXCursor cursor)
{
	enum CXTypeKind kind = libclang.getCanonicalType(libclang.getCursorType(cursor)).kind;

	return (kind >= CXType_Float && kind <= CXType_LongDouble) ||
	       (kind >= CXType_Float128 && kind <= CXType_Float16);
}

struct node *lower(struct lowering *l, CXCursor cursor)
{
	const struct lower_rule *rule = rule_of(cursor);
	struct node *node;

	if (++l->depth > MAX_DEPTH)
		fail_at(lower_node(l, cursor, NODE_BLOCK), "nested more than %d levels deep", MAX_DEPTH);
	if (is_floating(cursor))
		node = lower_unsupported(l, cursor, "a floating-point number: use integers");
	else if (!rule || rule->text)
		node = lower_unsupported(l, cursor, rule ? rule->text : NULL);
	else if (rule->lower)
		node = rule->lower(l, cursor);
	else
		node = lower_some(l, cursor, rule->kind, rule->least, rule->most);
	l->depth--;
	return node;
}
