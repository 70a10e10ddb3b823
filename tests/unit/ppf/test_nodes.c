/* One input on many nodes: cases whose times are computed by hand, in bytes and seconds. */
#include "tests/unit/cmocka_all.h"

#include "ppf/model/nodes.h"

#define JOB(bytes, piece, rate, ...)                                                          \
	{                                                                                     \
		.n_bytes = bytes, .piece_bytes = piece, .node_bytes_per_s = rate, __VA_ARGS__ \
	}
#define TOGETHER(n, ...) .n_together = n, .together_bytes_per_s = { __VA_ARGS__ }
#define STORAGE          .storage_bytes_per_s

static const struct {
	struct nodes_job job;
	unsigned n; /* nodes; 0: only the number that is enough is asked for */
	enum nodes_bound bound;
	double seconds;
	unsigned enough; /* 0: not asked for */
} cases[] = {
	/* 10 pieces of a second each, after a second. */
	{ JOB(100, 10, 10, .start_s = 1), 1, NODES_BOUND_NODES, 11, 0 },
	/* 5 pieces each; of 11 pieces, the last one of 5 bytes, one node has 6, which count as whole. */
	{ JOB(100, 10, 10, .start_s = 1), 2, NODES_BOUND_NODES, 6, 0 },
	{ JOB(105, 10, 10, .start_s = 1), 2, NODES_BOUND_NODES, 7, 0 },
	{ JOB(105, 10, 10, .start_s = 100), 1, NODES_BOUND_START, 110.5, 0 },
	/* 4 nodes could do 40 bytes a second, the storage does 20: 5 s, and 2 nodes are enough. */
	{ JOB(100, 5, 10, STORAGE = 20), 4, NODES_BOUND_STORAGE, 5, 2 },
	{ JOB(100, 5, 9, STORAGE = 20), .enough = 3 },
	{ JOB(100, 5, 10, .start_s = 0), 40, NODES_BOUND_PIECES, 0.5, 20 },
	{ JOB(0, 5, 10, .start_s = 0), 2, NODES_BOUND_PIECES, 0, 1 },
	/* Two processes of one host do 60 / 7 bytes a second, see below. */
	{ JOB(100, 10, 10, TOGETHER(2, 20, 30, 40)), 2, NODES_BOUND_NODES, 35 / 6.0, 0 },
	/* With 20 bytes a second for two and more, a third process saves nothing. */
	{ JOB(100, 10, 10, TOGETHER(2, 10, 20)), 2, NODES_BOUND_NODES, 5, 2 },
	{ JOB(100, 10, 10, TOGETHER(2, 10, 20)), 3, NODES_BOUND_NODES, 6, 0 },
	{ JOB(100, 10, 10, TOGETHER(2, 10, 10)), .enough = 1 },
	/* 10 pieces of a second on a storage that needs 1.25 s: with 8 nodes, as many as it can feed, two have a second
	 * piece.  25 pieces take it 3.125 s: 3 pieces each, which 8 nodes do not do. */
	{ JOB(10, 1, 1, STORAGE = 8), 8, NODES_BOUND_NODES, 2, 10 },
	{ JOB(10, 1, 1, STORAGE = 8), 10, NODES_BOUND_STORAGE, 1.25, 0 },
	{ JOB(25, 1, 1, STORAGE = 8), .enough = 9 },
	{ JOB(24, 1, 1, STORAGE = 8), .enough = 8 },
	{ JOB(24, 10, 8, STORAGE = 8), .enough = 1 }, /* the last piece has 4 bytes */
	{ JOB(24, 10, 1, STORAGE = 8), .enough = 3 },
};

TEST(times)
{
	for (size_t i = 0; i < N_OF(cases); i++) {
		enum nodes_bound bound;

		if (cases[i].n > 0) {
			assert_within(nodes_predict(&bound, &cases[i].job, cases[i].n), cases[i].seconds,
			        1e-6 * cases[i].seconds);
			assert_int_equal(bound, cases[i].bound);
		}
		if (cases[i].enough > 0)
			assert_int_equal(nodes_enough(&cases[i].job), cases[i].enough);
	}
	assert_int_equal(nodes_pieces(&cases[0].job), 10);
	assert_int_equal(nodes_pieces(&cases[2].job), 11);
}

/* Two processes of one host copy 30 bytes a second together, one copies 20: half of the 0.1 s that a process takes for
 * a byte becomes 4/3 as long, the other half does not.  Three reach no more than two, if nobody has measured it.  If
 * the measured work is slower than the node, all of the node's time is shared. */
TEST(rates_of_processes_of_one_host)
{
	static const struct {
		struct nodes_job job;
		unsigned n;
		double rate;
	} rates[] = { { JOB(100, 10, 10, TOGETHER(0, 20, 30, 40)), 2, 10 },
		{ JOB(100, 10, 10, TOGETHER(2, 20, 30, 40)), 1, 10 },
		{ JOB(100, 10, 10, TOGETHER(2, 20, 30, 40)), 2, 60 / 7.0 },
		{ JOB(100, 10, 10, TOGETHER(2, 20, 30, 40)), 3, 20 / 3.0 },
		{ JOB(100, 10, 10, TOGETHER(3, 20, 30, 40)), 3, 7.5 }, { JOB(100, 10, 10, TOGETHER(2, 5, 8)), 2, 8 } };

	for (size_t i = 0; i < N_OF(rates); i++)
		assert_close(nodes_rate(&rates[i].job, rates[i].n), rates[i].rate);
}
