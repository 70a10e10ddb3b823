#include "ppf/analysis/count.h"

#define LOW_WORD UINT32_MAX

uint64_t values_mask(uint64_t bytes)
{
	return bytes > 0 && bytes < 8 ? UINT64_MAX >> (64 - 8 * bytes) : UINT64_MAX;
}

/* Loads of the same memory are the same value. */
static unsigned canonical(const struct values *values, unsigned value)
{
	while (value != 0 && values->nodes[value].kind == VALUE_LOAD)
		value = values->nodes[value].inputs[0];
	return value;
}

/* ~ is part of the logic function that it goes into, and counts where it is written. */
static bool is_shared(const struct value_node *node)
{
	return node->kind != VALUE_SOURCE && node->kind != VALUE_LOAD && node->kind != VALUE_JOIN &&
	       node->operation != OP_COMPLEMENT;
}

static bool same(const struct values *values, const struct value_node *a, const struct value_node *b)
{
	return a->kind == b->kind && a->operation == b->operation && a->class == b->class &&
	       canonical(values, a->inputs[0]) == canonical(values, b->inputs[0]) &&
	       canonical(values, a->inputs[1]) == canonical(values, b->inputs[1]) && a->constant == b->constant &&
	       a->root == b->root && a->bytes == b->bytes && a->is_signed == b->is_signed;
}

static unsigned bucket_of(const struct values *values, const struct value_node *node)
{
	uint64_t hash = (uint64_t)node->kind * 31 + (uint64_t)node->operation;

	hash = hash * 1000003 + canonical(values, node->inputs[0]);
	hash = hash * 1000003 + canonical(values, node->inputs[1]);
	hash = hash * 1000003 + (uint64_t)node->constant;
	return (unsigned)((hash ^ hash >> 32) % VALUE_BUCKETS);
}

static void grow(struct values *values)
{
	values->room = 2 * values->room + 1024;
	values->nodes = tree_grow(values->nodes, values->room * sizeof *values->nodes);
	values->nodes[0] = (struct value_node){ 0 };
	if (!values->buckets)
		values->buckets = tree_array(VALUE_BUCKETS, sizeof *values->buckets);
}

bool values_is_commutative(enum operation operation)
{
	return operation == OP_ADD || operation == OP_MUL || operation == OP_AND || operation == OP_OR ||
	       operation == OP_XOR;
}

/* Rotations by shifts. */

static const struct value_node *shift_of(const struct values *values, unsigned value, enum operation operation)
{
	const struct value_node *node = &values->nodes[canonical(values, value)];

	return node->kind == VALUE_OPERATOR && node->operation == operation ? node : NULL;
}

/* The value without masks and casts that change no bit of a word. */
static unsigned without_masks(const struct values *values, unsigned value, uint64_t word)
{
	for (;;) {
		const struct value_node *node = &values->nodes[value = canonical(values, value)];

		if (node->kind != VALUE_OPERATOR || node->operation != OP_AND || node->inputs[1] != 0 ||
		        (word & ~(uint64_t)node->constant & ~values->nodes[node->inputs[0]].zeros) != 0)
			return value;
		value = node->inputs[0];
	}
}

/* Is one amount the other's complement to the width, by (w - n) & (w - 1) or -n & (w - 1)? */
static bool is_rest(const struct values *values, unsigned n, unsigned rest, int64_t width)
{
	const struct value_node *node;

	n = without_masks(values, n, (uint64_t)width - 1);
	node = &values->nodes[without_masks(values, rest, (uint64_t)width - 1)];
	if (node->kind != VALUE_OPERATOR)
		return false;
	if (node->operation == OP_MINUS)
		return without_masks(values, node->inputs[0], (uint64_t)width - 1) == n;
	return node->operation == OP_SUB && node->inputs[0] == 0 && node->constant % width == 0 &&
	       without_masks(values, node->inputs[1], (uint64_t)width - 1) == n;
}

/* Of the two shifts of a rotation, find the shift by the amount from which the other amount is computed; NULL: the
 * shifts are no rotation. */
