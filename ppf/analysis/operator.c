/* Operators: folded or counted. */
#include <string.h>

#include "ppf/analysis/count.h"
#include "ppf/analysis/fold.h"

static const enum operator_class classes[] = { [OP_ADD] = OPERATOR_ADD,
	[OP_SUB] = OPERATOR_ADD,
	[OP_MUL] = OPERATOR_MUL,
	[OP_DIV] = OPERATOR_MUL,
	[OP_REM] = OPERATOR_MUL,
	[OP_AND] = OPERATOR_LOGIC,
	[OP_OR] = OPERATOR_LOGIC,
	[OP_XOR] = OPERATOR_LOGIC,
	[OP_SHL] = OPERATOR_SHIFT,
	[OP_SHR] = OPERATOR_SHIFT,
	[OP_LT] = OPERATOR_COMPARE,
	[OP_GT] = OPERATOR_COMPARE,
	[OP_LE] = OPERATOR_COMPARE,
	[OP_GE] = OPERATOR_COMPARE,
	[OP_EQ] = OPERATOR_COMPARE,
	[OP_NE] = OPERATOR_COMPARE,
	[OP_LOGICAL_AND] = OPERATOR_LOGIC,
	[OP_LOGICAL_OR] = OPERATOR_LOGIC,
	[OP_MINUS] = OPERATOR_ADD,
	[OP_COMPLEMENT] = OPERATOR_LOGIC,
	[OP_NOT] = OPERATOR_COMPARE };

static const struct value unknown;

/* An operator on 64-bit integers is two on a device of 32-bit words; a shift by 32 only picks a word. */
static unsigned operator_words(
        const struct counter *counter, enum operation operation, const struct value *b, const struct type *type)
{
	bool picks_word = classes[operation] == OPERATOR_SHIFT && b->known && b->bits == 32;

	return counter->by_value && type->bytes > 4 && !picks_word ? 2 : 1;
}

static bool is_null(const struct value *value)
{
	return value->known && value->role == ROLE_NONE && value->bits == 0;
}

static struct value apply_to_pointers(enum operation operation, const struct node *left, const struct value *a,
        const struct node *right, const struct value *b)
{
	static const struct type signed_64 = { .kind = TYPE_INTEGER, .is_signed = true, .bytes = 8 };
	bool comparable = a->known && b->known && a->root && a->root == b->root;
	int64_t bits;

	if (operation == OP_ADD && place_is_address(&left->type))
		return place_shift(*a, b, 1, left->type.target_bytes);
	if (operation == OP_ADD)
		return place_shift(*b, a, 1, right->type.target_bytes);
	if (operation == OP_SUB && !place_is_address(&right->type))
		return place_shift(*a, b, -1, left->type.target_bytes);
	if ((operation == OP_EQ || operation == OP_NE) && ((a->root && is_null(b)) || (b->root && is_null(a))))
		return count_known(operation == OP_NE, &signed_64); /* an argument points somewhere */
	if (!comparable)
		return unknown;
	if (operation == OP_SUB)
		return left->type.target_bytes == 0
		               ? unknown
		               : count_known((a->bits - b->bits) / (int64_t)left->type.target_bytes, &signed_64);
	return fold_binary(&bits, operation, a->bits, b->bits, &signed_64) ? count_known(bits, &signed_64) : unknown;
}

/* Bits that are zero in the result; bits above the type's width are zero too. */
static uint64_t zeros_after(
        enum operation operation, const struct value *a, const struct value *b, const struct type *type)
{
	uint64_t above = type->bytes < 8 ? UINT64_MAX << 8 * type->bytes : 0;
	uint64_t mask = b->known ? ~(uint64_t)b->bits : a->known ? ~(uint64_t)a->bits : 0;

	if (operation == OP_AND)
		return a->zeros | b->zeros | mask;
	if ((operation != OP_SHR && operation != OP_SHL) || !b->known || b->bits < 0 || b->bits > 31)
		return operation == OP_OR || operation == OP_XOR ? a->zeros & b->zeros : 0;
	return operation == OP_SHR ? (a->zeros | above) >> b->bits | ~(UINT64_MAX >> b->bits)
	                           : a->zeros << b->bits | ((UINT64_C(1) << b->bits) - 1);
}

