/* Data flow: whose result goes where.  Logic operators in a row become one instruction on devices that have functions
 * of three inputs; how many remain depends on which results are used again. */
#include "ppf/analysis/count.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The inputs of one function, each once; constants are distinguished. */
static void add_input(struct function_inputs *to, unsigned input)
{
	for (unsigned i = 0; i < to->n && input != 0; i++)
		if (to->input[i] == input)
			return;
	to->input[to->n++] = input;
}

/* Nodes of values. */

static unsigned add_node(struct graph_node *nodes, unsigned number, enum graph_kind kind, unsigned a, unsigned b)
{
	struct graph_node *node = &nodes[number];

	node->kind = kind;
	add_input(&node->inputs, a);
	add_input(&node->inputs, b);
	nodes[a].uses++;
	nodes[b].uses++;
	return number;
}

static unsigned add_operator(struct graph_node *nodes, unsigned number, const struct value_node *value, unsigned a,
        unsigned b, unsigned n_words)
{
	bool condition = value->operation == OP_LOGICAL_AND || value->operation == OP_LOGICAL_OR;
	struct graph_node *node = &nodes[number];

	node->words = n_words;
	if (value_is_turn(value))
		node->slow[SLOW_TURN] = true;
	else if (value->class == OPERATOR_ADD)
		node->slow[n_words > 1 ? SLOW_CARRY : SLOW_ADD] = true;
	else if (value->class == OPERATOR_MUL)
		node->slow[SLOW_MUL] = true;
	return add_node(nodes, number, value->class == OPERATOR_LOGIC && !condition ? GRAPH_LOGIC : GRAPH_OTHER, a, b);
}

/* The node for a value: that of its input where the value costs nothing of its own. */
static unsigned make_node(struct graph_node *nodes, const struct values *values, unsigned number, unsigned cost)
{
	const struct value_node *value = &values->nodes[number];
	unsigned a = nodes[value->inputs[0]].of, b = nodes[value->inputs[1]].of;
	bool choice = value->class == OPERATOR_COMPARE && value->operation == OP_NONE;
	enum role role = value_role(value);

	switch (value->kind) {
	case VALUE_SOURCE:
		return value->root && value->root->type.kind != TYPE_INTEGER
		               ? add_node(nodes, number, GRAPH_SOURCE, 0, 0)
		               : 0;
	case VALUE_LOAD:
		return role == ROLE_STATE || values->nodes[value->inputs[0]].kind != VALUE_SOURCE || a == 0
		               ? a
		               : add_node(nodes, number, GRAPH_SOURCE, 0, 0);
	case VALUE_LOOKUP:
		return role == ROLE_TABLE ? add_node(nodes, number, GRAPH_LOOKUP, a, 0)
		                          : add_node(nodes, number, GRAPH_SOURCE, 0, 0);
	case VALUE_OPERATOR:
		if (choice && values->as_written)
			return 0;
		if (cost == 0 || value->operation == OP_COMPLEMENT)
			return a ? a : b;
		return add_operator(nodes, number, value, a, b, cost);
	default:
		return a && b && a != b ? add_node(nodes, number, GRAPH_JOIN, a, b) : a ? a : b;
	}
}

/* Functions of three inputs. */

/* The same cone of logic operators with one operator replaced by its operands. */
static struct function_inputs absorb(const struct graph_node *nodes, const struct function_inputs *from, unsigned which)
{
	const struct function_inputs *operands = &nodes[from->input[which]].inputs;
	struct function_inputs to = { .n = 0 };

	for (unsigned i = 0; i < from->n; i++)
		if (i != which)
			add_input(&to, from->input[i]);
	for (unsigned i = 0; i < operands->n; i++)
		add_input(&to, operands->input[i]);
	return to;
}

/* Extend the function that ends in a node; what goes into it is marked. */
static void grow(struct graph_node *nodes, unsigned root)
{
	struct function_inputs *inputs = &nodes[root].inputs;

	for (unsigned i = 0; i < inputs->n && nodes[root].kind == GRAPH_LOGIC;) {
		struct graph_node *node = &nodes[inputs->input[i]];
		struct function_inputs grown = { .n = MAX_INPUTS + 1 };

		if (node != nodes && node->kind == GRAPH_LOGIC && node->uses == 1)
			grown = absorb(nodes, inputs, i);
		if (grown.n <= MAX_INPUTS) {
			node->absorbed = true;
			*inputs = grown;
			i = 0;
		} else {
			i++;
		}
	}
}

/* The critical path. */

/* About how many operators a look-up takes as long as; it only decides between ways. */
#define LOOKUP_WEIGHT 6

static bool longer(const struct way *a, const struct way *b)
{
	return LOOKUP_WEIGHT * a->lookups + a->operators > LOOKUP_WEIGHT * b->lookups + b->operators;
}

