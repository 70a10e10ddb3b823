/* The simulation of nodes: from one event to the next, with the storage shared fairly between them. */
#include <math.h>
#include <stdlib.h>

#include "ppf/model/nodes.h"

/* Less than this share of a piece is no rest of it, but an error of rounding. */
#define ROUNDING 1e-9

/* Looks at a node.  With failures that are more frequent than pieces the work does not end. */
#define MAX_LOOKS   (UINT64_C(1) << 31)
#define EVENT_LOOKS 512 /* that take as long as what is done once in an event */

enum node_state { NODE_DOWN, NODE_WORKS, NODE_IDLE };

struct simulated_node {
	struct node node;
	enum node_state state;
	double up_s;        /* NODE_DOWN: when it works again */
	uint64_t piece;     /* that it has; NO_PIECE */
	double left_bytes;  /* of the piece */
	uint64_t next, end; /* the rest of its range; DEALING_STATIC */
	double rate;        /* bytes per second now */
};

#define NO_PIECE UINT64_MAX

struct simulation {
	const struct nodes_job *job;
	struct simulated_node *nodes;    /* owned; in the caller's order */
	struct simulated_node **by_rate; /* owned; ascending by the rate that they have alone */
	unsigned n;
	uint64_t next, n_pieces; /* DEALING_DYNAMIC: the next piece that nobody has had */
	uint64_t n_done;         /* pieces */
	double now_s;
	uint64_t *random;
	struct nodes_outcome *outcome;
};

static double piece_length(const struct nodes_job *job, uint64_t piece)
{
	uint64_t rest = job->n_bytes - piece * job->piece_bytes;

	return (double)(rest < job->piece_bytes ? rest : job->piece_bytes);
}

/* Deal pieces. */

static uint64_t next_piece(struct simulation *sim, struct simulated_node *node)
{
	if (sim->job->dealing == DEALING_STATIC)
		return node->next < node->end ? node->next++ : NO_PIECE;
	return sim->next < sim->n_pieces ? sim->next++ : NO_PIECE;
}

/* A node that was down begins the piece that it still has again. */
static void take_piece(struct simulation *sim, struct simulated_node *node)
{
	if (node->piece == NO_PIECE)
		node->piece = next_piece(sim, node);
	node->state = node->piece == NO_PIECE ? NODE_IDLE : NODE_WORKS;
	if (node->state == NODE_WORKS)
		node->left_bytes = piece_length(sim->job, node->piece);
}

/* Share the storage: each working node gets what it can use, at most an equal part of what slower nodes leave. */
static void share_storage(struct simulation *sim)
{
	double left = sim->job->storage_bytes_per_s > 0 ? sim->job->storage_bytes_per_s : INFINITY;
	unsigned n_working = 0, n_left;

	for (unsigned i = 0; i < sim->n; i++)
		n_working += sim->nodes[i].state == NODE_WORKS;
	n_left = n_working;
	for (unsigned i = 0; i < sim->n; i++) {
		struct simulated_node *node = sim->by_rate[i];

		if (node->state != NODE_WORKS)
			continue;
		node->rate = fmin(nodes_rate(sim->job, node->node.bytes_per_s, n_working), left / n_left--);
		left -= node->rate;
	}
}

/* Events. */

static double next_event_s(const struct simulation *sim)
{
	double next = INFINITY;

	for (unsigned i = 0; i < sim->n; i++) {
		const struct simulated_node *node = &sim->nodes[i];

		next = fmin(next, node->node.fails_s);
		if (node->state == NODE_DOWN)
			next = fmin(next, node->up_s);
		if (node->state == NODE_WORKS)
			next = fmin(next, sim->now_s + node->left_bytes / node->rate);
	}
	return next;
}

/* A node that has not started yet does not start earlier than it would have. */
static void stop_node(struct simulation *sim, struct simulated_node *node)
{
	double restarted_s = sim->now_s + sim->job->restart_s;

	if (node->state == NODE_WORKS)
		sim->outcome->lost_bytes += piece_length(sim->job, node->piece) - node->left_bytes;
	node->up_s = node->state == NODE_DOWN ? fmax(node->up_s, restarted_s) : restarted_s;
	node->state = NODE_DOWN;
}

