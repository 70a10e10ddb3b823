/* Statements and calls. */
#include <string.h>

#include "ppf/analysis/count.h"
#include "gpucrypt/status.h"
#include "ppf/analysis/roles.h"

#define MAX_ARGUMENTS 32

/* FLOW_GOTO: to the label counter->label. */
enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_GOTO };

static enum flow run(struct counter *counter, const struct node *node);

/* The failure names the parameter, member or array that the data comes from, and the option that helps. */
static void fail_on_data(struct counter *counter, const struct node *node, const struct value *value, const char *what)
{
	const struct symbol *origin = values_origin(&counter->values, value->flow);
	const char *name = origin ? origin->name : NULL;

	if (!name)
		count_fail(counter, node, "%s depends on data", what);
	else if (origin->type.kind == TYPE_INTEGER)
		count_fail(counter, node, "%s depends on data: '%s' is not known: give its value by --set %s=VALUE",
		        what, name, name);
	else
		count_fail(counter, node,
		        "%s depends on data from '%s': make it a selection by ?:, of which both sides are counted, or give "
		        "the value of an element by --set '%s[INDEX]=VALUE'",
		        what, name, name);
}

/* A condition that decides what runs; what: for the message. */
static bool decide(struct counter *counter, const struct node *condition, const char *what)
{
	struct value value = count_expression(counter, condition);
	int truth = count_truth(condition, &value);

	if (truth < 0)
		fail_on_data(counter, condition, &value, what);
	return truth == 1 && counter->status == GPUCRYPT_OK;
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
		return count_enter(counter, label) ? (count_leave(counter), true) : (count_leave(counter), false);
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

static enum flow run_declare(struct counter *counter, const struct node *node)
{
	struct symbol *symbol = node->symbol;
	struct value value = { 0 };

	if (symbol->storage == STORAGE_STATIC)
		return FLOW_NEXT;
	if (symbol->initial && symbol->initial->kind == NODE_LIST && !place_is_scalar(symbol) &&
	        (symbol->type.kind == TYPE_RECORD || counter->analysis->by_value)) {
		place_bind(counter, symbol, value);
		cell_fill(counter, symbol, symbol->initial, 0);
		return FLOW_NEXT;
	}
	if (symbol->initial)
		value = count_expression(counter, symbol->initial);
	place_bind(counter, symbol, value);
	return FLOW_NEXT;
}

static enum flow run_if(struct counter *counter, const struct node *node)
{
	if (decide(counter, node->children[0], "an if"))
		return run(counter, node->children[1]);
	return node->n_children > 2 ? run(counter, node->children[2]) : FLOW_NEXT;
}

/* Loops.  Each pass is run by itself: counts may differ. */

struct loop {
	const struct node *condition, *step, *body; /* NULL: none */
	bool body_first;
};

static enum flow run_loop(struct counter *counter, const struct node *node, const struct loop *loop)
{
	bool check = !loop->body_first;
	enum flow flow = FLOW_NEXT;

	while (count_enter(counter, node)) {
		if (check && loop->condition && !decide(counter, loop->condition, "the condition of a loop"))
			break;
		check = true;
		flow = run(counter, loop->body);
		if (flow == FLOW_BREAK || flow >= FLOW_RETURN)
			break;
		if (loop->step)
			count_expression(counter, loop->step);
		count_leave(counter);
	}
	count_leave(counter);
	return flow >= FLOW_RETURN ? flow : FLOW_NEXT;
}

static enum flow run_for(struct counter *counter, const struct node *node)
{
	struct loop loop = { node->children[1], node->children[2], node->children[3], false };

	if (node->children[0])
		run(counter, node->children[0]);
	return run_loop(counter, node, &loop);
}

static enum flow run_while(struct counter *counter, const struct node *node)
{
	struct loop loop = { node->children[0], NULL, node->children[1], false };

	return run_loop(counter, node, &loop);
}

static enum flow run_do(struct counter *counter, const struct node *node)
{
	struct loop loop = { node->children[1], NULL, node->children[0], true };

	return run_loop(counter, node, &loop);
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

static enum flow run_case(struct counter *counter, const struct node *node)
{
	return run(counter, node->children[1]);
}

static enum flow run_return(struct counter *counter, const struct node *node)
{
	struct value none = { 0 };

	counter->result = node->n_children > 0 ? count_expression(counter, node->children[0]) : none;
	return FLOW_RETURN;
}

static enum flow run_break(struct counter *counter, const struct node *node)
{
	(void)counter, (void)node;
	return FLOW_BREAK;
}

static enum flow run_continue(struct counter *counter, const struct node *node)
{
	(void)counter, (void)node;
	return FLOW_CONTINUE;
}

static enum flow run_label(struct counter *counter, const struct node *node)
{
	return run(counter, node->children[0]);
}

static enum flow run_goto(struct counter *counter, const struct node *node)
{
	counter->label = node->text;
	return FLOW_GOTO;
}

static enum flow (*const statements[])(struct counter *, const struct node *) = {
	[NODE_BLOCK] = run_block,
	[NODE_DECLARE] = run_declare,
	[NODE_IF] = run_if,
	[NODE_FOR] = run_for,
	[NODE_WHILE] = run_while,
	[NODE_DO] = run_do,
	[NODE_SWITCH] = run_switch,
	[NODE_CASE] = run_case,
	[NODE_RETURN] = run_return,
	[NODE_BREAK] = run_break,
	[NODE_CONTINUE] = run_continue,
	[NODE_LABEL] = run_label,
	[NODE_GOTO] = run_goto,
};

static enum flow run(struct counter *counter, const struct node *node)
{
	enum flow flow = FLOW_NEXT;

	if (node->kind < NODE_BLOCK) {
		count_expression(counter, node);
		return counter->status == GPUCRYPT_OK ? FLOW_NEXT : FLOW_RETURN;
	}
	if (count_enter(counter, node))
		flow = statements[node->kind](counter, node);
	count_leave(counter);
	return counter->status == GPUCRYPT_OK ? flow : FLOW_RETURN;
}

struct value run_statements(struct counter *counter, const struct node *node)
{
	const unsigned n = node->n_children;
	const struct node *last = n > 0 ? node->children[n - 1] : NULL;
	struct node before = *node;
	enum flow flow;

	before.n_children = n - (last && last->kind < NODE_BLOCK);
	flow = run_block(counter, &before);
	if (flow != FLOW_NEXT && counter->status == GPUCRYPT_OK)
		count_fail(counter, node, "a jump out of a statement expression: use a function");
	return last && last->kind < NODE_BLOCK ? count_expression(counter, last) : (struct value){ 0 };
}

/* Calls. */

static void fail_undefined(struct counter *counter, const struct node *node, const char *name)
{
	if (!strncmp(name, "__builtin_", strlen("__builtin_")))
		count_fail(
		        counter, node, "function '%s' is not defined in the file: define it in C by --include", name);
	else
		count_fail(counter, node,
		        "function '%s' is not defined in the file: name the source that has it, too, or define it by "
		        "--include",
		        name);
}

static struct value run_body(struct counter *counter, const struct node *node, struct function *function,
        const struct value *arguments, unsigned n)
{
	struct value none = { 0 }, outer = counter->result, result;

	if (!function->body)
		fail_undefined(counter, node, function->name);
	else if (function->active)
		count_fail(counter, node, "function '%s' calls itself", function->name);
	if (counter->status != GPUCRYPT_OK || !function->body)
		return none;
	for (unsigned i = 0; i < function->n_parameters; i++)
		place_bind(counter, function->parameters[i], i < n ? arguments[i] : none);
	counter->result = none;
	function->active = true;
	if (run(counter, function->body) == FLOW_GOTO)
		count_fail(counter, node, "a goto into a block: put the label '%s' into a block around the goto",
		        counter->label);
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

	if (node->n_children > MAX_ARGUMENTS) {
		count_fail(counter, node, "a call with more than %d arguments", MAX_ARGUMENTS);
		return none;
	}
	for (unsigned i = 0; i < node->n_children; i++)
		arguments[i] = count_expression(counter, node->children[i]);
	if (role_is_rotate(&counter->analysis->patterns, function->name))
		return run_operator(counter, node, OPERATOR_ROTATE, arguments, node->n_children);
	if (role_is_permute(&counter->analysis->patterns, function->name))
		return run_operator(counter, node, OPERATOR_PERMUTE, arguments, node->n_children);
	if (role_is_wide(&counter->analysis->patterns, function->name))
		return run_operator(counter, node, OPERATOR_WIDE, arguments, node->n_children);
	if (!function->body && library_call(counter, node, arguments, &none))
		return none;
	return run_body(counter, node, function, arguments, node->n_children);
}

/* The function that is analysed. */

static struct value entry_argument(struct counter *counter, struct symbol *symbol)
{
	struct value value = { 0 };

	symbol->is_entry = true;
	if (symbol->type.kind == TYPE_INTEGER && setting_find(counter, symbol->name, &value.bits))
		return count_known(value.bits, &symbol->type);
	if (symbol->type.kind == TYPE_INTEGER)
		return count_source(counter, symbol, symbol->type.bytes);
	if (!place_is_address(&symbol->type))
		return value;
	return (struct value){ .known = true, .root = symbol, .role = ROLE_FOREIGN };
}

int run_entry(struct counter *counter, struct unit *unit)
{
	struct value arguments[MAX_ARGUMENTS], result;
	struct function *function = unit->entry;

	counter->unit = unit;
	if (function->n_parameters > MAX_ARGUMENTS) {
		count_fail(counter, unit->at_entry, "more than %d parameters", MAX_ARGUMENTS);
		return counter->status;
	}
	for (unsigned i = 0; i < function->n_parameters; i++)
		arguments[i] = entry_argument(counter, function->parameters[i]);
	result = run_body(counter, unit->at_entry, function, arguments, function->n_parameters);
	count_use(counter, &result, values_mask(function->result.bytes));
	return counter->status;
}
