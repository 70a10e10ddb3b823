#include "ppf/model/nodes.h"

#include <math.h>

#define ROUNDING 1e-12 /* a quotient that is so little below a whole number is that number */

const char *const nodes_bound_names[] = { [NODES_BOUND_START] = "start",
	[NODES_BOUND_NODES] = "nodes",
	[NODES_BOUND_PIECES] = "pieces",
	[NODES_BOUND_STORAGE] = "storage" };

uint64_t nodes_pieces(const struct nodes_job *job)
{
	return job->n_bytes / job->piece_bytes + (job->n_bytes % job->piece_bytes != 0);
}

/* The node with the most pieces decides, unless the storage takes longer for all of them. */
double nodes_predict(enum nodes_bound *bound, const struct nodes_job *job, double node_bytes_per_s, unsigned n)
{
	uint64_t pieces = nodes_pieces(job), most = pieces / n + (pieces % n != 0);
	double share_bytes = fmin((double)most * (double)job->piece_bytes, (double)job->n_bytes),
	       nodes_s = share_bytes / node_bytes_per_s,
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

/* A node may have as many whole pieces as it does in the time of the storage. */
uint64_t nodes_enough(const struct nodes_job *job, double node_bytes_per_s)
{
	double pieces = (double)nodes_pieces(job), share = node_bytes_per_s / job->storage_bytes_per_s, most;

	if (pieces == 0 || (job->storage_bytes_per_s > 0 && share >= 1))
		return 1;
	if (job->storage_bytes_per_s <= 0)
		return (uint64_t)pieces;
	most = floor(share * (double)job->n_bytes / (double)job->piece_bytes * (1 + ROUNDING));
	return (uint64_t)ceil(pieces / fmax(most, 1));
}

unsigned nodes_next_count(unsigned n, unsigned most)
{
	return n < most && 2 * n > most ? most : 2 * n;
}

/* G. Steele, D. Lea and C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014. */
double nodes_random(uint64_t *random)
{
	uint64_t z = *random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

double nodes_random_exponential(uint64_t *random, double mean)
{
	return -mean * log(nodes_random(random));
}

/* G. Box and M. Muller, "A Note on the Generation of Random Normal Deviates", 1958. */
double nodes_random_normal(uint64_t *random)
{
	double radius = sqrt(-2 * log(nodes_random(random)));

	return radius * cos(2 * M_PI * nodes_random(random));
}