/* A run of a range stops alone; the ranks of an MPI job stop together, and the next job needs all of them. */
static void fail_node(struct simulation *sim, struct simulated_node *node)
{
	const struct nodes_job *job = sim->job;

	if (job->dealing == DEALING_STATIC)
		stop_node(sim, node);
	else
		for (unsigned i = 0; i < sim->n; i++)
			stop_node(sim, &sim->nodes[i]);
	node->node.fails_s = INFINITY;
	if (job->failure_s > 0)
		node->node.fails_s = node->up_s + nodes_random_exponential(sim->random, job->failure_s);
	sim->outcome->n_failures++;
}

static void finish_piece(struct simulation *sim, struct simulated_node *node)
{
	sim->n_done++;
	node->piece = NO_PIECE;
	take_piece(sim, node);
}

/* A rest that takes no time that a double can tell ends too, as next_event_s() says. */
static void work_until(struct simulation *sim, struct simulated_node *node, double before_s)
{
	bool ends = before_s + node->left_bytes / node->rate <= sim->now_s;

	node->left_bytes -= (sim->now_s - before_s) * node->rate;
	if (ends || node->left_bytes <= ROUNDING * (double)sim->job->piece_bytes)
		finish_piece(sim, node);
}

static void step(struct simulation *sim)
{
	double before = sim->now_s, then = next_event_s(sim);

	sim->now_s = then;
	for (unsigned i = 0; i < sim->n; i++)
		if (sim->nodes[i].state == NODE_WORKS)
			work_until(sim, &sim->nodes[i], before);
	for (unsigned i = 0; i < sim->n; i++)
		if (sim->nodes[i].node.fails_s <= then)
			fail_node(sim, &sim->nodes[i]);
	for (unsigned i = 0; i < sim->n; i++)
		if (sim->nodes[i].state == NODE_DOWN && sim->nodes[i].up_s <= then)
			take_piece(sim, &sim->nodes[i]);
}

/* The whole. */

static int compare_rates(const void *a, const void *b)
{
	const struct simulated_node *const *x = a, *const *y = b;
	double before = (*x)->node.bytes_per_s, after = (*y)->node.bytes_per_s;

	return (before > after) - (before < after);
}

/* Ranges of pieces in the order of the nodes, as equal as whole pieces can be. */
static void set_up(struct simulation *sim, const struct node *nodes)
{
	for (unsigned i = 0; i < sim->n; i++) {
		sim->by_rate[i] = &sim->nodes[i];
		sim->nodes[i] = (struct simulated_node){ .node = nodes[i],
			.state = NODE_DOWN,
			.up_s = sim->job->start_s,
			.piece = NO_PIECE,
			.next = sim->n_pieces * i / sim->n,
			.end = sim->n_pieces * (i + 1) / sim->n };
	}
	qsort(sim->by_rate, sim->n, sizeof *sim->by_rate, compare_rates);
}

bool nodes_simulate(struct nodes_outcome *outcome, const struct nodes_job *job, const struct node *nodes, unsigned n,
        uint64_t *random)
{
	struct simulation sim = {
		.job = job, .n = n, .n_pieces = nodes_pieces(job), .random = random, .outcome = outcome
	};
	uint64_t n_looks = 0;
	bool good;

	*outcome = (struct nodes_outcome){ .seconds = job->start_s };
	sim.nodes = calloc(n, sizeof *sim.nodes);
	sim.by_rate = calloc(n, sizeof(struct simulated_node *));
	good = sim.nodes != NULL && sim.by_rate != NULL;
	if (good) {
		set_up(&sim, nodes);
		for (; sim.n_done < sim.n_pieces && n_looks < MAX_LOOKS; n_looks += n + EVENT_LOOKS) {
			share_storage(&sim);
			step(&sim);
		}
		outcome->seconds = sim.n_done < sim.n_pieces ? INFINITY : fmax(sim.now_s, job->start_s);
	}
	free(sim.by_rate);
	free(sim.nodes);
	return good;
}
