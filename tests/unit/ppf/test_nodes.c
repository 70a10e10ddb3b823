/* One input on many nodes: cases whose times are computed by hand, in bytes and seconds. */
#include "tests/unit/cmocka_all.h"

#include "ppf/model/nodes.h"

#define NEVER INFINITY

static double predict(const struct nodes_job *job, double rate, unsigned n, enum nodes_bound want)
{
	enum nodes_bound bound;
	double seconds = nodes_predict(&bound, job, rate, n);

	assert_int_equal(bound, want);
	return seconds;
}

static struct nodes_outcome simulate(const struct nodes_job *job, const struct node *nodes, unsigned n)
{
	struct nodes_outcome outcome;
	uint64_t random = 1;

	assert_true(nodes_simulate(&outcome, job, nodes, n, &random));
	return outcome;
}

static void assert_seconds(double seconds, double want)
{
	if (fabs(seconds - want) > 1e-6 * want)
		fail_msg("%.9g s instead of %.9g s", seconds, want);
}

/* Both dealings. */
static void assert_simulated(struct nodes_job job, const struct node *nodes, unsigned n, double want)
{
	for (job.dealing = DEALING_STATIC; job.dealing <= DEALING_DYNAMIC; job.dealing++)
		assert_seconds(simulate(&job, nodes, n).seconds, want);
}

/* 10 pieces of a second each, after a second. */
TEST(one_node)
{
	const struct nodes_job job = { .n_bytes = 100, .piece_bytes = 10, .start_s = 1 };

	assert_int_equal(nodes_pieces(&job), 10);
	assert_seconds(predict(&job, 10, 1, NODES_BOUND_NODES), 11);
	assert_simulated(job, &(struct node){ 10, NEVER }, 1, 11);
}

/* 5 pieces each; of 11 pieces, the last one of 5 bytes, one node has 6: 5 s, and half a second. */
TEST(two_equal_nodes)
{
	struct nodes_job job = { .n_bytes = 100, .piece_bytes = 10, .start_s = 1 };
	const struct node nodes[] = { { 10, NEVER }, { 10, NEVER } };

	assert_seconds(predict(&job, 10, 2, NODES_BOUND_NODES), 6);
	assert_simulated(job, nodes, 2, 6);
	job.n_bytes = 105;
	assert_int_equal(nodes_pieces(&job), 11);
	assert_simulated(job, nodes, 2, 6.5);
	job.start_s = 100;
	assert_seconds(predict(&job, 10, 1, NODES_BOUND_START), 110.5);
}

/* 4 nodes could do 40 bytes a second, the storage does 20: 5 s, and 2 nodes are enough.  A third of 3 at 8 gets 8/3. */
TEST(storage)
{
	struct nodes_job job = { .n_bytes = 100, .piece_bytes = 5, .storage_bytes_per_s = 20 };
	const struct node nodes[] = { { 10, NEVER }, { 10, NEVER }, { 10, NEVER }, { 10, NEVER } };

	assert_seconds(predict(&job, 10, 4, NODES_BOUND_STORAGE), 5);
	assert_simulated(job, nodes, 4, 5);
	assert_int_equal(nodes_enough(&job, 10), 2);
	assert_int_equal(nodes_enough(&job, 9), 3);
	job.storage_bytes_per_s = 0;
	assert_int_equal(nodes_enough(&job, 10), 20);
	assert_seconds(predict(&job, 10, 40, NODES_BOUND_PIECES), 0.5);
	job.n_bytes = 0;
	assert_int_equal(nodes_enough(&job, 10), 1);
	assert_seconds(predict(&job, 10, 2, NODES_BOUND_PIECES) + 1, 1);
	assert_seconds(simulate(&job, nodes, 2).seconds + 1, 1);
}

/* Two processes of one host copy 30 bytes a second together, one copies 20: half of the 0.1 s that a process takes for
 * a byte becomes 4/3 as long, the other half does not.  Three reach no more than two, if nobody has measured it. */
TEST(processes_of_one_host)
{
	struct nodes_job job = { .n_bytes = 100, .piece_bytes = 10, .together_bytes_per_s = { 20, 30, 40 } };
	const struct node nodes[] = { { 10, NEVER }, { 10, NEVER } };

	assert_seconds(nodes_rate(&job, 10, 2), 10);
	job.n_together = 2;
	assert_seconds(nodes_rate(&job, 10, 1), 10);
	assert_seconds(nodes_rate(&job, 10, 2), 60 / 7.0);
	assert_seconds(nodes_rate(&job, 10, 3), 20 / 3.0);
	assert_seconds(predict(&job, 10, 2, NODES_BOUND_NODES), 35 / 6.0);
	assert_simulated(job, nodes, 2, 35 / 6.0);
	job.n_together = 3;
	assert_seconds(nodes_rate(&job, 10, 3), 7.5);
	job.n_bytes = 30; /* the last piece by one process alone */
	assert_simulated(job, nodes, 2, 7 / 6.0 + 1);
}

