/* Statements and calls. */
#include <string.h>

#include "ppf/analysis/count.h"

#define MAX_ARGUMENTS 32

/* FLOW_GOTO: to the label counter->label. */
enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_GOTO };

static enum flow run(struct counter *counter, const struct node *node);

_Noreturn void fail_on_data(
        struct counter *counter, const struct node *node, const struct value *value, const char *what)
{
	const struct value_node *origin = values_origin(&counter->values, value->flow);
	const char *name = origin ? setting_name(origin) : NULL;

	if (!name)
		fail_at(node, "%s depends on data", what);
	if (origin->root->type.kind == TYPE_INTEGER)
		fail_at(node, "%s depends on data: '%s' is not known: give its value by --set '%s=VALUE'", what, name,
		        name);
	fail_at(node,
	        "%s depends on data from '%s': make it a selection by ?:, of which both sides are counted, or give "
	        "the value of an element by --set '%s=VALUE'",
	        what, origin->root->name, name);
}

/* A condition that decides what runs; what: for the message. */
static bool decide(struct counter *counter, const struct node *condition, const char *what)
{
	struct value value = count_expression(counter, condition);
	int truth = count_truth(condition, &value);

	if (truth < 0)
		fail_on_data(counter, condition, &value, what);
	return truth == 1;
}

/* A goto goes to a label of the block that is run or of one around it; *i: the statement before the label. */
static bool find_target(struct counter *counter, const struct node *block, unsigned *i)
{
	for (unsigned at = 0; at < block->n_children; at++) {
		const struct node *label = block->children[at];

		while (label->kind == NODE_LABEL && strcmp(label->text, counter->label) != 0)
			label = label->children[0];
		if (label->kind != NODE_LABEL)
			continue;
		*i = at - 1;
		count_enter(counter, label);
		count_leave(counter);
		return true;
	}
	return false;
}

static enum flow run_block(struct counter *counter, const struct node *node)
{
	enum flow flow = FLOW_NEXT;

	for (unsigned i = 0; i < node->n_children && flow == FLOW_NEXT; i++) {
		flow = run(counter, node->children[i]);
		if (flow == FLOW_GOTO && find_target(counter, node, &i))
			flow = FLOW_NEXT;
	}
	return flow;
}

void run_declare(struct counter *counter, struct symbol *symbol)
{
	struct value value = { 0 };
	bool fills = symbol->initial && (symbol->type.kind == TYPE_RECORD ||
	                                        (symbol->type.kind == TYPE_ARRAY && counter->analysis->by_value));

	if (symbol->storage == STORAGE_STATIC)
		return;
	if (symbol->initial && !fills)
		value = count_expression(counter, symbol->initial);
	place_bind(counter, symbol, value);
	if (fills)
		cell_fill(counter, symbol, symbol->initial, 0, &symbol->type);
}

static enum flow run_if(struct counter *counter, const struct node *node)
{
	if (decide(counter, node->children[0], "an if"))
		return run(counter, node->children[1]);
	return node->n_children > 2 ? run(counter, node->children[2]) : FLOW_NEXT;
}

/* Loops.  Each pass is run by itself: counts may differ. */
static enum flow run_loop(struct counter *counter, const struct node *node)
{
	const bool is_for = node->kind == NODE_FOR, is_do = node->kind == NODE_DO;
	const struct node *condition = node->children[is_for || is_do ? 1 : 0],
	                  *step = is_for ? node->children[2] : NULL,
	                  *body = node->children[is_for  ? 3
	                                         : is_do ? 0
	                                                 : 1];
	enum flow flow = FLOW_NEXT;

	if (is_for && node->children[0])
		run(counter, node->children[0]);
	for (bool check = !is_do;; check = true) {
		count_enter(counter, node);
		if (check && condition && !decide(counter, condition, "the condition of a loop"))
			break;
		flow = run(counter, body);
		if (flow == FLOW_BREAK || flow >= FLOW_RETURN)
			break;
		if (step)
			count_expression(counter, step);
		count_leave(counter);
	}
	count_leave(counter);
	return flow >= FLOW_RETURN ? flow : FLOW_NEXT;
}

