/* Initial values in braces: where each of them goes. */
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/analysis/lower.h"

#define MAX_ELEMENTS 65536

/* .member = value, [index] = value, [first ... last] = value, or a value alone. */
struct designation {
	struct cursors members, expressions;
	bool is_index;
	long long first, last; /* is_index */
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

static bool evaluate(long long *value, CXCursor cursor)
{
	CXEvalResult result = libclang.Cursor_Evaluate(cursor);
	bool is_integer = result && libclang.EvalResult_getKind(result) == CXEval_Int;

	if (is_integer)
		*value = libclang.EvalResult_getAsLongLong(result);
	if (result)
		libclang.EvalResult_dispose(result);
	return is_integer;
}

/* false: designators of several levels, or an index that is no constant. */
static bool find_designation(struct lowering *l, struct designation *to, CXCursor cursor)
{
	bool is_unexposed = libclang.getCursorKind(cursor) == CXCursor_UnexposedExpr;
	unsigned n;

	*to = (struct designation){ .value = cursor };
	if (!is_unexposed)
		return true;
	libclang.visitChildren(cursor, sort_part, to);
	n = to->expressions.n;
	to->is_index = *lower_token(l, lower_start(cursor)) == '[';
	if (to->members.n == 0 && !to->is_index)
		return true;
	if (n > 0)
		to->value = to->expressions.cursor[n - 1];
	if (to->is_index)
		return to->members.n == 0 && (n == 2 || n == 3) && evaluate(&to->first, to->expressions.cursor[0]) &&
		       evaluate(&to->last, to->expressions.cursor[n - 2]) && to->first >= 0 && to->first <= to->last;
	return to->members.n == 1 && n == 1;
}

static void free_designation(struct designation *designation)
{
	free(designation->members.cursor);
	free(designation->expressions.cursor);
}

/* Values for the members of an aggregate without braces of their own. */
static bool lacks_braces(const struct node *value, const struct type *type)
{
	return (type->kind == TYPE_ARRAY || type->kind == TYPE_RECORD) && value->type.kind != type->kind &&
	       value->kind != NODE_LIST && value->kind != NODE_TEXT;
}

/* Arrays. */

static void put_elements(struct lowering *l, struct node *node, struct designation *to, unsigned *next, uint64_t n)
{
	struct node *value = lower(l, to->value);

	if (!to->is_index)
		to->first = to->last = *next;
	for (long long i = to->first; i <= to->last && (uint64_t)i < n; i++)
		node->children[i] = value;
	*next = (unsigned)to->last + 1;
	if (*next > node->n_children)
		node->n_children = *next <= n ? *next : (unsigned)n;
}

static bool lower_elements(struct lowering *l, struct node *node, const struct cursors *children)
{
	struct node *zero = unit_allocate(l->unit, sizeof *zero);
	uint64_t n = node->type.target_bytes > 0 ? node->type.bytes / node->type.target_bytes : 0;
	unsigned next = 0;
	bool understood = n <= MAX_ELEMENTS;

	node->children = understood ? unit_allocate(l->unit, (size_t)(n + 1) * sizeof *node->children) : NULL;
	if (!zero || !node->children)
		return false;
	*zero = *node;
	zero->kind = NODE_CONSTANT;
	zero->type = (struct type){ .kind = TYPE_INTEGER, .is_signed = true, .bytes = 4 };
	for (uint64_t i = 0; i < n; i++)
		node->children[i] = zero;
	for (unsigned i = 0; i < children->n && understood && l->status == GPUCRYPT_OK; i++) {
		struct designation designation;

		understood = find_designation(l, &designation, children->cursor[i]) && designation.members.n == 0;
		if (understood)
			put_elements(l, node, &designation, &next, n);
		free_designation(&designation);
	}
	for (unsigned i = 0; i < node->n_children && understood; i++)
		understood = node->children[i] == zero || !lacks_braces(node->children[i], &node->places->type);
	return understood;
}

/* Structures and unions. */

static unsigned index_of(const struct cursors *fields, CXCursor field)
{
	unsigned i = 0;

	while (i < fields->n && !libclang.equalCursors(fields->cursor[i], field))
		i++;
	return i;
}

static bool put_member(
        struct lowering *l, struct node *node, const struct cursors *fields, unsigned member, CXCursor value)
{
	struct initial_place *place = &node->places[node->n_children];
	CXCursor field = fields->cursor[member];
	long long bits = libclang.Cursor_getOffsetOfField(field);

