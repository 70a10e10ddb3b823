/* Operators: folded or counted. */
#include "ppf/analysis/count.h"

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

static struct value apply_to_pointers(struct counter *counter, enum operation operation, const struct node *left,
        const struct value *a, const struct node *right, const struct value *b)
{
	static const struct type signed_64 = { .kind = TYPE_INTEGER, .is_signed = true, .bytes = 8 };
	bool comparable = a->known == b->known && a->flow == b->flow && a->root && a->root == b->root;
	int left_truth = count_truth(left, a), right_truth = count_truth(right, b);
	int64_t bits;

	if (operation == OP_ADD && type_is_address(&left->type))
		return place_shift(counter, *a, b, 1, left->type.target_bytes);
	if (operation == OP_ADD)
		return place_shift(counter, *b, a, 1, right->type.target_bytes);
	if (operation == OP_SUB && !type_is_address(&right->type))
		return place_shift(counter, *a, b, -1, left->type.target_bytes);
	if ((operation == OP_EQ || operation == OP_NE) && left_truth >= 0 && right_truth >= 0 &&
	        !(left_truth && right_truth))
		return count_known((left_truth == right_truth) == (operation == OP_EQ), &signed_64);
	if (!comparable || left->type.target_bytes == 0)
		return count_value(counter, &(struct value_node){ .kind = VALUE_JOIN, .inputs = { a->flow, b->flow } });
	if (operation == OP_SUB)
		return count_known((a->bits - b->bits) / (int64_t)left->type.target_bytes, &signed_64);
	return fold_binary(&bits, operation, a->bits, b->bits, &signed_64) ? count_known(bits, &signed_64) : unknown;
}

/* Bits that are zero in the result; bits above the type are zero, too. */
static uint64_t zeros_after(
        enum operation operation, const struct value *a, const struct value *b, const struct type *type)
{
	uint64_t above = ~values_mask(type->bytes), known_a = a->known ? ~(uint64_t)a->bits : a->zeros,
	         known_b = b->known ? ~(uint64_t)b->bits : b->zeros,
	         sign = values_mask(type->bytes) ^ values_mask(type->bytes) >> 1;
	bool constant = b->known && b->bits >= 0 && b->bits < 64;

	switch (operation) {
	case OP_AND:
		return known_a | known_b | above;
	case OP_OR:
	case OP_XOR:
		return (known_a & known_b) | above;
	case OP_ADD:
		return above | (((known_a & known_b) >> 63) == 0 ? 0 : ~values_up_to(~known_a + ~known_b));
	case OP_SHR:
		if (!constant || (type->is_signed && !(known_a & sign)))
			return above;
		return (known_a | above) >> b->bits | ~(UINT64_MAX >> b->bits);
	case OP_SHL:
		return constant ? known_a << b->bits | ((UINT64_C(1) << b->bits) - 1) | above : above;
	case OP_MUL:
	case OP_DIV:
	case OP_REM:
	case OP_MINUS:
	case OP_COMPLEMENT:
	case OP_SUB:
		return above;
	default: /* a truth */
		return ~(uint64_t)1;
	}
}

/* A product, quotient or remainder by a power of two is a shift or a mask, except quotients and remainders of values
 * that may be negative, which are rounded towards zero. */
static void use_shifts(enum operation *operation, const struct value *a, struct value *b, struct type *operand)
{
	uint64_t factor = b->known && b->bits > 0 ? (uint64_t)b->bits : 0;

	operand->is_signed &= a->known || (a->zeros >> (8 * operand->bytes - 1) & 1) == 0;
	if (factor == 0 || (factor & (factor - 1)) != 0 || (operand->is_signed && *operation != OP_MUL))
		return;
	if (*operation == OP_REM) {
		*operation = OP_AND;
		b->bits = (int64_t)(factor - 1);
	} else if (*operation == OP_MUL || *operation == OP_DIV) {
		*operation = *operation == OP_MUL ? OP_SHL : OP_SHR;
		b->bits = __builtin_ctzll(factor);
	}
}

/* A counted operator's result. */
static struct value count_operator(struct counter *counter, enum operation operation, const struct value *a,
        const struct value *b, const struct type *operand)
{
	const struct value_node node = {
		.kind = VALUE_OPERATOR,
		.operation = operation,
		.class = (int)classes[operation],
		.inputs = { count_input(counter, a), count_input(counter, b) },
		.constant = a->known ? a->bits : b->bits,
		.bytes = (unsigned)operand->bytes,
		.is_signed = operand->is_signed,
		.zeros = zeros_after(operation, a, b, operand),
	};

	return count_value(counter, &node);
}

struct value operator_apply(struct counter *counter, const struct node *node, enum operation operation, struct value a,
        struct value b, const struct type *type)
{
	struct type own = *type, *operand = &own;
	const struct value *known;
	int64_t bits;

	if (operand->kind != TYPE_INTEGER)
		fail_at(node,
		        "arithmetic on what is no integer of up to 64 bits: use integers, not vectors or __int128");
	if (a.known && b.known)
		return fold_binary(&bits, operation, a.bits, b.bits, operand) ? count_known(bits, &node->type)
		                                                              : unknown;
	if (counter->analysis->by_value && a.known && values_is_commutative(operation)) {
		const struct value constant = a;

		a = b;
		b = constant;
	}
	if (counter->analysis->by_value)
		use_shifts(&operation, &a, &b, operand);
	known = a.known ? &a : b.known ? &b : NULL;
	if ((known && fold_is_zero(operation, known->bits, a.known)) ||
	        (counter->analysis->by_value && zeros_after(operation, &a, &b, operand) == UINT64_MAX))
		return count_known(0, &node->type);
	if ((known && fold_is_other(operation, known->bits, a.known, operand)) ||
	        (counter->analysis->by_value && operation == OP_AND && b.known &&
	                (~a.zeros & ~(uint64_t)b.bits & values_mask(operand->bytes)) == 0))
		return a.known ? b : a;
	return count_operator(counter, operation, &a, &b, operand);
}

