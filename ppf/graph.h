/*
 * Data flow: whose result goes where.  Logic operators in a row become one instruction on devices
 * that have functions of three inputs; how many remain depends on which results are used again.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include <stdbool.h>

struct graph_node {
	bool is_logic;
	unsigned inputs[2]; /* 0: a constant, or nothing; else a node */
	unsigned uses;
};

struct graph {
	struct graph_node *nodes; /* owned; nodes[0] is no node */
	unsigned n, room;
	bool failed;              /* out of memory: what was not added is missing */
};

/* A new node that uses a and b; inputs of what is no logic operator do not matter later. */
unsigned graph_add(struct graph *graph, bool is_logic, unsigned a, unsigned b);

/* One more use, by what is no node. */
void graph_use(struct graph *graph, unsigned node);

/* Functions of up to three inputs (a constant is one) that the logic operators can be made of: one
 * that is used once goes into its user while there is room. */
unsigned graph_functions(const struct graph *graph);

void graph_free(struct graph *graph);

#endif