/* switch: the statement that has the label, and those behind it. */

static bool has_label(struct counter *counter, const struct node *node, const int64_t *bits)
{
	for (; node->kind == NODE_CASE; node = node->children[1]) {
		struct value label = { 0 };

		if (!bits && !node->children[0])
			return true;
		if (bits && node->children[0])
			label = count_expression(counter, node->children[0]);
		if (label.known && label.bits == *bits)
			return true;
	}
	return false;
}

static unsigned find_label(struct counter *counter, const struct node *body, const int64_t *bits)
{
	unsigned i = 0;

	while (i < body->n_children && !has_label(counter, body->children[i], bits))
		i++;
	return i;
}

static enum flow run_switch(struct counter *counter, const struct node *node)
{
	struct value value = count_expression(counter, node->children[0]);
	const struct node *body = node->children[1];
	enum flow flow = FLOW_NEXT;
	unsigned i;

	if (!value.known)
		fail_on_data(counter, node, &value, "a switch");
	i = find_label(counter, body, &value.bits);
	if (i == body->n_children)
		i = find_label(counter, body, NULL);
	for (; i < body->n_children && flow == FLOW_NEXT; i++)
		flow = run(counter, body->children[i]);
	return flow == FLOW_BREAK ? FLOW_NEXT : flow;
}

static enum flow run(struct counter *counter, const struct node *node)
{
	enum flow flow = FLOW_NEXT;

	if (node->kind < NODE_BLOCK) {
		count_expression(counter, node);
		return FLOW_NEXT;
	}
	count_enter(counter, node);
	switch ((int)node->kind) {
	case NODE_BLOCK:
	case NODE_VARIABLES:
		flow = run_block(counter, node);
		break;
	case NODE_DECLARE:
		run_declare(counter, node->symbol);
		break;
	case NODE_IF:
		flow = run_if(counter, node);
		break;
	case NODE_FOR:
	case NODE_WHILE:
	case NODE_DO:
		flow = run_loop(counter, node);
		break;
	case NODE_SWITCH:
		flow = run_switch(counter, node);
		break;
	case NODE_CASE:
		flow = run(counter, node->children[1]);
		break;
	case NODE_RETURN:
		counter->result =
		        node->n_children > 0 ? count_expression(counter, node->children[0]) : (struct value){ 0 };
		flow = FLOW_RETURN;
		break;
	case NODE_BREAK:
		flow = FLOW_BREAK;
		break;
	case NODE_CONTINUE:
		flow = FLOW_CONTINUE;
		break;
	case NODE_LABEL:
		flow = run(counter, node->children[0]);
		break;
	case NODE_GOTO:
		counter->label = node->text;
		flow = FLOW_GOTO;
		break;
	}
	count_leave(counter);
	return flow;
}

struct value run_statements(struct counter *counter, const struct node *node)
{
	const unsigned n = node->n_children;
	const struct node *last = n > 0 ? node->children[n - 1] : NULL;
	struct node before = *node;
	enum flow flow;

	before.n_children = n - (last && last->kind < NODE_BLOCK);
	flow = run_block(counter, &before);
	if (flow != FLOW_NEXT)
		fail_at(node, "a jump out of a statement expression: use a function");
	return last && last->kind < NODE_BLOCK ? count_expression(counter, last) : (struct value){ 0 };
}

/* Calls. */

static _Noreturn void fail_undefined(const struct node *node, const char *name)
{
	if (!strncmp(name, "__builtin_", strlen("__builtin_")))
		fail_at(node, "function '%s' is not defined in the file: define it in C by --include", name);
	fail_at(node,
	        "function '%s' is not defined in the file: name the source that has it, too, or define it by --include",
	        name);
}

