/* Limits, values, and expressions other than operators. */
#include "ppf/analysis/count.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ppf/analysis/fold.h"
#include "gpucrypt/status.h"

/* The largest of the built-in cores is a product of RSA with 4096 bits.  A fuzz target has less time. */
#ifndef MAX_STEPS
#define MAX_STEPS 5000000u
#endif
#define MAX_DEPTH 3000

static const struct value unknown;

/* Limits. */

void count_fail(struct counter *counter, const struct node *node, const char *format, ...)
{
	char text[512];
	va_list arguments;

	if (counter->status != GPUCRYPT_OK)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	counter->status = fail_at(node, GPUCRYPT_UNKNOWN, "%s", text);
}

bool count_enter(struct counter *counter, const struct node *node)
{
	counter->depth++;
	if (counter->status == GPUCRYPT_OK && counter->depth > MAX_DEPTH)
		count_fail(counter, node, "nested too deeply");
	if (counter->status == GPUCRYPT_OK && ++counter->steps > MAX_STEPS)
		count_fail(counter, node, "not done after %u steps: does the loop end?", MAX_STEPS);
	return counter->status == GPUCRYPT_OK;
}

void count_leave(struct counter *counter)
{
	counter->depth--;
}

struct value count_silently(struct counter *counter, const struct node *node)
{
	struct counts counts = counter->counts;
	struct value value = count_expression(counter, node);

	counter->counts = counts;
	return value;
}

struct value count_known(int64_t bits, const struct type *type)
{
	return (struct value){ .known = true, .bits = fold_to_type(bits, type) };
}

bool count_set_value(struct counter *counter, const char *name, const struct type *type, struct value *value)
{
	size_t length = strlen(name);

	if (type->kind != TYPE_INTEGER || counter->set == NULL)
		return false;
	for (const char *const *set = counter->set; *set != NULL; set++)
		if (strncmp(*set, name, length) == 0 && (*set)[length] == '=') {
			counter->set_used |= UINT64_C(1) << (set - counter->set) % 64;
			*value = count_known(strtoll(*set + length + 1, NULL, 0), type);
			return true;
		}
	return false;
}

struct value count_result(struct counter *counter, enum graph_kind kind, const struct value *a, const struct value *b)
{
	return (struct value){ .flow = graph_add(&counter->graph, kind, a ? a->flow : 0, b ? b->flow : 0) };
}

/* Pointers that point somewhere are true. */
int count_truth(const struct node *node, const struct value *value)
{
	if (!place_is_address(&node->type))
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
	struct place place = place_find(counter, node);

	return place_load(counter, node, &place);
}

static struct value count_choice(struct counter *counter, const struct node *node)
{
	struct value value = count_expression(counter, node->children[0]), other;
	int truth = count_truth(node->children[0], &value);

	if (truth >= 0)
		return count_expression(counter, node->children[truth ? 1 : 2]);
	counter->counts.operators[OPERATOR_COMPARE]++;
	counter->uncertain++;
	value = count_expression(counter, node->children[1]);
	other = count_expression(counter, node->children[2]);
	counter->uncertain--;
	return (struct value){ .role = value.role == other.role ? value.role : ROLE_FOREIGN };
}

static struct value count_cast(struct counter *counter, const struct node *node)
{
	const struct node *operand = node->children[0];
	struct value value = count_expression(counter, operand);

	if (node->type.kind == TYPE_INTEGER && operand->type.kind == TYPE_INTEGER)
		return value.known ? count_known(value.bits, &node->type) : operator_narrow(counter, node, value);
	if (node->type.kind == TYPE_INTEGER)
		return unknown;
	if (!place_is_address(&node->type))
		return unknown;
	if (operand->kind == NODE_LIST) /* an array that has no name */
		return (struct value){ .known = true, .role = ROLE_REGISTER };
	if (operand->type.kind == TYPE_INTEGER && !(value.known && value.bits == 0))
		return (struct value){ .role = ROLE_FOREIGN };
	if (node->type.role != ROLE_NONE)
		value.role = node->type.role;
	if (node->type.target_bytes != operand->type.target_bytes)
		value.list = NULL;
	return value;
}

static struct value count_list(struct counter *counter, const struct node *node)
{
	struct value value = unknown;

	for (unsigned i = 0; i < node->n_children; i++)
		value = count_expression(counter, node->children[i]);
	return node->n_children == 1 && node->type.kind == TYPE_INTEGER ? value : unknown;
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
};

struct value count_expression(struct counter *counter, const struct node *node)
{
	struct value value = unknown;

	if (count_enter(counter, node)) {
		if (node->kind >= NODE_CONSTANT && node->kind <= NODE_LIST)
			value = expressions[node->kind](counter, node);
		else
			count_fail(counter, node, "cannot be counted: %s", node->text);
	}
	count_leave(counter);
	return value;
}
