/* Logic functions of three inputs: what can become one instruction, and what cannot. */
#include "tests/unit/cmocka_all.h"

#include "ppf/analysis/graph.h"

/* A word that comes from somewhere. */
static unsigned word(struct graph *graph)
{
	return graph_add(graph, GRAPH_SOURCE, 0, 0);
}

static unsigned functions(struct graph *graph)
{
	struct graph_summary summary;

	assert_true(graph_summarize(&summary, graph));
	graph_free(graph);
	return summary.functions;
}

TEST(a_row_of_operators)
{
	for (unsigned n = 1; n <= 8; n++) {
		struct graph graph = { 0 };
		unsigned sum = word(&graph);

		for (unsigned i = 0; i < n; i++)
			sum = graph_add(&graph, GRAPH_LOGIC, sum, word(&graph));
		assert_int_equal(functions(&graph), (n + 1) / 2);
	}
}

/* c ^ (a & d), and b & (that ^ d): each has three different inputs, the first is used twice. */
TEST(an_input_counts_once)
{
	struct graph graph = { 0 };
	unsigned a = word(&graph), b = word(&graph), c = word(&graph), d = word(&graph);
	unsigned first = graph_add(&graph, GRAPH_LOGIC, c, graph_add(&graph, GRAPH_LOGIC, a, d));
	unsigned inner = graph_add(&graph, GRAPH_LOGIC, first, d);

	graph_add(&graph, GRAPH_LOGIC, first, graph_add(&graph, GRAPH_LOGIC, b, inner));
	assert_int_equal(functions(&graph), 2);
}

/* A value that is used again stays in a register. */
TEST(a_result_used_twice)
{
	struct graph graph = { 0 };
	unsigned sum = graph_add(&graph, GRAPH_LOGIC, word(&graph), word(&graph));

	graph_add(&graph, GRAPH_LOGIC, sum, word(&graph));
	graph_add(&graph, GRAPH_OTHER, sum, 0);
	assert_int_equal(functions(&graph), 2);
}

/* (u & constant) ^ v is one; a shift between two operators keeps them apart. */
TEST(constants_and_other_operators)
{
	struct graph graph = { 0 };
	unsigned masked = graph_add(&graph, GRAPH_LOGIC, word(&graph), 0);

	graph_add(&graph, GRAPH_LOGIC, masked, word(&graph));
	assert_int_equal(functions(&graph), 1);
	masked = graph_add(&graph, GRAPH_LOGIC, word(&graph), 0);
	graph_add(&graph, GRAPH_LOGIC, graph_add(&graph, GRAPH_OTHER, masked, 0), word(&graph));
	assert_int_equal(functions(&graph), 2);
}

/* A look-up, three operators that are two functions, a rotation; beside it a shorter way. */
TEST(the_longest_way)
{
	struct graph graph = { 0 };
	struct graph_summary summary;
	unsigned index = word(&graph), sum = graph_add(&graph, GRAPH_LOOKUP, index, 0);

	for (unsigned i = 0; i < 3; i++)
		sum = graph_add(&graph, GRAPH_LOGIC, sum, word(&graph));
	sum = graph_add(&graph, GRAPH_OTHER, sum, 0);
	graph_add(&graph, GRAPH_LOGIC, graph_add(&graph, GRAPH_LOOKUP, index, 0), sum);
	assert_true(graph_summarize(&summary, &graph));
	assert_int_equal(summary.lookups_deep, 1);
	assert_int_equal(summary.operators_deep, 4);
	graph_free(&graph);
}