/* In a table's subscript, a shift right by a constant and a mask pick a field. */
static bool picks_field(struct counter *counter, enum operation operation, const struct value *a, const struct value *b)
{
	struct selection *selection = &counter->selection;

	if (!selection->active || !b->known || (operation != OP_SHR && operation != OP_AND))
		return false;
	if (operation == OP_SHR && (b->bits < 0 || b->bits > 63))
		return false; /* undefined (C11, 6.5.7) */
	if (!selection->picks)
		selection->word_zeros = a->zeros;
	selection->picks = true;
	if (operation == OP_SHR)
		selection->shift += (unsigned)b->bits;
	return true;
}

/* A counted operator's result. */
static struct value count_operator(struct counter *counter, enum operation operation, const struct value *a,
        const struct value *b, const struct type *operand)
{
	enum operator_class class = classes[operation];
	struct value value = { .flow = a->flow };
	unsigned words = operator_words(counter, operation, b, operand);

	counter->counts.operators[class] += words;
	if (picks_field(counter, operation, a, b))
		counter->counts.field_operators[class] += words;
	else
		value = count_result(counter, class == OPERATOR_LOGIC ? GRAPH_LOGIC : GRAPH_OTHER, a, b);
	value.zeros = zeros_after(operation, a, b, operand);
	return value;
}

/* No operator: in a table's subscript a narrower unsigned type picks a field. */
struct value operator_narrow(struct counter *counter, const struct node *node, struct value value)
{
	const struct type *from = &node->children[0]->type, *to = &node->type;
	const struct value mask = { .known = true };

	if (!from->is_signed && from->bytes < 8)
		value.zeros |= UINT64_MAX << 8 * from->bytes;
	if (!to->is_signed && to->bytes < from->bytes) {
		picks_field(counter, OP_AND, &value, &mask);
		value.zeros |= UINT64_MAX << 8 * to->bytes;
	}
	return (struct value){ .flow = value.flow, .zeros = value.zeros };
}

/* One operator on integers: folded or counted.  type: of the result; operand: of the operands. */
static struct value apply(struct counter *counter, const struct node *node, enum operation operation, struct value a,
        struct value b, const struct type *operand)
{
	enum shortcut shortcut = SHORTCUT_NONE;
	int64_t bits;

	if (operand->kind != TYPE_INTEGER) {
		count_fail(counter, node, "arithmetic on what is no integer of up to 64 bits");
		return unknown;
	}
	if (a.known && b.known)
		return fold_binary(&bits, operation, a.bits, b.bits, operand) ? count_known(bits, &node->type)
		                                                              : unknown;
	if (a.known)
		shortcut = fold_shortcut(operation, a.bits, true, operand);
	else if (b.known)
		shortcut = fold_shortcut(operation, b.bits, false, operand);
	if (shortcut == SHORTCUT_ZERO)
		return count_known(0, &node->type);
	if (shortcut == SHORTCUT_NONE)
		return count_operator(counter, operation, &a, &b, operand);
	return a.known ? b : a;
}

static struct value count_logical(struct counter *counter, const struct node *node)
{
	bool is_or = node->operation == OP_LOGICAL_OR;
	struct value value = count_expression(counter, node->children[0]);
	int left = count_truth(node->children[0], &value), right;

	if (left == is_or)
		return count_known(is_or, &node->type);
	counter->uncertain += left < 0;
	value = count_expression(counter, node->children[1]);
	counter->uncertain -= left < 0;
	right = count_truth(node->children[1], &value);
	if (left >= 0)
		return right < 0 ? unknown : count_known(right, &node->type);
	counter->counts.operators[classes[node->operation]]++;
	return count_result(counter, GRAPH_OTHER, &value, NULL);
}

static struct value count_assignment(struct counter *counter, const struct node *node)
{
	struct value value = count_expression(counter, node->children[1]);
	struct place place = place_find(counter, node->children[0]);

	place_store(counter, node->children[0], &place, value);
	return value;
}