static const struct value_node *turn_of(
        const struct values *values, const struct value_node *left, const struct value_node *right, int64_t width)
{
	if (left->inputs[1] == 0 && right->inputs[1] == 0)
		return left->constant + right->constant == width ? left : NULL;
	if (left->inputs[1] == 0 || right->inputs[1] == 0)
		return NULL;
	if (is_rest(values, left->inputs[1], right->inputs[1], width))
		return left;
	return is_rest(values, right->inputs[1], left->inputs[1], width) ? right : NULL;
}

/* x << n | x >> (w - n), with words of w bits, is a rotation, however the macro masks it. */
static void make_rotation(const struct values *values, struct value_node *node)
{
	for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
		uint64_t word = values_mask(bytes);
		unsigned a = without_masks(values, node->inputs[0], word),
		         b = without_masks(values, node->inputs[1], word), x;
		const struct value_node *left = shift_of(values, a, OP_SHL) ?: shift_of(values, b, OP_SHL),
		                        *right = shift_of(values, b, OP_SHR) ?: shift_of(values, a, OP_SHR), *turn;

		if (!left || !right || left->inputs[0] == 0 || right->inputs[0] == 0)
			continue;
		x = without_masks(values, right->inputs[0], word);
		turn = turn_of(values, left, right, 8 * (int64_t)bytes);
		if (!turn || without_masks(values, left->inputs[0], word) != x ||
		        (~values->nodes[right->inputs[0]].zeros & ~word) ||
		        (node->operation == OP_ADD && turn->inputs[1] != 0)) /* x + x by an amount of 0 */
			continue;
		*node = (struct value_node){ .kind = VALUE_OPERATOR,
			.class = OPERATOR_ROTATE,
			.inputs = { right->inputs[0], turn->inputs[1] },
			.constant = turn->inputs[1] == 0
			                    ? left->constant
			                    : (turn == right ? TO_RIGHT : 0) | (node->bytes > bytes ? BY_LONG : 0),
			.bytes = bytes,
			.zeros = ~word };
		return;
	}
}

unsigned values_add(struct values *values, const struct value_node *given)
{
	struct value_node node = *given;
	unsigned bucket, found;

	if (values->n + 2 >= values->room)
		grow(values);
	if (!values->as_written && node.kind == VALUE_OPERATOR && values_is_commutative(node.operation) &&
	        canonical(values, node.inputs[0]) - 1 > canonical(values, node.inputs[1]) - 1) { /* a constant behind */
		node.inputs[0] = given->inputs[1];
		node.inputs[1] = given->inputs[0];
	}
	if (!values->as_written && node.kind == VALUE_OPERATOR &&
	        (node.operation == OP_OR || node.operation == OP_XOR || node.operation == OP_ADD) &&
	        node.inputs[1] != 0)
		make_rotation(values, &node);
	bucket = bucket_of(values, &node);
	for (found = is_shared(&node) && !values->as_written ? values->buckets[bucket] : 0; found;
	        found = values->nodes[found].next)
		if (same(values, &values->nodes[found], &node))
			return found;
	node.next = values->buckets[bucket];
	values->nodes[++values->n] = node;
	if (is_shared(&node))
		values->buckets[bucket] = values->n;
	return values->n;
}

void values_use(struct values *values, unsigned value, uint64_t bits)
{
	if (value != 0 && value <= values->n)
		values->nodes[value].demanded |= bits;
}

uint64_t values_up_to(uint64_t bits)
{
	for (unsigned shift = 1; shift < 64; shift *= 2)
		bits |= bits >> shift;
	return bits;
}

static uint64_t demand_of_shift(const struct value_node *node, uint64_t demanded)
{
	uint64_t mask = values_mask(node->bytes);
	int64_t n = node->constant;

	if (node->inputs[1] != 0 || n < 0 || n > 63)
		return node->operation == OP_SHL ? values_up_to(demanded) & mask : mask;
	if (node->operation == OP_SHL) /* of a word alone if the upper one is zero */
		return (demanded & ~node->zeros) >> 32 == 0 ? (demanded & LOW_WORD) >> n : demanded >> n;
	if (node->is_signed && demanded & ~(mask >> n))
		return (demanded << n & mask) | (mask ^ mask >> 1);
	return demanded << n & mask;
}

