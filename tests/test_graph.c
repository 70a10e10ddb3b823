/* Logic functions of three inputs: what can become one instruction, and what cannot. */
#include "tests/cmocka_all.h"

#include "ppf/graph.h"

/* A word that comes from somewhere. */
static unsigned word(struct graph *graph)
{
	return graph_add(graph, false, 0, 0);
}

static unsigned functions(struct graph *graph)
{
	unsigned n = graph_functions(graph);

	graph_free(graph);
	return n;
}

static void a_row_of_operators(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 8; n++) {
		struct graph graph = { 0 };
		unsigned sum = word(&graph);

		for (unsigned i = 0; i < n; i++)
			sum = graph_add(&graph, true, sum, word(&graph));
		assert_int_equal(functions(&graph), (n + 1) / 2);
	}
}

/* c ^ (a & d), and b & (that ^ d): each has three different inputs, the first is used twice. */
static void an_input_counts_once(void **state)
{
	struct graph graph = { 0 };
	unsigned a = word(&graph), b = word(&graph), c = word(&graph), d = word(&graph);
	unsigned first = graph_add(&graph, true, c, graph_add(&graph, true, a, d));
	unsigned inner = graph_add(&graph, true, first, d);

	(void)state;
	graph_add(&graph, true, first, graph_add(&graph, true, b, inner));
	assert_int_equal(functions(&graph), 2);
}

/* What is used again has to be there. */
static void a_result_used_twice(void **state)
{
	struct graph graph = { 0 };
	unsigned sum = graph_add(&graph, true, word(&graph), word(&graph));

	(void)state;
	graph_add(&graph, true, sum, word(&graph));
	graph_add(&graph, false, sum, 0);
	assert_int_equal(functions(&graph), 2);
}

/* (u & constant) ^ v is one; a shift between two operators keeps them apart. */
static void constants_and_other_operators(void **state)
{
	struct graph graph = { 0 };
	unsigned masked = graph_add(&graph, true, word(&graph), 0);

	(void)state;
	graph_add(&graph, true, masked, word(&graph));
	assert_int_equal(functions(&graph), 1);
	masked = graph_add(&graph, true, word(&graph), 0);
	graph_add(&graph, true, graph_add(&graph, false, masked, 0), word(&graph));
	assert_int_equal(functions(&graph), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_of_operators),
		cmocka_unit_test(an_input_counts_once),
		cmocka_unit_test(a_result_used_twice),
		cmocka_unit_test(constants_and_other_operators),
	};

	return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