/* The measured work is slower than the node: all of the node's time is shared.  With 20 bytes a second for two and
 * more, a third process saves nothing. */
TEST(all_of_the_time_is_shared)
{
	struct nodes_job job = { .n_bytes = 100, .piece_bytes = 10, .together_bytes_per_s = { 5, 8 }, .n_together = 2 };

	assert_seconds(nodes_rate(&job, 10, 2), 8);
	job.together_bytes_per_s[0] = 10;
	job.together_bytes_per_s[1] = 20;
	assert_seconds(predict(&job, 10, 2, NODES_BOUND_NODES), 5);
	assert_seconds(predict(&job, 10, 3, NODES_BOUND_NODES), 6);
	assert_int_equal(nodes_enough(&job, 10), 2);
	job.together_bytes_per_s[1] = 10;
	assert_int_equal(nodes_enough(&job, 10), 1);
}

/* 10 pieces of a second on a storage that needs 1.25 s: with 8 nodes, as many as it can feed, two have a second piece.
 */
TEST(whole_pieces)
{
	struct nodes_job job = { .n_bytes = 10, .piece_bytes = 1, .storage_bytes_per_s = 8 };

	assert_seconds(predict(&job, 1, 8, NODES_BOUND_NODES), 2);
	assert_seconds(predict(&job, 1, 10, NODES_BOUND_STORAGE), 1.25);
	assert_int_equal(nodes_enough(&job, 1), 10);
	job.n_bytes = 25; /* 3.125 s: 3 pieces each, which 8 nodes do not do */
	assert_int_equal(nodes_enough(&job, 1), 9);
	job.n_bytes = 24;
	assert_int_equal(nodes_enough(&job, 1), 8);
	job.piece_bytes = 10; /* the last one has 4 bytes */
	assert_int_equal(nodes_enough(&job, 8), 1);
	assert_int_equal(nodes_enough(&job, 1), 3);
}

/* A rest of a piece that takes less time than a double at 60 s can tell. */
TEST(rest_of_a_piece)
{
	struct nodes_job job = { .n_bytes = 1 << 30, .piece_bytes = 4096, .start_s = 60 };
	const double rate = 2560.0 * (1 << 20);

	assert_simulated(job, &(struct node){ rate, NEVER }, 1, 60.4);
}

/* A piece takes 100 times as long as the mean time between failures. */
TEST(too_many_failures)
{
	const struct nodes_job job = { .n_bytes = 100, .piece_bytes = 100, .failure_s = 1 };

	assert_true(isinf(simulate(&job, &(struct node){ 1, 1 }, 1).seconds));
}

/* The slow node uses 2 of 8 bytes a second and the fast one the other 6: pieces of 12 bytes take 6 s and 2 s.  By
 * ranges, the slow node's two pieces take 12 s.  Else it has one, and the fast one three. */
TEST(unequal_nodes)
{
	struct nodes_job job = { .n_bytes = 48, .piece_bytes = 12, .storage_bytes_per_s = 8 };
	const struct node nodes[] = { { 10, NEVER }, { 2, NEVER } };

	assert_seconds(simulate(&job, nodes, 2).seconds, 12);
	job.dealing = DEALING_DYNAMIC;
	assert_seconds(simulate(&job, nodes, 2).seconds, 6);
}

/* 3 nodes of 10, 1 and 20 bytes a second, and fewer pieces than nodes: 2 pieces of 10 bytes go to the first two if they
 * are dealt out, and one piece to the first.  The ranges of 1/3 of a piece are rounded down: the last one has the
 * piece, of 2 pieces the second one and the last. */
TEST(order_of_nodes)
{
	struct nodes_job job = { .n_bytes = 20, .piece_bytes = 10, .dealing = DEALING_DYNAMIC };
	const struct node nodes[] = { { 10, NEVER }, { 1, NEVER }, { 20, NEVER } };

	assert_seconds(simulate(&job, nodes, 3).seconds, 10);
	job.dealing = DEALING_STATIC;
	assert_seconds(simulate(&job, nodes, 3).seconds, 10);
	job.n_bytes = 10;
	assert_seconds(simulate(&job, nodes, 3).seconds, 0.5);
	job.dealing = DEALING_DYNAMIC;
	assert_seconds(simulate(&job, nodes, 3).seconds, 1);
}

