#include "ppf/model/nodes.h"

#include <math.h>

#define ROUNDING 1e-12 /* a quotient that is so little below a whole number is that number */

uint64_t nodes_pieces(const struct nodes_job *job)
{
	return job->n_bytes / job->piece_bytes + (job->n_bytes % job->piece_bytes != 0);
}

/* How many times as long as one process n take for a byte each in the measurement: linear between its points; after the
 * last one the rate of all does not grow. */
static double slowdown(const struct nodes_job *job, unsigned n)
{
	const double *rates = job->together_bytes_per_s;
	unsigned i = 0;
	double low, high;

	while (i + 1 < job->n_together && 2u << i <= n)
		i++;
	low = (1u << i) * rates[0] / rates[i];
	if (i + 1 == job->n_together)
		return low * n / (1u << i);
	high = (2u << i) * rates[0] / rates[i + 1];
	return low + (high - low) * (n - (1u << i)) / (1u << i);
}

double nodes_rate(const struct nodes_job *job, unsigned n)
{
	double alone_s = 1 / job->node_bytes_per_s, shared_s;

	if (job->n_together == 0)
		return job->node_bytes_per_s;
	shared_s = fmin(1 / job->together_bytes_per_s[0], alone_s);
	return 1 / (alone_s - shared_s + shared_s * slowdown(job, n));
}

/* The node with the most pieces decides, unless the storage takes longer for all of them. */
double nodes_predict(enum nodes_bound *bound, const struct nodes_job *job, unsigned n)
{
	uint64_t pieces = nodes_pieces(job), most = pieces / n + (pieces % n != 0);
	double share_bytes = fmin((double)most * (double)job->piece_bytes, (double)job->n_bytes),
	       nodes_s = share_bytes / nodes_rate(job, n),
	       storage_s = job->storage_bytes_per_s > 0 ? (double)job->n_bytes / job->storage_bytes_per_s : 0,
	       work_s = fmax(nodes_s, storage_s);

	if (job->start_s > work_s)
		*bound = NODES_BOUND_START;
	else if (storage_s > nodes_s)
		*bound = NODES_BOUND_STORAGE;
	else
		*bound = pieces < n ? NODES_BOUND_PIECES : NODES_BOUND_NODES;
	return job->start_s + work_s;
}

/* Processes of one host: more of them may be slower. */
static uint64_t fastest_count(const struct nodes_job *job)
{
	enum nodes_bound bound;
	unsigned fastest = 1;
	double least_s = nodes_predict(&bound, job, 1);

	for (unsigned n = 2; n <= MAX_NODES; n++) {
		double seconds = nodes_predict(&bound, job, n);

		if (seconds < least_s * (1 - ROUNDING)) {
			least_s = seconds;
			fastest = n;
		}
	}
	return fastest;
}

/* A node may have as many whole pieces as it does in the time of the storage. */
uint64_t nodes_enough(const struct nodes_job *job)
{
	double pieces = (double)nodes_pieces(job), share = job->node_bytes_per_s / job->storage_bytes_per_s, most;

	if (job->n_together > 0)
		return fastest_count(job);
	if (pieces == 0 || (job->storage_bytes_per_s > 0 && share >= 1))
		return 1;
	if (job->storage_bytes_per_s <= 0)
		return (uint64_t)pieces;
	most = floor(share * (double)job->n_bytes / (double)job->piece_bytes * (1 + ROUNDING));
	return (uint64_t)ceil(pieces / fmax(most, 1));
}

json_t *nodes_table(const struct nodes_job *job, unsigned most, const char *seconds_name)
{
	static const char *const names[N_NODES_BOUNDS] = { [NODES_BOUND_START] = "start",
		[NODES_BOUND_NODES] = "nodes",
		[NODES_BOUND_PIECES] = "pieces",
		[NODES_BOUND_STORAGE] = "storage" };
	json_t *rows = json_array();

	for (unsigned n = 1; n <= most; n = n < most && 2 * n > most ? most : 2 * n) {
		enum nodes_bound bound;
		double seconds = nodes_predict(&bound, job, n);

		json_array_append_new(rows,
		        json_pack("{s:i, s:f, s:s}", "nodes", (int)n, seconds_name, seconds, "bound", names[bound]));
	}
	return rows;
}