/* The same text, without side effects? */
static bool nodes_equal(const struct node *a, const struct node *b)
{
	bool changes = a->kind == NODE_COMPOUND || a->kind == NODE_CALL || a->operation == OP_ASSIGN ||
	               a->operation >= OP_PRE_INCREMENT;

	if (a->kind != b->kind || a->operation != b->operation || a->symbol != b->symbol || a->bits != b->bits ||
	        a->n_children != b->n_children || changes)
		return false;
	if ((a->text == NULL) != (b->text == NULL) || (a->text != NULL && strcmp(a->text, b->text) != 0))
		return false;
	for (unsigned i = 0; i < a->n_children; i++)
		if (!nodes_equal(a->children[i], b->children[i]))
			return false;
	return true;
}

/* Returns the shift of a binary node by a known distance, left > 0, or 0. */
static int64_t shift_of(struct counter *counter, const struct node *node)
{
	struct value distance;

	if (node->kind != NODE_BINARY || (node->operation != OP_SHL && node->operation != OP_SHR) ||
	        node->children[0]->type.is_signed)
		return 0;
	distance = count_silently(counter, node->children[1]);
	if (!distance.known || distance.bits <= 0 || distance.bits > 63)
		return 0;
	return node->operation == OP_SHL ? distance.bits : -distance.bits;
}

static bool is_widening(const struct type *to, const struct type *from)
{
	return from->kind == TYPE_INTEGER && !from->is_signed && from->bytes <= to->bytes;
}

/* Is this a mask of all bits of its operand, whose type is unsigned? */
static bool keeps_all_bits(struct counter *counter, const struct node *node, const struct type *operand)
{
	uint64_t all = operand->bytes < 8 ? (UINT64_C(1) << 8 * operand->bytes) - 1 : UINT64_MAX;

	return node->operation == OP_AND && !operand->is_signed && node->children[1]->kind == NODE_CONSTANT &&
	       ((uint64_t)count_silently(counter, node->children[1]).bits & all) == all;
}

/* The node without conversions that keep the value, and masks of all its bits. */
static const struct node *core_of(struct counter *counter, const struct node *node)
{
	const struct node *inner;

	while (node->kind == NODE_CAST && is_widening(&node->type, &node->children[0]->type))
		node = node->children[0];
	if (node->kind != NODE_BINARY)
		return node;
	inner = core_of(counter, node->children[0]);
	return keeps_all_bits(counter, node, &inner->type) ? inner : node;
}

/* x << n | x >> (w - n), in either order: a rotation, whose operand is computed once.  Written with +, as in figure 6.2
 * of the dissertation, its operators are counted one by one. */
static const struct node *rotation_operand(struct counter *counter, const struct node *node)
{
	const struct node *left, *right, *x;
	int64_t a, b;

	if (node->operation != OP_OR && node->operation != OP_XOR)
		return NULL;
	left = core_of(counter, node->children[0]);
	right = core_of(counter, node->children[1]);
	a = shift_of(counter, left);
	b = shift_of(counter, right);
	if (a == 0 || b == 0 || (a > 0) == (b > 0))
		return NULL;
	x = core_of(counter, left->children[0]);
	if (x->type.kind != TYPE_INTEGER || x->type.is_signed || (a > 0 ? left : right)->type.bytes != x->type.bytes ||
	        (a > 0 ? a - b : b - a) != 8 * (int64_t)x->type.bytes)
		return NULL;
	return nodes_equal(x, core_of(counter, right->children[0])) ? x : NULL;
}

static struct value count_rotation(struct counter *counter, const struct node *node, const struct node *x)
{
	struct value value = count_expression(counter, x);
	int64_t left = shift_of(counter, core_of(counter, node->children[0])), width = 8 * (int64_t)x->type.bytes;
	uint64_t bits = (uint64_t)value.bits & UINT64_MAX >> (64 - width);

	if (value.known) {
		left = left > 0 ? left : left + width;
		return count_known((int64_t)(bits << left | bits >> (width - left)), &x->type);
	}
	counter->counts.operators[OPERATOR_ROTATE] += counter->by_value && x->type.bytes > 4 ? 2 : 1;
	value = count_result(counter, GRAPH_OTHER, &value, NULL);
	value.zeros = width < 64 ? UINT64_MAX << width : 0;
	return value;
}

struct value operator_binary(struct counter *counter, const struct node *node)
{
	const struct node *left = node->children[0], *right = node->children[1];
	const struct node *rotated = rotation_operand(counter, node);
	struct value a, b;

	if (rotated != NULL)
		return count_rotation(counter, node, rotated);

