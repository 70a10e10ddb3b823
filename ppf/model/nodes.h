/* One input on many equal nodes, which share a storage: the prediction, whose equations are in ppf(1), "NODES". */
#ifndef PPF_MODEL_NODES_H
#define PPF_MODEL_NODES_H

#include <jansson.h>
#include <stdint.h>

#define MAX_NODES    (1u << 16)
#define MAX_TOGETHER 17 /* 1, 2, 4, … MAX_NODES */

struct nodes_job {
	uint64_t n_bytes, piece_bytes;
	double node_bytes_per_s;    /* rate of one node that works alone */
	double start_s;             /* of each node, before its first byte */
	double storage_bytes_per_s; /* that all nodes together read, while they write as many; 0: no limit */
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

/* The pieces of a job. */
uint64_t nodes_pieces(const struct nodes_job *job);

/* The rate of a node while n work: alone, less what processes of one host lose to each other.  The time that the
 * measured work takes for a byte, at most that of the node, becomes longer as it did in the measurement; the rest does
 * not. */
double nodes_rate(const struct nodes_job *job, unsigned n);

/* Predicted seconds with n nodes. */
double nodes_predict(enum nodes_bound *bound, const struct nodes_job *job, unsigned n);

/* The smallest number of nodes to which adding a node saves no time, by nodes_predict(). */
uint64_t nodes_enough(const struct nodes_job *job);

/* A table of predictions: an array of objects with the number of nodes (1, 2, 4, … and the most), seconds by this name,
 * and the bound.  The caller owns the array. */
json_t *nodes_table(const struct nodes_job *job, unsigned most, const char *seconds_name);

#endif