/* The bits of its first input that a value needs. */
static uint64_t demand(const struct value_node *node)
{
	uint64_t mask = values_mask(node->bytes), demanded = node->demanded & mask;

	if (node->kind == VALUE_LOAD) /* what was stored is in a register, where no load masks it */
		return node->demanded;
	if (node->kind != VALUE_OPERATOR && node->kind != VALUE_PICK)
		return UINT64_MAX;
	switch (node->operation) {
	case OP_AND:
		return node->inputs[1] == 0 ? demanded & (uint64_t)node->constant : demanded;
	case OP_OR:
		return node->inputs[1] == 0 ? demanded & ~(uint64_t)node->constant : demanded;
	case OP_XOR:
	case OP_COMPLEMENT:
		return demanded;
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_MINUS:
		return values_up_to(demanded);
	case OP_SHL:
	case OP_SHR:
		return demand_of_shift(node, demanded);
	case OP_PLUS: /* the sign of a word fills another one */
		return (demanded & LOW_WORD) | (demanded >> 32 ? LOW_WORD ^ LOW_WORD >> 1 : 0);
	default:
		return mask;
	}
}

/* Does it pick a field of its input?  A mask with gaps has several fields. */
static bool is_field(const struct value_node *node)
{
	uint64_t mask = (uint64_t)node->constant, lowest = mask & -mask;

	if ((node->kind != VALUE_OPERATOR && node->kind != VALUE_PICK) || node->inputs[1] != 0)
		return false;
	if (node->operation == OP_AND)
		return ((mask + lowest) & mask) == 0;
	return node->operation == OP_SHR && node->constant >= 0 && node->constant < 64;
}

/* The bits before a mask: a shift to the right moves only the word with the bits that are used. */
static uint64_t bits_before(const struct values *values, unsigned value, uint64_t used)
{
	const struct value_node *node = &values->nodes[value];
	uint64_t from;

	if (node->bytes <= 4 || !is_field(node) || node->operation != OP_SHR || node->is_signed)
		return ~node->zeros;
	from = used << node->constant;
	if (from >> node->constant != used || ((from & LOW_WORD) != 0 && from >> 32 != 0))
		return ~node->zeros;
	return (~values->nodes[node->inputs[0]].zeros & (from >> 32 != 0 ? ~(uint64_t)LOW_WORD : LOW_WORD)) >>
	       node->constant;
}

/* A mask that changes no bit which is used. */
static bool is_needless(const struct values *values, const struct value_node *node)
{
	return node->operation == OP_AND && node->inputs[1] == 0 &&
	       (node->demanded & ~(uint64_t)node->constant &
	               bits_before(values, node->inputs[0], node->demanded & (uint64_t)node->constant)) == 0;
}

/* What is used for nothing but an index is no operator of the cipher's logic. */
static void note_purpose(struct values *values, struct value_node *node)
{
	bool selects = node->kind == VALUE_LOOKUP, computes = !selects;

	if (is_field(node) && node->selects && !node->computes)
		node->kind = VALUE_PICK;
	if (node->kind == VALUE_PICK || node->kind == VALUE_JOIN) {
		selects = node->selects;
		computes = node->computes;
	}
	for (unsigned i = 0; i < 2; i++) {
		values->nodes[node->inputs[i]].selects |= selects;
		values->nodes[node->inputs[i]].computes |= computes;
	}
}

enum field_kind values_field(const struct values *values, unsigned index, bool *high)
{
	const struct value_node *field = &values->nodes[index], *word;
	unsigned shift = 0, byte = 0;
	uint64_t bits;

	if (field->kind == VALUE_JOIN) /* of several subscripts: the last one */
		field = &values->nodes[field->inputs[1]];
	for (word = field; is_field(word); word = &values->nodes[word->inputs[0]])
		shift += word->operation == OP_SHR ? (unsigned)word->constant : 0;
	bits = shift < 32 ? (~field->zeros & LOW_WORD) << shift & LOW_WORD : 0;
	while (byte < 24 && (bits >> byte & 0xff) == 0)
		byte += 8;
	*high = false;
	if ((bits & ~(UINT64_C(0xff) << byte)) != 0)
		return FIELD_ACROSS;
	if (((~word->zeros ^ bits) >> byte & 0xff) != 0)
		return FIELD_PART;
	*high = (bits >> byte & 7) == 0;
	return FIELD_BYTE;
}