	if (node->operation == OP_LOGICAL_AND || node->operation == OP_LOGICAL_OR)
		return count_logical(counter, node);
	if (node->operation == OP_ASSIGN)
		return count_assignment(counter, node);
	a = count_expression(counter, left);
	b = count_expression(counter, right);
	if (node->operation == OP_COMMA)
		return b;
	if (place_is_address(&left->type) || place_is_address(&right->type))
		return apply_to_pointers(node->operation, left, &a, right, &b);
	return apply(counter, node, node->operation, a, b, &left->type);
}

/* The common type of the operands of a compound assignment (C11 6.3.1.8); for shifts, the left operand's. */
static struct type common_type(enum operation operation, const struct type *left, const struct type *right)
{
	static const struct type as_int = { .kind = TYPE_INTEGER, .is_signed = true, .bytes = 4 };
	struct type a = left->kind == TYPE_INTEGER && left->bytes < 4 ? as_int : *left;
	struct type b = right->kind == TYPE_INTEGER && right->bytes < 4 ? as_int : *right;

	if (operation == OP_SHL || operation == OP_SHR || b.bytes < a.bytes)
		return a;
	if (b.bytes == a.bytes && !a.is_signed)
		return a;
	return b;
}

struct value operator_compound(struct counter *counter, const struct node *node)
{
	const struct node *left = node->children[0], *right = node->children[1];
	struct value b = count_expression(counter, right), a, value;
	struct place place = place_find(counter, left);
	struct type operand = common_type(node->operation, &left->type, &right->type);

	a = place_load(counter, left, &place);
	if (place_is_address(&left->type)) {
		value = apply_to_pointers(node->operation, left, &a, right, &b);
	} else {
		if (a.known)
			a.bits = fold_to_type(a.bits, &operand);
		if (b.known && operand.kind == TYPE_INTEGER)
			b.bits = fold_to_type(b.bits, &operand);
		value = apply(counter, node, node->operation, a, b, &operand);
	}
	place_store(counter, left, &place, value);
	return value;
}

/* ++ and -- */
static struct value count_step(struct counter *counter, const struct node *node)
{
	const struct node *operand = node->children[0];
	struct place place = place_find(counter, operand);
	struct value old = place_load(counter, operand, &place), new;
	struct value one = { .known = true, .bits = 1 };
	bool down = node->operation == OP_PRE_DECREMENT || node->operation == OP_POST_DECREMENT;
	bool post = node->operation == OP_POST_INCREMENT || node->operation == OP_POST_DECREMENT;

	if (place_is_address(&operand->type))
		new = place_shift(old, &one, down ? -1 : 1, operand->type.target_bytes);
	else
		new = apply(counter, node, down ? OP_SUB : OP_ADD, old, one, &operand->type);
	place_store(counter, operand, &place, new);
	return post ? old : new;
}

static struct value count_address(struct counter *counter, const struct node *node)
{
	struct place place = place_find(counter, node->children[0]);

	if (place.symbol && !place.symbol->escaped) {
		place.symbol->escaped = true;
		cell_store(counter, &place.at, &place.symbol->value);
	}
	return place.at;
}

struct value operator_unary(struct counter *counter, const struct node *node)
{
	const struct node *operand = node->children[0];
	struct place place;
	struct value value;
	int truth;

	if (node->operation == OP_ADDRESS)
		return count_address(counter, node);
	if (node->operation >= OP_PRE_INCREMENT)
		return count_step(counter, node);
	if (node->operation == OP_DEREFERENCE) {
		place = place_find(counter, node);
		return place_load(counter, node, &place);
	}
	value = count_expression(counter, operand);
	truth = count_truth(operand, &value);
	if (node->operation == OP_PLUS)
		return value;
	if (node->operation == OP_NOT && truth >= 0)
		return count_known(!truth, &node->type);
	if (node->operation != OP_NOT && value.known)
		return count_known(
		        node->operation == OP_MINUS ? (int64_t) - (uint64_t)value.bits : ~value.bits, &node->type);
	counter->counts.operators[classes[node->operation]]++;
	/* ~ is part of the logic function that it goes into */
	if (node->operation == OP_COMPLEMENT)
		return (struct value){ .flow = value.flow };
	return count_result(counter, GRAPH_OTHER, &value, NULL);
}
