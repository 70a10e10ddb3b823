/* Limits, values, and expressions other than operators. */
#include "ppf/analysis/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest of the built-in cores is a product of RSA with 4096 bits.  A fuzz target has less time. */
#ifndef MAX_STEPS
#define MAX_STEPS 5000000u
#endif
#define MAX_DEPTH 3000

static const struct value unknown;

/* Limits. */

void count_enter(struct counter *counter, const struct node *node)
{
	if (++counter->depth > MAX_DEPTH)
		fail_at(node, "nested too deeply");
	if (++counter->steps > MAX_STEPS)
		fail_at(node, "not done after %u steps: does the loop end?", MAX_STEPS);
}

void count_leave(struct counter *counter)
{
	counter->depth--;
}

struct value count_known(int64_t bits, const struct type *type)
{
	return (struct value){ .known = true, .bits = fold_to_type(bits, type) };
}

unsigned count_input(struct counter *counter, const struct value *value)
{
	if (value->known || value->flow != 0)
		return value->flow;
	return values_add(&counter->values, &(struct value_node){ .kind = VALUE_SOURCE, .bytes = 8 });
}

struct value count_value(struct counter *counter, const struct value_node *node)
{
	unsigned value = values_add(&counter->values, node);

	return (struct value){ .flow = value, .zeros = value ? counter->values.nodes[value].zeros : 0 };
}

struct value count_source(struct counter *counter, const struct symbol *root, uint64_t bytes)
{
	const struct value_node node = { .kind = VALUE_SOURCE, .root = root, .bytes = (unsigned)bytes };
	struct value value = count_value(counter, &node);

	value.zeros = ~values_mask(bytes);
	if (value.flow)
		counter->values.nodes[value.flow].zeros = value.zeros;
	return value;
}

void count_use(struct counter *counter, const struct value *value, uint64_t bits)
{
	values_use(&counter->values, value->flow, bits);
}

/* Upper bits that a narrower type drops are masked. */
static struct value narrow(struct counter *counter, struct value value, const struct type *from, const struct type *to)
{
	uint64_t mask = values_mask(to->bytes);
	const struct value_node node = { .kind = VALUE_OPERATOR,
		.operation = OP_AND,
		.class = OPERATOR_LOGIC,
		.is_cast = true,
		.inputs = { count_input(counter, &value) },
		.constant = (int64_t)mask,
		.bytes = (unsigned)from->bytes,
		.is_signed = from->is_signed,
		.zeros = value.zeros | ~mask };

	return (~value.zeros & ~mask) == 0 ? value : count_value(counter, &node);
}

/* The sign fills the upper word, by a shift of the lower one. */
static struct value fill_sign(struct counter *counter, struct value value)
{
	const struct value_node node = { .kind = VALUE_OPERATOR,
		.operation = OP_PLUS,
		.class = OPERATOR_SHIFT,
		.inputs = { count_input(counter, &value) },
		.bytes = 8,
		.zeros = value.zeros };

	return count_value(counter, &node);
}

struct value count_convert(struct counter *counter, struct value value, const struct type *from, const struct type *to)
{
	if (value.known)
		return count_known(value.bits, to);
	if (to->is_bool || from->kind != TYPE_INTEGER)
		return value;
	if (to->bytes < from->bytes)
		return narrow(counter, value, from, to);
	if (!from->is_signed || to->bytes <= from->bytes ||
	        !(~value.zeros & (values_mask(from->bytes) ^ values_mask(from->bytes) >> 1)))
		return value;
	value.zeros &= values_mask(from->bytes);
	return to->bytes > 4 && counter->analysis->by_value ? fill_sign(counter, value) : value;
}

bool setting_use(struct counter *counter, const char *name, int64_t *bits)
{
	int i = setting_find(counter->analysis->set, name, bits);

	counter->set_used |= i >= 0 ? UINT64_C(1) << i % 64 : 0;
	return i >= 0;
}

const char *setting_name(const struct value_node *of)
{
	size_t n_bytes = strlen(of->root->name) + 24;
	char *name = tree_allocate(n_bytes);

	if (of->root->type.kind == TYPE_INTEGER)
		return of->root->name;
	if (of->kind == VALUE_LOAD)
		snprintf(name, n_bytes, "%s[%lld]", of->root->name, (long long)of->constant / (long long)of->bytes);
	else
		snprintf(name, n_bytes, "%s[INDEX]", of->root->name);
	return name;
}

