/* Initial values in braces: where each of them goes. */
#include <string.h>

#include "ppf/analysis/lower.h"

#define MAX_ELEMENTS 65536

/* .member = value, [index] = value, [first ... last] = value, or a value alone. */
struct designation {
	int64_t first, last; /* members or elements; first -1: the next one */
	CXCursor value;
};

struct parts {
	struct cursors members, expressions;
};

static enum CXChildVisitResult sort_part(CXCursor cursor, CXCursor parent, CXClientData self)
{
	struct parts *to = self;

	(void)parent;
	if (libclang.getCursorKind(cursor) == CXCursor_MemberRef)
		lower_append(&to->members, cursor);
	else if (libclang.isExpression(libclang.getCursorKind(cursor)))
		lower_append(&to->expressions, cursor);
	return CXChildVisit_Continue;
}

static unsigned member_of(const struct record *record, CXCursor reference)
{
	const char *name = lower_text(libclang.getCursorSpelling(reference));
	unsigned i = 0;

	while (i < record->n_members && strcmp(record->members[i].name, name) != 0)
		i++;
	return i;
}

/* record: NULL: of an array.  false: designators of several levels, or an index that is no constant. */
static bool find_designation(struct lowering *l, struct designation *to, const struct record *record, CXCursor cursor)
{
	struct parts parts = { 0 };
	CXCursor *expression;
	unsigned n;
	bool is_index;

	*to = (struct designation){ -1, -1, cursor };
	if (libclang.getCursorKind(cursor) != CXCursor_UnexposedExpr)
		return true;
	libclang.visitChildren(cursor, sort_part, &parts);
	expression = parts.expressions.cursor;
	n = parts.expressions.n;
	is_index = *lower_token(l, lower_start(cursor)) == '[';
	if (parts.members.n == 0 && !is_index)
		return true;
	if (n > 0)
		to->value = expression[n - 1];
	if (is_index)
		return !record && parts.members.n == 0 && (n == 2 || n == 3) &&
		       lower_evaluate(&to->first, expression[0]) && lower_evaluate(&to->last, expression[n - 2]) &&
		       to->first >= 0 && to->first <= to->last;
	if (!record || parts.members.n != 1 || n != 1)
		return false;
	to->first = to->last = member_of(record, parts.members.cursor[0]);
	return true;
}

/* Values for the members of an aggregate without braces of their own. */
static bool lacks_braces(const struct node *value, const struct type *type)
{
	return (type->kind == TYPE_ARRAY || type->kind == TYPE_RECORD) && value->type.kind != type->kind &&
	       value->kind != NODE_LIST && value->kind != NODE_TEXT;
}

/* The children stand at the numbers of their elements or members.  An element without a value is zero. */
static bool lower_values(struct lowering *l, struct node *node, CXCursor cursor, const struct cursors *children)
{
	const struct type *type = &node->type;
	const struct record *record = type->record;
	int64_t n = record                   ? record->n_members
	            : type->target_bytes > 0 ? (int64_t)(type->bytes / type->target_bytes)
	                                     : 0,
	        next = 0;
	struct node *zero = lower_node(l, cursor, NODE_CONSTANT);

	if (n > MAX_ELEMENTS)
		return false;
	zero->type = (struct type){ .kind = TYPE_INTEGER, .is_signed = true, .bytes = 4 };
	node->children = tree_allocate((size_t)(n + 1) * sizeof *node->children);
	for (int64_t i = 0; !record && i < n; i++)
		node->children[i] = zero;
	for (unsigned i = 0; i < children->n; i++) {
		struct designation to;
		struct node *value;

		if (!find_designation(l, &to, record, children->cursor[i]))
			return false;
		if (to.first < 0)
			to.first = to.last = next;
		if (record && (to.first >= n || type_is_bit_field(&record->members[to.first].type)))
			return false;
		value = lower(l, to.value);
		if (lacks_braces(value, type_of_part(type, to.first)))
			return false;
		for (next = to.first; next <= to.last && next < n; next++)
			node->children[next] = value;
		if (next <= n && next > node->n_children)
			node->n_children = (unsigned)next;
	}
	return true;
}

struct node *lower_list(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(cursor);
	struct node *node = lower_node(l, cursor, NODE_LIST);

	if (node->type.kind != TYPE_ARRAY && node->type.kind != TYPE_RECORD && children.n == 1)
		return lower(l, children.cursor[0]);
	if (node->type.kind != TYPE_ARRAY && node->type.kind != TYPE_RECORD)
		return lower_unsupported(l, cursor, NULL);
	if (lower_values(l, node, cursor, &children))
		return node;
	return lower_unsupported(l, cursor, "initial values: give each array and structure its own braces");
}

struct node *lower_object(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(cursor);
	struct node *node = lower_node(l, cursor, NODE_OBJECT);

	if (children.n == 0)
		return lower_unsupported(l, cursor, NULL);
	node->symbol = tree_allocate(sizeof *node->symbol);
	*node->symbol = (struct symbol){ .name = "(compound literal)",
		.number = l->unit->n_symbols++,
		.type = node->type,
		.storage = STORAGE_AUTOMATIC,
		.initial = lower(l, children.cursor[children.n - 1]) };
	return node;
}
