/* What the ranks do together: counters, collective calls, and the keys that each rank gets.  One thread of a rank at a
 * time calls MPI. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/keys/slot.h"
#include "gpucrypt/status.h"
#include "mpi/internal.h"

int own_rank, n_ranks;
unsigned rank_threads;

static MPI_Win counters; /* N_COUNTERS numbers of rank 0 */

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
	rank_threads = (long)bound < sysconf(_SC_NPROCESSORS_ONLN) ? bound : bound / (unsigned)n_here;
	rank_threads = rank_threads > 0 ? rank_threads : 1;
}

void ranks_close(void)
{
	MPI_Win_unlock_all(counters);
	MPI_Win_free(&counters);
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

/* The keys of a file, sealed for each rank.  MPI copies messages through shared memory and networks, where other
 * programs may read them.  Each rank makes a new X25519 key for each file, and gets the file key in a key slot for it.
 * This protects the key against eavesdroppers only, because a rank does not authenticate itself. */

#define PUBLIC_BYTES 44 /* SubjectPublicKeyInfo of X25519 (RFC 8410) */

/* A key pair in DER. */
struct pair {
	uint8_t private_der[GPUCRYPT_KEY_BYTES], public_der[GPUCRYPT_KEY_BYTES];
	struct gpucrypt_secret private, public;
};

static bool make_pair(struct pair *pair)
{
	char private[GPUCRYPT_PEM_BYTES], public[GPUCRYPT_PEM_BYTES];
	bool good =
	        gpucrypt_key_generate(private, public, GPUCRYPT_X25519) == GPUCRYPT_OK &&
	        gpucrypt_key_read(&pair->private, pair->private_der, private, strlen(private), NULL) == GPUCRYPT_OK &&
	        gpucrypt_key_read(&pair->public, pair->public_der, public, strlen(public), NULL) == GPUCRYPT_OK &&
	        pair->public.length == PUBLIC_BYTES;

	wipe(private, sizeof private);
	return good;
}

static bool unseal(
        struct file_keys *keys, const struct key_slot *slot, const struct pair *pair, const uint8_t p[HEADER_P_BYTES])
{
	uint8_t file_key[FILE_KEY_BYTES];
	bool good = slot->type == SLOT_X25519 &&
	            key_slot_open(file_key, slot, &pair->private, p + HEADER_P_SALT, NULL) == GPUCRYPT_OK &&
	            file_keys_derive(keys, file_key, p) == GPUCRYPT_OK;

	wipe(file_key, sizeof file_key);
	return good;
}

/* Collective: send the keys of a file from rank 0 to all other ranks.  p belongs to the file's header, which all ranks
 * have. */
static void share_keys(struct file_keys *keys, const uint8_t p[HEADER_P_BYTES])
{
	struct pair pair;
	struct key_slot *slots = calloc((size_t)n_ranks, sizeof *slots), own;
	uint8_t *publics = calloc((size_t)n_ranks, PUBLIC_BYTES);
	MPI_Request request;

	require(slots != NULL && publics != NULL && make_pair(&pair));
	MPI_Igather(
	        pair.public_der, PUBLIC_BYTES, MPI_BYTE, publics, PUBLIC_BYTES, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	await_quietly(&request, NULL);
	for (int i = 0; i < n_ranks && own_rank == 0; i++) {
		const struct gpucrypt_secret recipient = {
			.type = GPUCRYPT_X25519, .bytes = publics + i * PUBLIC_BYTES, .length = PUBLIC_BYTES
		};

		require(key_slot_make(&slots[i], &recipient, keys->file, p + HEADER_P_SALT, 0) == GPUCRYPT_OK);
	}
	MPI_Iscatter(slots, (int)sizeof *slots, MPI_BYTE, &own, (int)sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	await_quietly(&request, NULL);
	require(own_rank == 0 || unseal(keys, &own, &pair, p));
	wipe(&pair, sizeof pair);
	free(slots);
	free(publics);
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

	share_keys(&assignment->started.keys, assignment->started.header.bytes);
	if (assignment->kind == ASSIGN_REKEY)
		share_keys(&assignment->old_keys, assignment->old.bytes);
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
