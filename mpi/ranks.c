/* What the ranks do together: counters, and collective calls.  One thread of a rank at a time calls MPI. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"
#include "mpi/internal.h"

int own_rank, n_ranks;

static MPI_Win counters; /* N_COUNTERS numbers of rank 0 */
static unsigned n_threads;

void require(bool good)
{
	if (!good) {
		MPI_Abort(MPI_COMM_WORLD, GPUCRYPT_OTHER);
		abort();
	}
}

void ranks_open(void)
{
	const struct gpucrypt_plan any = { .threads = 0 };
	unsigned bound = plan_threads(&any);
	uint64_t *unused;
	MPI_Comm node;
	int n_here;

	MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	MPI_Win_allocate(own_rank == 0 ? N_COUNTERS * sizeof *unused : 0, sizeof *unused, MPI_INFO_NULL, MPI_COMM_WORLD,
	        &unused, &counters);
	MPI_Win_lock_all(0, counters);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &n_here);
	MPI_Comm_free(&node);
	n_threads = (long)bound < sysconf(_SC_NPROCESSORS_ONLN) ? bound : bound / (unsigned)n_here;
	n_threads = n_threads > 0 ? n_threads : 1;
}

void ranks_close(void)
{
	MPI_Win_unlock_all(counters);
	MPI_Win_free(&counters);
}

unsigned rank_threads(void)
{
	return n_threads;
}

uint64_t counter_change(enum counter counter, uint64_t value, MPI_Op how)
{
	uint64_t before;

	MPI_Fetch_and_op(&value, &before, MPI_UINT64_T, 0, counter, how, counters);
	MPI_Win_flush(0, counters);
	return before;
}

void await_quietly(MPI_Request *request, const struct gpucrypt_progress *progress)
{
	static const struct timespec pause_time = { .tv_nsec = 1000000 };
	int done = 0;

	while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
		report_progress(progress, 0, 0);
		nanosleep(&pause_time, NULL);
	}
}

/* The other ranks may wait long for the broadcast, while rank 0 asks for a passphrase or reads all pages. */
static void broadcast(struct assignment *assignment)
{
	MPI_Request request;

	MPI_Ibcast(assignment, (int)BROADCAST_BYTES, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	await_quietly(&request, NULL);
}

/* The progress of all ranks, which rank 0 reports. */
struct all_progress {
	const struct gpucrypt_progress *caller;
	uint64_t total_bytes;
};

static int report_all(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
	const struct all_progress *all = self;

	(void)done_bytes;
	(void)total_bytes;
	return report_progress(all->caller, counter_change(COUNTER_BYTES, 0, MPI_NO_OP), all->total_bytes);
}

/* Rank 0 gets the digests and results of all. */
static void collect(struct assignment *assignment, const struct result *own, struct result *results,
        const struct gpucrypt_progress *progress)
{
	struct piece_digests *digests = assignment->digests;
	bool root = own_rank == 0;
	MPI_Request request;

	MPI_Ireduce(root ? MPI_IN_PLACE : digests, root ? digests : NULL, (int)(assignment->n_pieces * sizeof *digests),
	        MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD, &request);
	await_quietly(&request, progress);
	MPI_Igather(own, (int)sizeof *own, MPI_BYTE, results, (int)sizeof *own, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	await_quietly(&request, progress);
}

static void take_part(struct assignment *assignment, const struct gpucrypt_progress *progress, struct result *results)
{
	struct result own;

	keys_share(&assignment->started.keys, assignment->started.header.bytes);
	if (assignment->kind == ASSIGN_REKEY)
		keys_share(&assignment->old_keys, assignment->old.bytes);
	assignment->digests = calloc(assignment->n_pieces, sizeof *assignment->digests);
	require(assignment->digests != NULL);
	rank_work(assignment, progress, &own);
	collect(assignment, &own, results, progress);
}

/* The failure of the first piece. */
static int sum_up(const struct result *results, struct report *report)
{
	const struct result *failed = NULL;

	for (int i = 0; i < n_ranks; i++) {
		report->plaintext_bytes += results[i].n_bytes;
		report->kept_bytes += results[i].kept_bytes;
		if (results[i].status != GPUCRYPT_OK && (failed == NULL || results[i].piece < failed->piece))
			failed = &results[i];
	}
	return failed == NULL ? GPUCRYPT_OK : fail(failed->status, "%s", failed->text);
}

int ranks_run(struct assignment *assignment, const struct gpucrypt_progress *progress, struct report *report)
{
	struct all_progress all = { progress, assignment->plaintext_bytes };
	struct result *results = calloc((size_t)n_ranks, sizeof *results);
	int status;

	require(results != NULL);
	counter_change(COUNTER_PIECE, 0, MPI_REPLACE);
	counter_change(COUNTER_BYTES, 0, MPI_REPLACE);
	broadcast(assignment);
	take_part(assignment, &(struct gpucrypt_progress){ report_all, &all }, results);
	report->plaintext_bytes = report->kept_bytes = 0;
	status = sum_up(results, report);
	free(results);
	return status;
}

void ranks_end(int status)
{
	static struct assignment end; /* without keys */

	end = (struct assignment){ .kind = ASSIGN_END, .status = status };
	broadcast(&end);
}

int ranks_follow(void)
{
	struct assignment *assignment = locked_allocate(sizeof *assignment);
	void *locked = locked_stack();
	int status;

	require(assignment != NULL);
	for (broadcast(assignment); assignment->kind != ASSIGN_END; broadcast(assignment)) {
		take_part(assignment, NULL, NULL);
		free(assignment->digests);
	}
	status = assignment->status;
	locked_free(assignment, sizeof *assignment);
	locked_stack_release(locked);
	return status;
}