static struct value run_body(struct counter *counter, const struct node *node, struct function *function,
        const struct value *arguments, unsigned n)
{
	struct value none = { 0 }, outer = counter->result, result;

	if (!function->body)
		fail_undefined(node, function->name);
	if (function->active)
		fail_at(node, "function '%s' calls itself", function->name);
	for (unsigned i = 0; i < function->n_parameters; i++)
		place_bind(counter, function->parameters[i], i < n ? arguments[i] : none);
	counter->result = none;
	function->active = true;
	if (run(counter, function->body) == FLOW_GOTO)
		fail_at(node, "a goto into a block: put the label '%s' into a block around the goto", counter->label);
	function->active = false;
	result = counter->result;
	counter->result = outer;
	return result;
}

/* One operator of this class.  A rotation by nothing (the second argument) is none, and a result that is known costs
 * nothing. */
static struct value run_operator(struct counter *counter, const struct node *node, enum operator_class class,
        const struct value *arguments, unsigned n)
{
	uint64_t bytes = node->function->result.bytes;
	struct value_node more = { .kind = VALUE_JOIN }, result = { .kind = VALUE_OPERATOR, .class = (int)class };

	if (class == OPERATOR_ROTATE && n >= 2 && arguments[1].known && bytes > 0 &&
	        (uint64_t)arguments[1].bits % (8 * bytes) == 0)
		return arguments[0];
	if (n >= 1 && arguments[0].known && (n == 1 || arguments[1].known))
		return node->function->body ? run_body(counter, node, node->function, arguments, n)
		                            : (struct value){ 0 };
	for (unsigned i = 0; i < n && i < 2; i++)
		result.inputs[i] = count_input(counter, &arguments[i]);
	if (n > 2) {
		more.inputs[0] = result.inputs[1];
		more.inputs[1] = count_input(counter, &arguments[2]);
		result.inputs[1] = values_add(&counter->values, &more);
	}
	result.constant = n >= 2 && arguments[1].known ? arguments[1].bits : 0;
	result.bytes = (unsigned)bytes;
	result.zeros = ~values_mask(bytes);
	return count_value(counter, &result);
}

struct value run_call(struct counter *counter, const struct node *node)
{
	struct value arguments[MAX_ARGUMENTS], none = { 0 };
	struct function *function = node->function;
	enum operator_class class;

	if (node->n_children > MAX_ARGUMENTS)
		fail_at(node, "a call with more than %d arguments", MAX_ARGUMENTS);
	for (unsigned i = 0; i < node->n_children; i++)
		arguments[i] = count_expression(counter, node->children[i]);
	if (role_is_operator(&class, &counter->analysis->patterns, function->name))
		return run_operator(counter, node, class, arguments, node->n_children);
	if (!function->body && library_call(counter, node, arguments, &none))
		return none;
	return run_body(counter, node, function, arguments, node->n_children);
}

/* The function that is analysed. */

static struct value entry_argument(struct counter *counter, struct symbol *symbol)
{
	struct symbol *pointee;
	struct value value = { 0 };

	symbol->is_entry = symbol->type.kind == TYPE_RECORD;
	if (symbol->type.kind == TYPE_INTEGER && setting_use(counter, symbol->name, &value.bits))
		return count_known(value.bits, &symbol->type);
	if (symbol->type.kind == TYPE_INTEGER)
		return count_source(counter, symbol, symbol->type.bytes);
	if (!type_is_address(&symbol->type))
		return value;
	pointee = tree_allocate(sizeof *pointee);
	*pointee = *symbol;
	pointee->is_entry = true;
	return (struct value){ .known = true, .root = pointee, .role = ROLE_FOREIGN };
}

void run_entry(struct counter *counter, const struct unit *unit)
{
	struct value arguments[MAX_ARGUMENTS], result;
	struct function *function = unit->entry;

	if (function->n_parameters > MAX_ARGUMENTS)
		fail_at(unit->at_entry, "more than %d parameters", MAX_ARGUMENTS);
	for (unsigned i = 0; i < function->n_parameters; i++)
		arguments[i] = entry_argument(counter, function->parameters[i]);
	result = run_body(counter, unit->at_entry, function, arguments, function->n_parameters);
	count_use(counter, &result, values_mask(function->result.bytes));
}