static void find_way(struct graph_node *nodes, struct graph_node *node)
{
	for (unsigned i = 0; i < node->inputs.n; i++)
		if (longer(&nodes[node->inputs.input[i]].way, &node->way))
			node->way = nodes[node->inputs.input[i]].way;
	node->way.lookups += node->kind == GRAPH_LOOKUP;
	node->way.operators += node->kind == GRAPH_LOGIC || node->kind == GRAPH_OTHER;
	for (unsigned i = 0; i < N_SLOW_OPERATORS; i++)
		node->way.slow[i] += node->slow[i];
}

/* Registers. */

#define NEVER         UINT_MAX
#define MAX_REGISTERS 32

/* A value: the node that takes it next, and whether memory has it.  after: of the node that makes the value, the nodes
 * that take its inputs next. */
struct value_state {
	unsigned next, after[MAX_INPUTS];
	bool in_memory, seen;
};

struct file {
	struct value_state *values;        /* owned; by node */
	unsigned registers[MAX_REGISTERS]; /* values; 0: free */
	unsigned n_registers, moves;
};

static bool is_step(const struct graph_node *node)
{
	return node->kind > GRAPH_SOURCE && !node->absorbed;
}

/* From the last node to the first: who takes each input next, and who takes each value first. */
static void look_ahead(struct file *file, const struct graph_node *nodes, unsigned n)
{
	for (unsigned i = n; i > 0; i--) {
		const struct function_inputs *inputs = &nodes[i].inputs;

		for (unsigned j = 0; j < inputs->n && is_step(&nodes[i]); j++)
			file->values[i].after[j] = file->values[inputs->input[j]].next;
		for (unsigned j = 0; j < inputs->n && is_step(&nodes[i]); j++)
			file->values[inputs->input[j]].next = i;
	}
}

static bool is_held(const struct file *file, unsigned value)
{
	for (unsigned i = 0; i < file->n_registers; i++)
		if (file->registers[i] == value)
			return true;
	return false;
}

/* A free one, or the one whose value is needed last. */
static unsigned *make_room(struct file *file)
{
	unsigned *last = &file->registers[0];

	for (unsigned i = 0; i < file->n_registers; i++) {
		unsigned *at = &file->registers[i];

		if (*at == 0 || file->values[*at].next == NEVER)
			return at;
		if (file->values[*at].next > file->values[*last].next)
			last = at;
	}
	file->moves += !file->values[*last].in_memory;
	file->values[*last].in_memory = true;
	return last;
}

static void take_inputs(struct file *file, const struct function_inputs *inputs, const unsigned *after)
{
	for (unsigned j = 0; j < inputs->n; j++) {
		struct value_state *value = &file->values[inputs->input[j]];

		if (inputs->input[j] != 0 && !is_held(file, inputs->input[j])) {
			file->moves += value->seen;
			*make_room(file) = inputs->input[j];
		}
		value->seen = true;
	}
	for (unsigned j = 0; j < inputs->n; j++)
		file->values[inputs->input[j]].next = after[j];
}

unsigned registers_moves(const struct graph_node *nodes, unsigned n, unsigned n_registers)
{
	struct file file = { .values = tree_array(n + 1, sizeof *file.values), .n_registers = n_registers };

	for (unsigned i = 0; i <= n; i++)
		file.values[i] = (struct value_state){ .next = NEVER, .in_memory = true };
	look_ahead(&file, nodes, n);
	for (unsigned i = 1; i <= n; i++) {
		struct value_state *result = &file.values[i];

		if (!is_step(&nodes[i]))
			continue;
		take_inputs(&file, &nodes[i].inputs, result->after);
		if (result->next == NEVER)
			continue;
		*make_room(&file) = i;
		result->in_memory = false;
		result->seen = true;
	}
	free(file.values);
	return file.moves;
}

void graph_summarize(struct profile *profile, const struct values *values, const unsigned *costs)
{
	struct graph_node *nodes = tree_array(values->n + 1, sizeof *nodes);
	struct way longest = { 0 };

	for (unsigned i = 1; i <= values->n; i++)
		if (values->nodes[i].demanded != 0)
			nodes[i].of = make_node(nodes, values, i, costs[i]);
	for (unsigned i = values->n; i > 0; i--) { /* users come after what they use */
		if (nodes[i].absorbed)
			continue;
		grow(nodes, i);
		profile->logic_functions += nodes[i].kind == GRAPH_LOGIC ? nodes[i].words : 0;
	}
	for (unsigned i = 1; i <= values->n; i++) {
		if (!nodes[i].absorbed)
			find_way(nodes, &nodes[i]);
		if (longer(&nodes[i].way, &longest))
			longest = nodes[i].way;
	}
	profile->lookups_deep = longest.lookups;
	profile->operators_deep = longest.operators;
	memcpy(profile->slow_deep, longest.slow, sizeof profile->slow_deep);
	for (unsigned file = 0; file < N_REGISTER_FILES; file++)
		profile->moves[file] = registers_moves(nodes, values->n, 16u << file);
	free(nodes);
}