bool setting_of_place(struct counter *counter, const struct node *node, const struct value *at, int64_t *bits)
{
	char name[256];

	if (!counter->analysis->set)
		return false;
	if (setting_use(counter, at->root->name, bits))
		return true;
	if (!at->known || node->type.bytes == 0)
		return false;
	snprintf(name, sizeof name, "%s[%lld]", at->root->name, (long long)(at->bits / (int64_t)node->type.bytes));
	return setting_use(counter, name, bits);
}

/* Pointers that point somewhere are true. */
int count_truth(const struct node *node, const struct value *value)
{
	if (!type_is_address(&node->type))
		return value->known ? value->bits != 0 : -1;
	if (value->root)
		return 1;
	return value->known && value->role == ROLE_NONE ? 0 : -1;
}

/* Expressions. */

static struct value count_constant(struct counter *counter, const struct node *node)
{
	(void)counter;
	return count_known(node->bits, &node->type);
}

static struct value count_load(struct counter *counter, const struct node *node)
{
	return place_load(counter, node, place_find(counter, node));
}

static struct value count_choice(struct counter *counter, const struct node *node)
{
	struct value value = count_expression(counter, node->children[0]), other;
	struct value_node result;
	unsigned condition;
	int truth = count_truth(node->children[0], &value);

	if (truth >= 0)
		return count_expression(counter, node->children[truth ? 1 : 2]);
	condition = count_input(counter, &value);
	count_use(counter, &value, UINT64_MAX);
	counter->uncertain++;
	value = count_expression(counter, node->children[1]);
	other = count_expression(counter, node->children[2]);
	counter->uncertain--;
	if (type_is_address(&node->type))
		return (struct value){ .role = value.role == other.role ? value.role : ROLE_FOREIGN,
			.flow = condition };
	result = (struct value_node){ .kind = VALUE_JOIN,
		.inputs = { count_input(counter, &value), count_input(counter, &other) } };
	result = (struct value_node){ .kind = VALUE_OPERATOR,
		.class = OPERATOR_COMPARE,
		.inputs = { condition, values_add(&counter->values, &result) },
		.zeros = (value.known ? ~(uint64_t)value.bits : value.zeros) &
		         (other.known ? ~(uint64_t)other.bits : other.zeros),
		.bytes = (unsigned)node->type.bytes };
	value = count_value(counter, &result);
	count_use(counter, &value, 1);
	return value;
}

static struct value count_cast(struct counter *counter, const struct node *node)
{
	const struct node *operand = node->children[0];
	struct value value = count_expression(counter, operand);

	if (node->type.kind == TYPE_INTEGER && operand->type.kind == TYPE_INTEGER)
		return count_convert(counter, value, &operand->type, &node->type);
	if (node->type.kind == TYPE_INTEGER)
		return unknown;
	if (node->type.kind == TYPE_RECORD)
		return value;
	if (!type_is_address(&node->type))
		return unknown;
	if (operand->type.kind == TYPE_INTEGER && !(value.known && value.bits == 0))
		return (struct value){ .role = ROLE_FOREIGN };
	if (node->type.role != ROLE_NONE)
		value.role = node->type.role;
	return value;
}

static struct value count_list(struct counter *counter, const struct node *node)
{
	for (unsigned i = 0; i < node->n_children; i++)
		if (node->children[i])
			count_expression(counter, node->children[i]);
	return unknown;
}

static struct value (*const expressions[])(struct counter *, const struct node *) = {
	[NODE_CONSTANT] = count_constant,
	[NODE_TEXT] = count_load,
	[NODE_NAME] = count_load,
	[NODE_UNARY] = operator_unary,
	[NODE_BINARY] = operator_binary,
	[NODE_COMPOUND] = operator_compound,
	[NODE_CHOICE] = count_choice,
	[NODE_SUBSCRIPT] = count_load,
	[NODE_MEMBER] = count_load,
	[NODE_CALL] = run_call,
	[NODE_CAST] = count_cast,
	[NODE_LIST] = count_list,
	[NODE_OBJECT] = count_load,
	[NODE_STATEMENTS] = run_statements,
};

struct value count_expression(struct counter *counter, const struct node *node)
{
	struct value value;

	count_enter(counter, node);
	if (node->kind >= NODE_BLOCK || !expressions[node->kind])
		fail_at(node, "cannot be counted: %s", node->text);
	value = expressions[node->kind](counter, node);
	count_leave(counter);
	return value;
}
