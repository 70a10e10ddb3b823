/*
 * One input on many nodes, which share a storage: the prediction, and a simulation with nodes of different speed that
 * may fail.
 */
#ifndef NODES_H
#define NODES_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_NODES    (1u << 16)
#define MAX_TOGETHER 17 /* 1, 2, 4, … MAX_NODES */

enum dealing {
	DEALING_STATIC, /* each node has a range, as with --part; a node that fails starts its current piece again */
	DEALING_DYNAMIC /* an idle node takes the next piece, as in gcrypt-mpi; if a node fails, all nodes start their
	                   current pieces again */
};

struct nodes_job {
	uint64_t n_bytes, piece_bytes;
	double start_s;             /* of each node, before its first byte */
	double storage_bytes_per_s; /* that all nodes together read, while they write as many; 0: no limit */
	double restart_s;           /* after a failure, until the node, or the job, works again */
	double failure_s;           /* mean time between two failures of a node; 0: none but those of struct node */
	enum dealing dealing;
	/* Nodes that are processes of one host: the rates that 1, 2, 4, … processes reach together in a measurement of
	 * what they share. */
	double together_bytes_per_s[MAX_TOGETHER];
	unsigned n_together; /* 0: the nodes share nothing but the storage */
};

/* What limits the time. */
enum nodes_bound {
	NODES_BOUND_START,   /* more than half of the time */
	NODES_BOUND_NODES,   /* the rate of the nodes */
	NODES_BOUND_PIECES,  /* there are fewer pieces than nodes */
	NODES_BOUND_STORAGE, /* nodes wait for it */
	N_NODES_BOUNDS
};

extern const char *const nodes_bound_names[N_NODES_BOUNDS];

/* The pieces of a job. */
uint64_t nodes_pieces(const struct nodes_job *job);

/* The rate of a node while n work: alone, less what processes of one host lose to each other.  The time that the
 * measured work takes for a byte, at most that of the node, becomes longer as it did in the measurement; the rest does
 * not. */
double nodes_rate(const struct nodes_job *job, double alone_bytes_per_s, unsigned n);

/* The seconds of n equal nodes, none of which fails. */
double nodes_predict(enum nodes_bound *bound, const struct nodes_job *job, double node_bytes_per_s, unsigned n);

/* From how many equal nodes on another one saves no time, as nodes_predict() has it. */
uint64_t nodes_enough(const struct nodes_job *job, double node_bytes_per_s);

/* The numbers of nodes in a table: 1, 2, 4, … and the most.  After the most, a greater one. */
unsigned nodes_next_count(unsigned n, unsigned most);

struct node {
	double bytes_per_s;
	double fails_s; /* since the start of the job; INFINITY: never */
};

struct nodes_outcome {
	double seconds; /* INFINITY: failures leave no time for the work */
	unsigned n_failures;
	double lost_bytes; /* of unfinished pieces, which were started again */
};

/* Simulate.  Ranges are dealt out in the order of the nodes; so are pieces if several nodes are idle at one time.
 * random: the state of nodes_random(), for failures after a node's first one.  Returns false if memory is exhausted. */
bool nodes_simulate(struct nodes_outcome *outcome, const struct nodes_job *job, const struct node *nodes, unsigned n,
        uint64_t *random);

/* Numbers of splitmix64, the same for the same state: uniform above 0 and below 1; exponential and standard normal. */
double nodes_random(uint64_t *random);
double nodes_random_exponential(uint64_t *random, double mean);
double nodes_random_normal(uint64_t *random);

#endif
