/* Initial values in braces: where each of them goes. */
#include <string.h>

#include "ppf/analysis/lower.h"

#define MAX_ELEMENTS 65536

/* .member = value, [index] = value, [first ... last] = value, or a value alone. */
struct designation {
	struct cursors members, expressions;
	bool is_index;
	int64_t first, last; /* is_index */
	CXCursor value;
};

static enum CXChildVisitResult sort_part(CXCursor cursor, CXCursor parent, CXClientData self)
{
	struct designation *to = self;

	(void)parent;
	if (libclang.getCursorKind(cursor) == CXCursor_MemberRef)
		lower_append(&to->members, cursor);
	else if (libclang.isExpression(libclang.getCursorKind(cursor)))
		lower_append(&to->expressions, cursor);
	return CXChildVisit_Continue;
}

/* false: designators of several levels, or an index that is no constant. */
static bool find_designation(struct lowering *l, struct designation *to, CXCursor cursor)
{
	unsigned n;

	*to = (struct designation){ .value = cursor };
	if (libclang.getCursorKind(cursor) != CXCursor_UnexposedExpr)
		return true;
	libclang.visitChildren(cursor, sort_part, to);
	n = to->expressions.n;
	to->is_index = *lower_token(l, lower_start(cursor)) == '[';
	if (to->members.n == 0 && !to->is_index)
		return true;
	if (n > 0)
		to->value = to->expressions.cursor[n - 1];
	if (to->is_index)
		return to->members.n == 0 && (n == 2 || n == 3) &&
		       lower_evaluate(&to->first, to->expressions.cursor[0]) &&
		       lower_evaluate(&to->last, to->expressions.cursor[n - 2]) && to->first >= 0 &&
		       to->first <= to->last;
	return to->members.n == 1 && n == 1;
}

/* Values for the members of an aggregate without braces of their own. */
static bool lacks_braces(const struct node *value, const struct type *type)
{
	return (type->kind == TYPE_ARRAY || type->kind == TYPE_RECORD) && value->type.kind != type->kind &&
	       value->kind != NODE_LIST && value->kind != NODE_TEXT;
}

/* The children stand at their indices. */
static bool lower_elements(struct lowering *l, struct node *node, const struct cursors *children)
{
	uint64_t n = node->type.target_bytes > 0 ? node->type.bytes / node->type.target_bytes : 0;
	struct node *zero = tree_allocate(sizeof *zero);
	int64_t next = 0;

	*zero = (struct node){ .kind = NODE_CONSTANT,
		.type = { .kind = TYPE_INTEGER, .is_signed = true, .bytes = 4 },
		.text = "",
		.file = node->file,
		.line = node->line };
	if (n > MAX_ELEMENTS)
		return false;
	node->places = tree_allocate(sizeof *node->places);
	node->places->type = *node->type.target;
	node->children = tree_allocate((size_t)(n + 1) * sizeof *node->children);
	for (uint64_t i = 0; i < n; i++)
		node->children[i] = zero;
	for (unsigned i = 0; i < children->n; i++) {
		struct designation to;
		struct node *value;

		if (!find_designation(l, &to, children->cursor[i]) || to.members.n > 0)
			return false;
		value = lower(l, to.value);
		if (lacks_braces(value, node->type.target))
			return false;
		if (!to.is_index)
			to.first = to.last = next;
		for (next = to.first; next <= to.last && (uint64_t)next < n; next++)
			node->children[next] = value;
		if ((uint64_t)next <= n && next > node->n_children)
			node->n_children = (unsigned)next;
	}
	return true;
}

static void put_member(struct node *node, unsigned number, struct node *value)
{
	const struct member *member = &node->type.record->members[number];

	node->places[node->n_children] = (struct initial_place){ member->at, member->type, number };
	node->children[node->n_children++] = value;
}

static unsigned member_of(const struct record *record, CXCursor reference)
{
	const char *name = lower_text(libclang.getCursorSpelling(reference));
	unsigned i = 0;

	while (i < record->n_members && strcmp(record->members[i].name, name) != 0)
		i++;
	return i;
}

/* A structure or union: the children are in the order of the source. */
static bool lower_members(struct lowering *l, struct node *node, const struct cursors *children)
{
	const struct record *record = node->type.record;

	node->children = tree_allocate((children->n + 1) * sizeof *node->children);
	node->places = tree_allocate((children->n + 1) * sizeof *node->places);
	for (unsigned i = 0, next = 0; i < children->n; i++, next++) {
		struct designation to;
		struct node *value;

		if (!find_designation(l, &to, children->cursor[i]) || to.is_index)
			return false;
		if (to.members.n == 1)
			next = member_of(record, to.members.cursor[0]);
		if (next >= record->n_members || type_is_bit_field(&record->members[next].type))
			return false;
		value = lower(l, to.value);
		if (lacks_braces(value, &record->members[next].type))
			return false;
		put_member(node, next, value);
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
	if (node->type.kind == TYPE_ARRAY ? lower_elements(l, node, &children) : lower_members(l, node, &children))
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
