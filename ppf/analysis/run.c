/* Statements and calls. */
#include <string.h>

#include "ppf/analysis/count.h"
#include "gpucrypt/status.h"
#include "ppf/analysis/roles.h"

#define MAX_ARGUMENTS  32
#define MAX_COPY_BYTES 4096

enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN };

static enum flow run(struct counter *counter, const struct node *node);

/* The first variable or member in an expression, for messages. */
static const char *name_of_data(const struct node *node)
{
	while (node->kind != NODE_NAME && node->kind != NODE_MEMBER && node->n_children > 0)
		node = node->children[0];
	return node->kind == NODE_NAME ? node->symbol->name : node->kind == NODE_MEMBER ? node->text : "a value";
}

/* A condition that decides what runs; what: for the message. */
static bool decide(struct counter *counter, const struct node *condition, const char *what)
{
	struct value value = count_expression(counter, condition);
	int truth = count_truth(condition, &value);

	if (truth < 0)
		count_fail(counter, condition, "%s depends on data, '%s'", what, name_of_data(condition));
	return truth == 1 && counter->status == GPUCRYPT_OK;
}

static enum flow run_block(struct counter *counter, const struct node *node)
{
	enum flow flow = FLOW_NEXT;

	for (unsigned i = 0; i < node->n_children && flow == FLOW_NEXT; i++)
		flow = run(counter, node->children[i]);
	return flow;
}

static enum flow run_declare(struct counter *counter, const struct node *node)
{
	struct symbol *symbol = node->symbol;
	struct value value = { 0 };

	if (symbol->storage == STORAGE_STATIC)
		return FLOW_NEXT;
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
		if (flow == FLOW_BREAK || flow == FLOW_RETURN)
			break;
		if (loop->step)
			count_expression(counter, loop->step);
		count_leave(counter);
	}
	count_leave(counter);
	return flow == FLOW_RETURN ? flow : FLOW_NEXT;
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
			label = count_silently(counter, node->children[0]);
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
		count_fail(counter, node, "a switch depends on data, '%s'", name_of_data(node->children[0]));
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

/* Calls. */

static struct value run_body(struct counter *counter, const struct node *node, struct function *function,
        const struct value *arguments, unsigned n)
{
	struct value none = { 0 };

	if (!function->body)
		count_fail(counter, node, "function '%s' is not defined in the file", function->name);
	else if (function->active)
		count_fail(counter, node, "function '%s' calls itself", function->name);
	if (counter->status != GPUCRYPT_OK || !function->body)
		return none;
	for (unsigned i = 0; i < function->n_parameters; i++)
		place_bind(counter, function->parameters[i], i < n ? arguments[i] : none);
	counter->result = none;
	function->active = true;
	run(counter, function->body);
	function->active = false;
	return counter->result;
}

/* Count one operator of this class. A rotation by zero (the second argument) is not counted, and a value that is known
 * before costs nothing. */
static struct value run_operator(struct counter *counter, const struct node *node, enum operator_class class,
        const struct value *arguments, unsigned n)
{
	struct counts counts = counter->counts;
	uint64_t bits = 8 * node->function->result.bytes;
	struct value none = { 0 };

	if (class == OPERATOR_ROTATE && n >= 2 && arguments[1].known && bits > 0 &&
	        (uint64_t)arguments[1].bits % bits == 0)
		return arguments[0];
	if (n >= 1 && arguments[0].known && (n == 1 || arguments[1].known)) {
		if (!node->function->body)
			return none;
		none = run_body(counter, node, node->function, arguments, n);
		counter->counts = counts;
		return none;
	}
	counter->counts.operators[class]++;
	return count_result(counter, GRAPH_OTHER, n >= 1 ? &arguments[0] : NULL, n >= 2 ? &arguments[1] : NULL);
}

/* memcpy(to, from, n), as loads and stores of words, and of bytes at the end. */
static struct value run_copy(struct counter *counter, const struct node *node, const struct value arguments[3])
{
	int64_t n = arguments[2].bits;

	if (!arguments[2].known || n < 0 || n > MAX_COPY_BYTES) {
		count_fail(counter, node, "memcpy of an unknown number of bytes");
		return arguments[0];
	}
	for (int64_t done = 0, step; done < n && counter->status == GPUCRYPT_OK; done += step) {
		const struct value offset = { .known = true, .bits = done };
		struct node element = { .kind = NODE_SUBSCRIPT,
			.type = { .kind = TYPE_INTEGER },
			.children = node->children,
			.n_children = 1,
			.file = node->file,
			.line = node->line };
		struct place to = { .at = place_shift(arguments[0], &offset, 1, 1) },
		             from = { .at = place_shift(arguments[1], &offset, 1, 1) };
		struct value value;

		step = n - done >= 4 ? 4 : 1;
		element.type.bytes = (uint64_t)step;
		value = place_load(counter, &element, &from);
		place_store(counter, &element, &to, value);
	}
	return arguments[0];
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
	if (!function->body && node->n_children == 3 &&
	        (strcmp(function->name, "memcpy") == 0 || strcmp(function->name, "__builtin_memcpy") == 0 ||
	                strcmp(function->name, "memmove") == 0))
		return run_copy(counter, node, arguments);
	if (role_is_rotate(counter->patterns, function->name))
		return run_operator(counter, node, OPERATOR_ROTATE, arguments, node->n_children);
	if (role_is_permute(counter->patterns, function->name))
		return run_operator(counter, node, OPERATOR_PERMUTE, arguments, node->n_children);
	if (role_is_wide(counter->patterns, function->name))
		return run_operator(counter, node, OPERATOR_WIDE, arguments, node->n_children);
	return run_body(counter, node, function, arguments, node->n_children);
}

/* The function that is analysed. */

static struct value entry_argument(struct counter *counter, struct symbol *symbol)
{
	struct value value = { 0 };

	if (!place_is_address(&symbol->type)) {
		count_set_value(counter, symbol->name, &symbol->type, &value);
		return value;
	}
	value.known = true;
	value.root = symbol;
	value.role = role_of_parameter(counter->patterns, symbol);
	if (value.role == ROLE_REGISTER) { /* the state: loaded before, stored afterwards */
		counter->counts.plain_bytes += symbol->type.bytes;
		counter->counts.cipher_bytes += symbol->type.is_const ? 0 : symbol->type.bytes;
	}
	return value;
}

int run_entry(struct counter *counter, const struct unit *unit)
{
	struct value arguments[MAX_ARGUMENTS];
	struct function *function = unit->entry;

	if (function->n_parameters > MAX_ARGUMENTS) {
		count_fail(counter, unit->at_entry, "more than %d parameters", MAX_ARGUMENTS);
		return counter->status;
	}
	for (unsigned i = 0; i < function->n_parameters; i++)
		arguments[i] = entry_argument(counter, function->parameters[i]);
	run_body(counter, unit->at_entry, function, arguments, function->n_parameters);
	return counter->status;
}