/* Of an operand of && or ||: compilers compare what is no truth with 0. */
static struct value as_truth(struct counter *counter, const struct node *node, const struct value *value)
{
	if (!counter->analysis->by_value || value->known || (~value->zeros & ~(uint64_t)1) == 0 ||
	        node->type.kind != TYPE_INTEGER)
		return *value;
	return count_operator(counter, OP_NE, value, &(struct value){ .known = true }, &node->type);
}

static struct value count_logical(struct counter *counter, const struct node *node)
{
	bool is_or = node->operation == OP_LOGICAL_OR;
	struct value value = count_expression(counter, node->children[0]), first = value;
	int left = count_truth(node->children[0], &value), right;

	if (left == is_or)
		return count_known(is_or, &node->type);
	counter->uncertain += left < 0;
	value = count_expression(counter, node->children[1]);
	counter->uncertain -= left < 0;
	right = count_truth(node->children[1], &value);
	if (left >= 0)
		return right < 0 ? unknown : count_known(right, &node->type);
	first = as_truth(counter, node->children[0], &first);
	value = as_truth(counter, node->children[1], &value);
	return count_operator(counter, node->operation, &first, &value, &node->type);
}

static struct value count_assignment(struct counter *counter, const struct node *node)
{
	struct value value = count_expression(counter, node->children[1]);

	place_store(counter, node->children[0], place_find(counter, node->children[0]), value);
	return value;
}

struct value operator_binary(struct counter *counter, const struct node *node)
{
	const struct node *left = node->children[0], *right = node->children[1];
	struct value a, b;

	if (node->operation == OP_LOGICAL_AND || node->operation == OP_LOGICAL_OR)
		return count_logical(counter, node);
	if (node->operation == OP_ASSIGN)
		return count_assignment(counter, node);
	a = count_expression(counter, left);
	b = count_expression(counter, right);
	if (node->operation == OP_COMMA)
		return b;
	if (type_is_address(&left->type) || type_is_address(&right->type))
		return apply_to_pointers(counter, node->operation, left, &a, right, &b);
	return operator_apply(counter, node, node->operation, a, b, &left->type);
}

/* What the operands of a compound assignment become (C11 6.3.1.8); shifts: the left one. */
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

/* left = left operation right, on operands of their common type; returns the new value. */
static struct value change(struct counter *counter, const struct node *node, enum operation operation,
        const struct node *right, struct value *old)
{
	const struct node *left = node->children[0];
	struct value b = count_expression(counter, right), value;
	struct value at = place_find(counter, left);
	struct type operand = common_type(operation, &left->type, &right->type);
	struct value a = place_load(counter, left, at);

	*old = a;
	if (type_is_address(&left->type)) {
		value = apply_to_pointers(counter, operation, left, &a, right, &b);
	} else {
		if (a.known)
			a.bits = fold_to_type(a.bits, &operand);
		if (b.known && operand.kind == TYPE_INTEGER)
			b.bits = fold_to_type(b.bits, &operand);
		value = operator_apply(counter, node, operation, a, b, &operand);
		if (counter->analysis->by_value)
			value = count_convert(counter, value, &operand, &left->type);
	}
	place_store(counter, left, at, value);
	return value;
}

struct value operator_compound(struct counter *counter, const struct node *node)
{
	struct value old;

	return change(counter, node, node->operation, node->children[1], &old);
}

/* ++ and -- */
static struct value count_step(struct counter *counter, const struct node *node)
{
	static const struct node one = { .kind = NODE_CONSTANT,
		.type = { .kind = TYPE_INTEGER, .is_signed = true, .bytes = 4 },
		.bits = 1,
		.file = "" };
	bool down = node->operation == OP_PRE_DECREMENT || node->operation == OP_POST_DECREMENT;
	bool post = node->operation == OP_POST_INCREMENT || node->operation == OP_POST_DECREMENT;
	struct value old, new = change(counter, node, down ? OP_SUB : OP_ADD, &one, &old);

	return post ? old : new;
}

struct value operator_unary(struct counter *counter, const struct node *node)
{
	const struct node *operand = node->children[0];
	struct value value;
	int truth;

	if (node->operation == OP_ADDRESS)
		return place_find(counter, operand);
	if (node->operation >= OP_PRE_INCREMENT)
		return count_step(counter, node);
	if (node->operation == OP_DEREFERENCE)
		return place_load(counter, node, place_find(counter, node));
	value = count_expression(counter, operand);
	truth = count_truth(operand, &value);
	if (node->operation == OP_PLUS)
		return value;
	if (node->operation == OP_NOT && truth >= 0)
		return count_known(!truth, &node->type);
	if (node->operation != OP_NOT && value.known)
		return count_known(
		        node->operation == OP_MINUS ? (int64_t) - (uint64_t)value.bits : ~value.bits, &node->type);
	return count_operator(counter, node->operation, &value, &(struct value){ .known = true }, &node->type);
}