/* A node that fails 1 s after the start works 2 s later, but not before it has started at 10 s: 10 s and a second for
 * the piece; 20 s later, from 21 s on. */
TEST(fails_before_it_has_started)
{
	struct nodes_job job = { .n_bytes = 10, .piece_bytes = 10, .start_s = 10, .restart_s = 2 };
	const struct node node = { 10, 1 };

	assert_simulated(job, &node, 1, 11);
	job.restart_s = 20;
	assert_simulated(job, &node, 1, 22);
}

/* 4 pieces of a second on 2 nodes, of which one fails after half a second and works again 10 s later.  By ranges it
 * does its 2 pieces then: 12.5 s.  Else both stop, lose half a piece each, and do all 4 pieces from 10.5 s on: 12.5 s
 * too, or if the job starts again after a second, from 1.5 s to 3.5 s. */
TEST(one_node_fails)
{
	struct nodes_job job = { .n_bytes = 40, .piece_bytes = 10, .restart_s = 10 };
	const struct node nodes[] = { { 10, NEVER }, { 10, 0.5 } };
	struct nodes_outcome outcome = simulate(&job, nodes, 2);

	assert_seconds(outcome.seconds, 12.5);
	assert_int_equal(outcome.n_failures, 1);
	assert_seconds(outcome.lost_bytes, 5);
	job.dealing = DEALING_DYNAMIC;
	outcome = simulate(&job, nodes, 2);
	assert_seconds(outcome.seconds, 12.5);
	assert_int_equal(outcome.n_failures, 1);
	assert_seconds(outcome.lost_bytes, 10);
	job.restart_s = 1;
	assert_seconds(simulate(&job, nodes, 2).seconds, 3.5);
}

/* 20 pieces of a second on 2 nodes that fail once each, at 0.5 s and at 2.5 s, for half a second.  By ranges each does
 * 10 pieces and half of one in 11 s.  The job loses 2 half pieces, does 2 pieces until 2 s, loses 2 half ones again,
 * and does the other 18 from 3 s to 12 s. */
TEST(two_nodes_fail)
{
	struct nodes_job job = { .n_bytes = 200, .piece_bytes = 10, .restart_s = 0.5 };
	const struct node nodes[] = { { 10, 0.5 }, { 10, 2.5 } };
	struct nodes_outcome outcome = simulate(&job, nodes, 2);

	assert_seconds(outcome.seconds, 11);
	assert_seconds(outcome.lost_bytes, 10);
	job.dealing = DEALING_DYNAMIC;
	outcome = simulate(&job, nodes, 2);
	assert_seconds(outcome.seconds, 12);
	assert_seconds(outcome.lost_bytes, 20);
	assert_int_equal(outcome.n_failures, 2);
}

/* A failure of either node while one does the last piece, at 1.9 s: the job stops and does this piece again. */
TEST(a_node_fails_at_the_end)
{
	struct nodes_job job = { .n_bytes = 30, .piece_bytes = 10, .restart_s = 100, .dealing = DEALING_DYNAMIC };
	const struct node nodes[] = { { 10, 1.9 }, { 10, NEVER } };
	struct nodes_outcome outcome = simulate(&job, nodes, 2);

	assert_seconds(outcome.seconds, 102.9);
	assert_seconds(outcome.lost_bytes, 9);
}

/* The mean and the variance of many numbers: 1/2 and 1/12; 3 and 9; 0 and 1. */
TEST(random_numbers)
{
	enum { N = 100000 };
	double sum[3] = { 0 }, squares[3] = { 0 };
	uint64_t random = 42;

	for (int i = 0; i < N; i++) {
		const double x[3] = { nodes_random(&random), nodes_random_exponential(&random, 3),
			nodes_random_normal(&random) };

		for (int k = 0; k < 3; k++) {
			sum[k] += x[k] / N;
			squares[k] += x[k] * x[k] / N;
		}
	}
	assert_true(fabs(sum[0] - 0.5) < 0.01 && fabs(squares[0] - sum[0] * sum[0] - 1.0 / 12) < 0.01);
	assert_true(fabs(sum[1] - 3) < 0.1 && fabs(squares[1] - sum[1] * sum[1] - 9) < 0.5);
	assert_true(fabs(sum[2]) < 0.02 && fabs(squares[2] - 1) < 0.02);
}