void values_settle(struct values *values)
{
	for (unsigned i = values->n; i > 0; i--) {
		struct value_node *node = &values->nodes[i];
		bool rotation = node->kind == VALUE_OPERATOR && node->class == OPERATOR_ROTATE;
		bool shift = node->operation == OP_SHL || node->operation == OP_SHR;
		uint64_t bits;

		if (values->as_written)
			values_use(values, i, UINT64_MAX);
		if (node->demanded == 0)
			continue;
		note_purpose(values, node);
		bits = demand(node);
		values_use(values, node->inputs[0], bits);
		values_use(values, node->inputs[1], rotation ? 8 * node->bytes - 1 : shift ? 0xff : bits);
	}
}

static unsigned halves(uint64_t bits)
{
	return ((bits & LOW_WORD) != 0) + (bits >> 32 != 0);
}

/* Halves of a bitwise operation that are not just one of its operands. */
static unsigned logic_cost(const struct value_node *node, uint64_t a, uint64_t b, uint64_t bits)
{
	unsigned cost = 0;

	for (unsigned shift = 0; shift < 64; shift += 32) {
		uint32_t left = (uint32_t)(a >> shift), right = (uint32_t)(b >> shift);
		bool is_mask = node->operation == OP_AND && node->inputs[1] == 0;

		if ((uint32_t)(bits >> shift) == 0 || left == 0 || right == 0)
			continue;
		cost += !is_mask || right != LOW_WORD;
	}
	return cost;
}

static unsigned wide_cost(const struct values *values, const struct value_node *node)
{
	uint64_t bits = node->demanded & ~node->zeros, a = ~values->nodes[node->inputs[0]].zeros,
	         b = node->inputs[1] ? ~values->nodes[node->inputs[1]].zeros : (uint64_t)node->constant;

	switch (node->operation) {
	case OP_AND:
	case OP_OR:
	case OP_XOR:
		return logic_cost(node, a, b, bits);
	case OP_COMPLEMENT:
		return halves(bits);
	case OP_SHL:
	case OP_SHR:
		return node->inputs[1] == 0 && node->constant % 32 == 0 ? 0 : halves(bits);
	case OP_PLUS:
		return bits >> 32 != 0;
	case OP_ADD:
	case OP_SUB:
	case OP_MINUS:
		return halves(values_up_to(node->demanded));
	case OP_MUL: /* low and high word; to the high one, products with the high words of the operands are added */
		return halves(bits) + (bits >> 32 ? (a >> 32 != 0) + (b >> 32 != 0) : 0);
	default:
		return node->class == OPERATOR_ROTATE && node->inputs[1] == 0 && node->constant % 32 == 0 ? 0 : 2;
	}
}

unsigned values_cost(const struct values *values, const struct value_node *node)
{
	if (node->demanded == 0)
		return 0;
	if (values->as_written && (node->kind == VALUE_PICK || node->kind == VALUE_OPERATOR))
		return !node->is_cast;
	if (node->kind == VALUE_LOAD || node->kind == VALUE_LOOKUP)
		return node->bytes > 4 ? halves(node->demanded & values_mask(node->bytes)) : 1;
	if (node->kind != VALUE_OPERATOR && node->kind != VALUE_PICK)
		return 0;
	if (is_needless(values, node))
		return 0;
	return node->bytes > 4 && node->class != OPERATOR_WIDE ? wide_cost(values, node) : 1;
}

const struct value_node *values_origin(const struct values *values, unsigned value)
{
	for (unsigned steps = 0; value != 0 && steps < 10000; steps++) {
		const struct value_node *node = &values->nodes[value];

		if (node->root)
			return node;
		value = node->inputs[0] ? node->inputs[0] : node->inputs[1];
	}
	return NULL;
}
