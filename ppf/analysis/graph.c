#include "ppf/analysis/graph.h"

#include <stdlib.h>
#include <string.h>

#include "ppf/analysis/tree.h"

#define MAX_INPUTS 3

const char *const slow_names[N_SLOW_OPERATORS] = { "add", "mul", "turn", "carry" };

static void use(struct graph *graph, unsigned node)
{
	if (node != 0)
		graph->nodes[node].uses++;
}

unsigned graph_add(struct graph *graph, enum graph_kind kind, unsigned a, unsigned b)
{
	if (graph->n + 1 >= graph->room) {
		graph->room = 2 * graph->room + 1024;
		graph->nodes = tree_grow(graph->nodes, graph->room * sizeof *graph->nodes);
	}
	graph->nodes[++graph->n] = (struct graph_node){ kind, { a, b }, 0, 1, N_SLOW_OPERATORS };
	use(graph, a);
	use(graph, b);
	return graph->n;
}

/* The inputs of one function, each once; constants are distinguished. */
struct function_inputs {
	unsigned input[2 * MAX_INPUTS], n;
};

static void add_input(struct function_inputs *to, unsigned input)
{
	for (unsigned i = 0; i < to->n && input != 0; i++)
		if (to->input[i] == input)
			return;
	to->input[to->n++] = input;
}

/* The same cone of logic operators with one operator replaced by its operands. */
static struct function_inputs absorb(const struct graph *graph, const struct function_inputs *from, unsigned which)
{
	const struct graph_node *node = &graph->nodes[from->input[which]];
	struct function_inputs to = { .n = 0 };

	for (unsigned i = 0; i < from->n; i++)
		if (i != which)
			add_input(&to, from->input[i]);
	add_input(&to, node->inputs[0]);
	add_input(&to, node->inputs[1]);
	return to;
}

static bool absorbable(const struct graph *graph, unsigned node)
{
	return node != 0 && graph->nodes[node].kind == GRAPH_LOGIC && graph->nodes[node].uses == 1;
}

/* The function that ends in a node; what goes into it is marked. */
static struct function_inputs grow(const struct graph *graph, unsigned root, bool *absorbed)
{
	struct function_inputs inputs = { .n = 0 };

	add_input(&inputs, graph->nodes[root].inputs[0]);
	add_input(&inputs, graph->nodes[root].inputs[1]);
	for (unsigned i = 0; i < inputs.n && graph->nodes[root].kind == GRAPH_LOGIC;) {
		unsigned node = inputs.input[i];
		struct function_inputs grown = { .n = MAX_INPUTS + 1 };
		if (absorbable(graph, node))
			grown = absorb(graph, &inputs, i);
		if (grown.n <= MAX_INPUTS) {
			absorbed[node] = true;
			inputs = grown;
			i = 0;
		} else {
			i++;
		}
	}
	return inputs;
}

/* Look-ups and operators one after the other, up to and with a node. */
struct way {
	unsigned lookups, operators, slow[N_SLOW_OPERATORS];
};

/* About how many operators a look-up takes as long as; it only decides between ways. */
#define LOOKUP_WEIGHT 6

static bool longer(struct way a, struct way b)
{
	return LOOKUP_WEIGHT * a.lookups + a.operators > LOOKUP_WEIGHT * b.lookups + b.operators;
}

static struct way way_to(const struct graph_node *node, const struct function_inputs *inputs, const struct way *ways)
{
	struct way way = { 0 };

	for (unsigned i = 0; i < inputs->n; i++)
		if (longer(ways[inputs->input[i]], way))
			way = ways[inputs->input[i]];
	way.lookups += node->kind == GRAPH_LOOKUP;
	way.operators += node->kind == GRAPH_LOGIC || node->kind == GRAPH_OTHER;
	if (node->slow != N_SLOW_OPERATORS)
		way.slow[node->slow]++;
	return way;
}

/* Values that remain after fusing, in the order of the source, held in a register file. */
static void count_moves(struct graph_summary *summary, const struct graph *graph, const struct function_inputs *inputs,
        const bool *absorbed)
{
	struct register_step *steps = tree_array(graph->n + 1, sizeof *steps);
	unsigned n = 0;

	for (unsigned node = 1; node <= graph->n; node++) {
		if (absorbed[node] || graph->nodes[node].kind == GRAPH_SOURCE)
			continue;
		steps[n].result = node;
		for (unsigned i = 0; i < inputs[node].n && i < MAX_STEP_INPUTS; i++)
			steps[n].inputs[i] = inputs[node].input[i];
		n++;
	}
	for (unsigned file = 0; file < N_REGISTER_FILES; file++)
		summary->moves[file] = registers_moves(steps, n, graph->n, 16u << file);
	free(steps);
}

struct graph_summary graph_summarize(const struct graph *graph)
{
	bool *absorbed = tree_array(graph->n + 1, sizeof *absorbed);
	struct function_inputs *inputs = tree_array(graph->n + 1, sizeof *inputs);
	struct way *ways = tree_array(graph->n + 1, sizeof *ways), longest = { 0 };
	struct graph_summary summary = { 0 };

	/* Users come after what they use. */
	for (unsigned node = graph->n; node > 0; node--) {
		if (absorbed[node])
			continue;
		inputs[node] = grow(graph, node, absorbed);
		if (graph->nodes[node].kind == GRAPH_LOGIC)
			summary.functions += graph->nodes[node].words;
	}
	for (unsigned node = 1; node <= graph->n; node++) {
		if (!absorbed[node])
			ways[node] = way_to(&graph->nodes[node], &inputs[node], ways);
		if (longer(ways[node], longest))
			longest = ways[node];
	}
	summary.lookups_deep = longest.lookups;
	summary.operators_deep = longest.operators;
	memcpy(summary.slow_deep, longest.slow, sizeof summary.slow_deep);
	count_moves(&summary, graph, inputs, absorbed);
	free(absorbed);
	free(inputs);
	free(ways);
	return summary;
}

void graph_free(struct graph *graph)
{
	free(graph->nodes);
	*graph = (struct graph){ 0 };
}
