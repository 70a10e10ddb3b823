/* Pieces go to whoever asks for the next one: slow ranks do less.  Only the main thread of a rank calls MPI; on rank 0
 * another thread works on pieces meanwhile. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"
#include "mpi/internal.h"

#define TAG_DONE 1 /* a struct piece, to rank 0 */
#define TAG_NEXT 2 /* the number of a piece, from rank 0 */

static const struct timespec pause_time = { .tv_nsec = 1000000 };

struct deal {
	const struct assignment *assignment;
	const struct page_digests *digests;
	pthread_mutex_t mutex; /* protects all members below */
	uint64_t next, n_bytes, kept_bytes;
	struct piece failed; /* status GPUCRYPT_OK: none; else the lowest */
	bool own_ended;
};

void await_quietly(MPI_Request *request)
{
	int done = 0;

	while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
		nanosleep(&pause_time, NULL);
}

/* Other ranks may wait long for it, while rank 0 asks for a passphrase or reads all pages. */
static void broadcast(struct assignment *assignment)
{
	MPI_Request request;

	MPI_Ibcast(assignment, (int)sizeof *assignment, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	await_quietly(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE); /* at once */
}

static void send_assignment(struct assignment *assignment)
{
	struct file_keys keys = assignment->started.keys, old = assignment->old.keys;

	wipe(&assignment->started.keys, sizeof keys);
	wipe(&assignment->old.keys, sizeof old);
	broadcast(assignment);
	keys_send(&keys);
	if (assignment->kind == ASSIGN_REKEY)
		keys_send(&old);
	assignment->started.keys = keys;
	assignment->old.keys = old;
	wipe(&keys, sizeof keys);
	wipe(&old, sizeof old);
}

static bool receive_assignment(struct assignment *assignment)
{
	broadcast(assignment);
	if (assignment->kind == ASSIGN_END)
		return false;
	keys_receive(&assignment->started.keys);
	if (assignment->kind == ASSIGN_REKEY)
		keys_receive(&assignment->old.keys);
	return true;
}

void end_ranks(int status)
{
	static struct assignment end; /* without keys */

	end = (struct assignment){ .kind = ASSIGN_END, .status = status };
	broadcast(&end);
}

unsigned rank_threads(void)
{
	static unsigned n_threads; /* the same for all files */
	const struct gpucrypt_plan any = { .threads = 0 };
	unsigned bound = plan_threads(&any);
	MPI_Comm node;
	int n_ranks;

	if (n_threads == 0) {
		MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
		MPI_Comm_size(node, &n_ranks);
		MPI_Comm_free(&node);
		n_threads = (long)bound < sysconf(_SC_NPROCESSORS_ONLN) ? bound : bound / (unsigned)n_ranks;
		n_threads = n_threads > 0 ? n_threads : 1;
	}
	return n_threads;
}

/* Rank 0. */

/* The next piece for whoever has done this one. */
static uint64_t answer(struct deal *deal, const struct piece *done)
{
	uint64_t number = NO_PIECE;

	pthread_mutex_lock(&deal->mutex);
	if (done->status != GPUCRYPT_OK && (deal->failed.status == GPUCRYPT_OK || done->number < deal->failed.number))
		deal->failed = *done;
	if (done->status == GPUCRYPT_OK && done->number < deal->assignment->n_pieces) {
		memcpy(deal->digests->read[done->number], done->read, MAC_BYTES);
		memcpy(deal->digests->written[done->number], done->written, MAC_BYTES);
		deal->n_bytes += done->n_bytes;
		deal->kept_bytes += done->kept_bytes;
	}
	if (deal->failed.status == GPUCRYPT_OK && deal->next < deal->assignment->n_pieces)
		number = deal->next++;
	pthread_mutex_unlock(&deal->mutex);
	return number;
}

static uint64_t next_own(struct worker *worker, const struct piece *done)
{
	return answer(worker->self, done);
}

static void *work_here(void *argument)
{
	struct deal *deal = argument;
	struct worker worker = { .assignment = deal->assignment, .next = next_own, .self = deal };
	void *locked = locked_stack();

	worker_run(&worker);
	locked_stack_release(locked);
	pthread_mutex_lock(&deal->mutex);
	deal->own_ended = true;
	pthread_mutex_unlock(&deal->mutex);
	return NULL;
}

/* Answer one rank that waits, if one does.  *n_calls: of each rank without a piece: at its start, and at its end. */
static bool serve_rank(struct deal *deal, unsigned *n_calls)
{
	struct piece done;
	MPI_Status status;
	uint64_t number;
	int waits;

	MPI_Iprobe(MPI_ANY_SOURCE, TAG_DONE, MPI_COMM_WORLD, &waits, &status);
	if (!waits)
		return false;
	MPI_Recv(&done, (int)sizeof done, MPI_BYTE, status.MPI_SOURCE, TAG_DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	*n_calls += done.number == NO_PIECE;
	number = answer(deal, &done);
	MPI_Send(&number, 1, MPI_UINT64_T, status.MPI_SOURCE, TAG_NEXT, MPI_COMM_WORLD);
	return true;
}

static bool has_ended(struct deal *deal, unsigned n_calls, const struct gpucrypt_progress *progress)
{
	uint64_t n_bytes;
	bool ended;
	int n_ranks;

	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	pthread_mutex_lock(&deal->mutex);
	n_bytes = deal->n_bytes;
	ended = deal->own_ended && n_calls == 2 * (unsigned)(n_ranks - 1);
	pthread_mutex_unlock(&deal->mutex);
	if (progress != NULL)
		progress->report(progress->self, n_bytes, deal->assignment->plaintext_bytes);
	return ended;
}

static int collect(struct deal *deal, const struct gpucrypt_progress *progress, struct report *report)
{
	unsigned n_calls = 0;
	pthread_t own;

	if (pthread_create(&own, NULL, work_here, deal) != 0)
		MPI_Abort(MPI_COMM_WORLD, GPUCRYPT_OTHER);
	while (!has_ended(deal, n_calls, progress))
		if (!serve_rank(deal, &n_calls))
			nanosleep(&pause_time, NULL);
	pthread_join(own, NULL);
	report->plaintext_bytes = deal->n_bytes;
	report->kept_bytes = deal->kept_bytes;
	return deal->failed.status == GPUCRYPT_OK ? GPUCRYPT_OK : fail(deal->failed.status, "%s", deal->failed.text);
}

int deal_out(struct assignment *assignment, const struct page_digests *digests,
        const struct gpucrypt_progress *progress, struct report *report)
{
	struct deal deal = { .assignment = assignment, .digests = digests, .mutex = PTHREAD_MUTEX_INITIALIZER };

	send_assignment(assignment);
	rank_threads(); /* by all ranks, in their main threads */
	return collect(&deal, progress, report);
}

/* Other ranks. */

static uint64_t next_remote(struct worker *worker, const struct piece *done)
{
	uint64_t number;

	(void)worker;
	MPI_Send(done, (int)sizeof *done, MPI_BYTE, 0, TAG_DONE, MPI_COMM_WORLD);
	MPI_Recv(&number, 1, MPI_UINT64_T, 0, TAG_NEXT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return number;
}

int rank_follow(void)
{
	struct assignment *assignment = locked_allocate(sizeof *assignment);
	struct worker worker = { .assignment = assignment, .next = next_remote };
	void *locked = locked_stack();
	int status;

	if (assignment == NULL)
		return MPI_Abort(MPI_COMM_WORLD, GPUCRYPT_OTHER), GPUCRYPT_OTHER;
	while (receive_assignment(assignment)) {
		rank_threads();
		worker_run(&worker);
	}
	status = assignment->status;
	locked_free(assignment, sizeof *assignment);
	locked_stack_release(locked);
	return status;
}
