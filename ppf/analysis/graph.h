/*
 * Data flow: whose result goes where.  Logic operators in a row become one instruction on devices
 * that have functions of three inputs; how many remain depends on which results are used again.
 */
#ifndef PPF_ANALYSIS_GRAPH_H
#define PPF_ANALYSIS_GRAPH_H

#include <stdbool.h>

/* Vector registers of a processor: 16 with AVX2, 32 with AVX-512. */
enum register_file { REGISTERS_16, REGISTERS_32, N_REGISTER_FILES };

/* Operators with a longer latency than others, counted on the critical path. */
enum slow_operator {
	SLOW_ADD,
	SLOW_MUL,
	SLOW_TURN,  /* a rotation by data, written as two shifts */
	SLOW_CARRY, /* an addition of 64 bits */
	N_SLOW_OPERATORS
};

/* "add", "mul", …: the JSON names. */
extern const char *const slow_names[N_SLOW_OPERATORS];

/* GRAPH_JOIN: what needs both inputs, and costs nothing. */
enum graph_kind { GRAPH_SOURCE, GRAPH_JOIN, GRAPH_LOGIC, GRAPH_OTHER, GRAPH_LOOKUP };

struct graph_node {
	enum graph_kind kind;
	unsigned inputs[2]; /* 0: a constant, or nothing; else a node */
	unsigned uses;
	unsigned words;          /* 32-bit operations that it stands for */
	enum slow_operator slow; /* N_SLOW_OPERATORS: none */
};

struct graph {
	struct graph_node *nodes; /* owned; nodes[0] is no node */
	unsigned n, room;
};

/* A new node of one word that uses a and b. */
unsigned graph_add(struct graph *graph, enum graph_kind kind, unsigned a, unsigned b);

struct graph_summary {
	/* Functions of up to three inputs (a constant is one) that cover the logic operators, for each word: an
	 * operator with one use is merged into its user while inputs are free. */
	unsigned functions;
	/* Length of the critical path, where a look-up counts as several operators; functions and other operators. */
	unsigned lookups_deep, operators_deep;
	unsigned slow_deep[N_SLOW_OPERATORS]; /* number of these among operators_deep */
	unsigned moves[N_REGISTER_FILES];     /* of results that registers cannot hold */
};

struct graph_summary graph_summarize(const struct graph *graph);

void graph_free(struct graph *graph);

#define MAX_REGISTERS   32
#define MAX_STEP_INPUTS 3

/* One operator or function: the values it takes, and the one it makes, all by number from 1 on; 0: none. */
struct register_step {
	unsigned result, inputs[MAX_STEP_INPUTS];
};

/*
 * Loads and stores of values beyond a file of so many registers, in this order of steps: they go to memory and come
 * back.  A compiler knows all later uses; this model, too, keeps the values that are needed soonest (L. A. Belady,
 * 1966).  What no step makes is in memory before, and to load it for the first time does not count.
 */
unsigned registers_moves(const struct register_step *steps, unsigned n_steps, unsigned n_values, unsigned n_registers);

#endif
