/* One input on many nodes: cases whose times are computed by hand, in bytes and seconds. */
#include "tests/unit/cmocka_all.h"

#include "ppf/model/nodes.h"

static double predict(struct nodes_job *job, double rate, unsigned n, enum nodes_bound want)
{
	enum nodes_bound bound;
	double seconds;

	job->node_bytes_per_s = rate;
	seconds = nodes_predict(&bound, job, n);
	assert_int_equal(bound, want);
	return seconds;
}

static unsigned enough(struct nodes_job *job, double rate)
{
	job->node_bytes_per_s = rate;
	return (unsigned)nodes_enough(job);
}

static void assert_seconds(double seconds, double want)
{
	if (fabs(seconds - want) > 1e-6 * want)
		fail_msg("%.9g s instead of %.9g s", seconds, want);
}

/* 10 pieces of a second each, after a second. */
TEST(one_node)
{
	struct nodes_job job = { .n_bytes = 100, .piece_bytes = 10, .start_s = 1 };

	assert_int_equal(nodes_pieces(&job), 10);
	assert_seconds(predict(&job, 10, 1, NODES_BOUND_NODES), 11);
}

/* 5 pieces each; of 11 pieces, the last one of 5 bytes, one node has 6, which count as whole. */
TEST(two_equal_nodes)
{
	struct nodes_job job = { .n_bytes = 100, .piece_bytes = 10, .start_s = 1 };

	assert_seconds(predict(&job, 10, 2, NODES_BOUND_NODES), 6);
	job.n_bytes = 105;
	assert_int_equal(nodes_pieces(&job), 11);
	assert_seconds(predict(&job, 10, 2, NODES_BOUND_NODES), 7);
	job.start_s = 100;
	assert_seconds(predict(&job, 10, 1, NODES_BOUND_START), 110.5);
}

/* 4 nodes could do 40 bytes a second, the storage does 20: 5 s, and 2 nodes are enough. */
TEST(storage)
{
	struct nodes_job job = { .n_bytes = 100, .piece_bytes = 5, .storage_bytes_per_s = 20 };

	assert_seconds(predict(&job, 10, 4, NODES_BOUND_STORAGE), 5);
	assert_int_equal(enough(&job, 10), 2);
	assert_int_equal(enough(&job, 9), 3);
	job.storage_bytes_per_s = 0;
	assert_int_equal(enough(&job, 10), 20);
	assert_seconds(predict(&job, 10, 40, NODES_BOUND_PIECES), 0.5);
	job.n_bytes = 0;
	assert_int_equal(enough(&job, 10), 1);
	assert_seconds(predict(&job, 10, 2, NODES_BOUND_PIECES) + 1, 1);
}

/* Two processes of one host copy 30 bytes a second together, one copies 20: half of the 0.1 s that a process takes for
 * a byte becomes 4/3 as long, the other half does not.  Three reach no more than two, if nobody has measured it. */
TEST(processes_of_one_host)
{
	struct nodes_job job = {
		.n_bytes = 100, .piece_bytes = 10, .node_bytes_per_s = 10, .together_bytes_per_s = { 20, 30, 40 }
	};

	assert_seconds(nodes_rate(&job, 2), 10);
	job.n_together = 2;
	assert_seconds(nodes_rate(&job, 1), 10);
	assert_seconds(nodes_rate(&job, 2), 60 / 7.0);
	assert_seconds(nodes_rate(&job, 3), 20 / 3.0);
	assert_seconds(predict(&job, 10, 2, NODES_BOUND_NODES), 35 / 6.0);
	job.n_together = 3;
	assert_seconds(nodes_rate(&job, 3), 7.5);
}

/* The measured work is slower than the node: all of the node's time is shared.  With 20 bytes a second for two and
 * more, a third process saves nothing. */
TEST(all_of_the_time_is_shared)
{
	struct nodes_job job = { .n_bytes = 100,
		.piece_bytes = 10,
		.node_bytes_per_s = 10,
		.together_bytes_per_s = { 5, 8 },
		.n_together = 2 };

	assert_seconds(nodes_rate(&job, 2), 8);
	job.together_bytes_per_s[0] = 10;
	job.together_bytes_per_s[1] = 20;
	assert_seconds(predict(&job, 10, 2, NODES_BOUND_NODES), 5);
	assert_seconds(predict(&job, 10, 3, NODES_BOUND_NODES), 6);
	assert_int_equal(enough(&job, 10), 2);
	job.together_bytes_per_s[1] = 10;
	assert_int_equal(enough(&job, 10), 1);
}

/* 10 pieces of a second on a storage that needs 1.25 s: with 8 nodes, as many as it can feed, two have a second piece.
 */
TEST(whole_pieces)
{
	struct nodes_job job = { .n_bytes = 10, .piece_bytes = 1, .storage_bytes_per_s = 8 };

	assert_seconds(predict(&job, 1, 8, NODES_BOUND_NODES), 2);
	assert_seconds(predict(&job, 1, 10, NODES_BOUND_STORAGE), 1.25);
	assert_int_equal(enough(&job, 1), 10);
	job.n_bytes = 25; /* 3.125 s: 3 pieces each, which 8 nodes do not do */
	assert_int_equal(enough(&job, 1), 9);
	job.n_bytes = 24;
	assert_int_equal(enough(&job, 1), 8);
	job.piece_bytes = 10; /* the last one has 4 bytes */
	assert_int_equal(enough(&job, 8), 1);
	assert_int_equal(enough(&job, 1), 3);
}