	*place = (struct initial_place){ bits / 8, lower_type(l, libclang.getCursorType(field)), member };
	node->children[node->n_children] = lower(l, value);
	return bits >= 0 && !libclang.Cursor_isBitField(field) &&
	       !lacks_braces(node->children[node->n_children++], &place->type);
}

/* Members that are left out are zero. */
static void put_zero(struct lowering *l, struct node *node, const struct cursors *fields, unsigned member)
{
	struct node *zero = unit_allocate(l->unit, sizeof *zero);
	CXCursor field = fields->cursor[member];
	long long bits = libclang.Cursor_getOffsetOfField(field);
	struct type type = lower_type(l, libclang.getCursorType(field));

	for (unsigned i = 0; i < node->n_children; i++)
		if (node->places[i].at == bits / 8)
			return;
	if (!zero || type.kind == TYPE_OTHER || type.kind == TYPE_RECORD)
		return;
	*zero = *node;
	zero->kind = type.kind == TYPE_ARRAY ? NODE_LIST : NODE_CONSTANT;
	zero->type = type;
	zero->children = NULL;
	zero->n_children = 0;
	zero->bits = 0;
	zero->places = type.kind == TYPE_ARRAY ? unit_allocate(l->unit, sizeof *zero->places) : NULL;
	if (zero->places && type.target)
		zero->places->type = *type.target;
	node->places[node->n_children] = (struct initial_place){ bits / 8, type, member };
	node->children[node->n_children++] = zero;
}

static bool lower_members(
        struct lowering *l, struct node *node, const struct cursors *fields, const struct cursors *children)
{
	unsigned next = 0;
	bool understood = true;

	node->children = unit_allocate(l->unit, (children->n + fields->n + 1) * sizeof *node->children);
	node->places = unit_allocate(l->unit, (children->n + fields->n + 1) * sizeof *node->places);
	if (!node->children || !node->places)
		return false;
	for (unsigned i = 0; i < children->n && understood && l->status == GPUCRYPT_OK; i++) {
		struct designation designation;

		understood = find_designation(l, &designation, children->cursor[i]) && !designation.is_index;
		if (designation.members.n == 1)
			next = index_of(fields, libclang.getCursorReferenced(designation.members.cursor[0]));
		understood = understood && next < fields->n && put_member(l, node, fields, next++, designation.value);
		free_designation(&designation);
	}
	for (unsigned i = 0; i < fields->n && understood; i++)
		put_zero(l, node, fields, i);
	return understood;
}

static bool lower_record(struct lowering *l, struct node *node, CXType type, const struct cursors *children)
{
	struct cursors fields = lower_fields(type);
	bool understood = lower_members(l, node, &fields, children);

	free(fields.cursor);
	return understood;
}

static bool lower_array(struct lowering *l, struct node *node, const struct cursors *children)
{
	node->places = unit_allocate(l->unit, sizeof *node->places);
	if (!node->places || !node->type.target)
		return false;
	node->places->type = *node->type.target;
	return lower_elements(l, node, children);
}

struct node *lower_list(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(l, cursor);
	struct node *node = lower_node(l, cursor, NODE_LIST);
	bool understood;

	if (node->type.kind != TYPE_ARRAY && node->type.kind != TYPE_RECORD)
		return lower_all(l, cursor, NODE_LIST, &children);
	understood = node->type.kind == TYPE_ARRAY ? lower_array(l, node, &children)
	                                           : lower_record(l, node, libclang.getCursorType(cursor), &children);
	free(children.cursor);
	return understood
	               ? node
	               : lower_unsupported(l, cursor, "initial values: give each array and structure its own braces");
}

struct node *lower_object(struct lowering *l, CXCursor cursor)
{
	struct cursors children = lower_children(l, cursor);
	struct node *node = lower_node(l, cursor, NODE_OBJECT);
	struct symbol *symbol = unit_allocate(l->unit, sizeof *symbol);

	if (symbol && children.n > 0) {
		*symbol = (struct symbol){ .name = "(compound literal)",
			.number = l->unit->n_symbols++,
			.type = node->type,
			.storage = STORAGE_AUTOMATIC,
			.initial = lower(l, children.cursor[children.n - 1]) };
		node->symbol = symbol;
	} else {
		node = lower_unsupported(l, cursor, NULL);
	}
	free(children.cursor);
	return node;
}
