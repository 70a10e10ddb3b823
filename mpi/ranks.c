/* What the ranks do together, and the work of each: it opens the files by their names, and takes one piece after the
 * other.  One thread of a rank at a time calls MPI. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/transform/plan.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"
#include "mpi/internal.h"

struct assignment *assignment;
int own_rank, n_ranks;

static unsigned own_threads; /* processors that this rank is bound to, or its share of the node's processors */
static MPI_Win counter;      /* rank 0 holds it: the number of the next piece */
static uint8_t *session_key; /* of all ranks; in locked memory */

/* A rank that went on alone would make all others wait, so the job ends unless this is true. */
static void require(bool good)
{
	if (!good) {
		MPI_Abort(MPI_COMM_WORLD, GPUCRYPT_OTHER);
		abort();
	}
}

/* MPI copies messages through shared memory and networks, where other programs may read them.  So file keys are wrapped
 * by a key of the job, which each rank gets in a key slot for a new X25519 key.  This protects the keys against
 * eavesdroppers only, because a rank does not authenticate itself. */
#define PUBLIC_BYTES 44 /* SubjectPublicKeyInfo of X25519 (RFC 8410) */

static void share_session_key(void)
{
	static const uint8_t salt[SALT_BYTES];
	struct key_slot *slots = calloc((size_t)n_ranks, sizeof *slots), own;
	uint8_t public[PUBLIC_BYTES], *at = public, *publics = calloc((size_t)n_ranks, PUBLIC_BYTES);
	struct gpucrypt_secret key = { .type = GPUCRYPT_X25519, .length = PUBLIC_BYTES };

	key.held = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
	session_key = locked_allocate(FILE_KEY_BYTES);
	require(slots != NULL && publics != NULL && session_key != NULL && key.held != NULL &&
	        i2d_PUBKEY(key.held, &at) == PUBLIC_BYTES && random_bytes(session_key, FILE_KEY_BYTES) == GPUCRYPT_OK);
	MPI_Gather(public, PUBLIC_BYTES, MPI_BYTE, publics, PUBLIC_BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
	for (int i = 0; i < n_ranks && own_rank == 0; i++) {
		key.bytes = publics + i * PUBLIC_BYTES;
		require(key_slot_make(&slots[i], &key, session_key, salt, 0) == GPUCRYPT_OK);
	}
	key.bytes = public;
	MPI_Scatter(slots, (int)sizeof own, MPI_BYTE, &own, (int)sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
	require(key_slot_open(session_key, &own, &key, salt, NULL) == GPUCRYPT_OK);
	key_store_release(&key);
	free(slots);
	free(publics);
}

void ranks_open(void)
{
	unsigned bound = plan_threads(&(struct gpucrypt_plan){ .threads = 0 });
	uint64_t *unused;
	MPI_Comm node;
	int n_here;

	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	MPI_Win_allocate(
	        own_rank == 0 ? sizeof *unused : 0, sizeof *unused, MPI_INFO_NULL, MPI_COMM_WORLD, &unused, &counter);
	MPI_Win_lock_all(0, counter);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &n_here);
	MPI_Comm_free(&node);
	own_threads = (long)bound < sysconf(_SC_NPROCESSORS_ONLN) ? bound : bound / (unsigned)n_here ?: 1;
	share_session_key();
	assignment = locked_allocate(sizeof *assignment);
	require(assignment != NULL);
}

void ranks_close(void)
{
	locked_free(assignment, sizeof *assignment);
	locked_free(session_key, FILE_KEY_BYTES);
	MPI_Win_unlock_all(counter);
	MPI_Win_free(&counter);
}

/* Add to the counter; returns its value before.  Some MPI libraries serve it only during a call of rank 0, so the
 * progress callback of rank 0's pipeline calls MPI. */
static uint64_t take_pieces(uint64_t n)
{
	uint64_t before;

	MPI_Fetch_and_op(&n, &before, MPI_UINT64_T, 0, 0, MPI_SUM, counter);
	MPI_Win_flush(0, counter);
	return before;
}

/* Rank 0 reports the progress of all ranks: the pieces taken, less the one that each rank still works on. */
static int report_all(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
	uint64_t n, all = assignment->n_pieces, running = (uint64_t)n_ranks;

	(void)self;
	(void)done_bytes;
	if (own_rank != 0)
		return 0;
	n = take_pieces(0);
	n = n < running ? 0 : n - running < all ? n - running : all;
	total_bytes = assignment->plaintext_bytes;
	return report_progress(
	        assignment->progress, (uint64_t)((double)n / (double)all * (double)total_bytes), total_bytes);
}

static const struct gpucrypt_progress progress = { report_all, NULL };

/* Wait for all ranks without spinning, since the ranks of this node need the cores. */
static void meet(const struct gpucrypt_progress *meanwhile)
{
	static const struct timespec pause_time = { .tv_nsec = 1000000 };
	MPI_Request request;
	int done = 0;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
		report_progress(meanwhile, 0, 0);
		nanosleep(&pause_time, NULL);
	}
}

/* The work of one rank. */

/* Open files and engine. */
struct rank_state {
	struct source input, output;
	struct fd_sink sink;
	struct gpucrypt_plan encrypt, decrypt;
	struct recryptor recryptor; /* encryption uses only its writer, decryption only its reader */
	struct report report;
	uint64_t piece;
};

/* Accept only the file that rank 0 has opened: somebody may have put another file under its name.  The lock keeps other
 * jobs from writing OUT.part while a rank of this job runs. */
static int check_output(const struct source *output)
{
	struct stat there;

	if (fstat(output->fd, &there) != 0)
		return fail_errno(output->name, "cannot be examined");
	if (!S_ISREG(there.st_mode) || there.st_ino != assignment->output_inode ||
	        there.st_uid != assignment->output_owner || there.st_nlink > PART_LINKS)
		return fail(GPUCRYPT_EXISTS, "%s: is not the file that rank 0 has opened", output->name);
	if (writes_container() && !lock_bytes(output->fd, F_RDLCK, 1, 1))
		return fail(GPUCRYPT_EXISTS, "%s: cannot be locked: %s", output->name, strerror(errno));
	return GPUCRYPT_OK;
}

static int open_file(struct source *source, const char *name, int flags)
{
	int fd = open(name, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* do not wait for the writer of a FIFO */

	*source = (struct source){ .fd = fd, .name = name };
	return fd < 0 ? fail_errno(name, "cannot open") : source_open(source, fd, name);
}

static int open_files(struct rank_state *rank)
{
	int status = open_file(&rank->input, assignment->input, O_RDONLY);

	if (status != GPUCRYPT_OK || assignment->kind == ASSIGN_VERIFY)
		return status;
	status = open_file(&rank->output, assignment->output, O_RDWR | O_NOFOLLOW)
	        ?: check_output(&rank->output)
	        ?: fd_sink_open(&rank->sink, rank->output.fd, assignment->output);
	if (status == GPUCRYPT_OK)
		fd_sink_allow_any_order(&rank->sink);
	if (status == GPUCRYPT_OK && assignment->kind == ASSIGN_DECRYPT)
		fd_sink_leave_zeros(&rank->sink);
	return status;
}

/* The model chooses the settings that the options leave open, for the node of this rank, as gcrypt does. */
static int choose_plan(struct gpucrypt_plan *chosen, const struct rank_state *rank,
        const struct authenticated_header *header, enum direction direction)
{
	const struct output output = { .kind = OUTPUT_NAMED, .name = assignment->output };
	struct options options = OPTIONS_DEFAULT;
	struct chooser chooser = { .machine = NULL };
	struct file_plan plan = { .run = assignment->plan, .one_engine = assignment->kind == ASSIGN_REKEY };
	int status = GPUCRYPT_OK;

	if (plan.run.threads == 0)
		plan.run.threads = own_threads;
	plan_of_header(&plan, header, direction);
	if (assignment->kind != ASSIGN_VERIFY) {
		options.plan = plan.run;
		status = plan_choose(&plan, &options, &rank->input, &output, &chooser);
		free(chooser.machine);
	}
	*chosen = plan.run;
	return status;
}

/* Does this node see the same source as rank 0 at the start? */
static int check_source(const struct rank_state *rank)
{
	return !writes_container() ? GPUCRYPT_OK
	                           : start_record_unchanged(assignment->started.copies + HEADER_COPY_BYTES,
	                                     rank->recryptor.writer.source, START_PARTS, assignment->output);
}

static int open_reader(struct rank_state *rank)
{
	struct group_reader *reader = &rank->recryptor.reader;
	int status = choose_plan(&rank->decrypt, rank, &assignment->old, DECRYPT);

	part_reader_describe(reader, &assignment->old, &assignment->old_keys, assignment->plaintext_bytes);
	return status != GPUCRYPT_OK || writes_container() ? status
	                                                   : reader_open_engine(reader, &rank->decrypt, &rank->report);
}

static int open_writer(struct rank_state *rank)
{
	const struct rekey plans = { .decrypt = &rank->decrypt, .encrypt = &rank->encrypt };
	struct group_writer *writer = &rank->recryptor.writer;
	const struct started *started = &assignment->started;
	int status = choose_plan(&rank->encrypt, rank, &started->header, ENCRYPT) ?: check_source(rank);

	if (status != GPUCRYPT_OK || !reads_container())
		return status ?: part_writer_open(writer, &rank->output, started, &rank->encrypt, NULL, &rank->report);
	return part_writer_describe(writer, &rank->output, started, &rank->encrypt, NULL)
	               ?: recryptor_open_engines(&rank->recryptor, &plans, &rank->report);
}

static int open_work(struct rank_state *rank)
{
	struct recryptor *job = &rank->recryptor;
	struct sink *sink = assignment->kind == ASSIGN_VERIFY ? NULL : &rank->sink.sink;
	int status = open_files(rank);

	job->plain = (struct source){ .fd = rank->input.fd,
		.name = rank->input.name,
		.size_bytes = assignment->plaintext_bytes,
		.content = assignment->old.header.content };
	job->reader = reader_of(&rank->input, sink, &progress);
	job->writer = writer_of(reads_container() ? &job->plain : &rank->input, sink, &progress);
	if (status == GPUCRYPT_OK && reads_container())
		status = open_reader(rank);
	return status != GPUCRYPT_OK || !writes_container() ? status : open_writer(rank);
}

static int run_piece(struct rank_state *rank)
{
	const struct part_number number = { rank->piece + 1, assignment->n_pieces };
	uint64_t first,
	        end = part_end(&first, assignment->group_log2, assignment->plaintext_bytes, &number, PAGE_BYTES);
	struct recryptor *job = &rank->recryptor;
	int status = !reads_container()   ? part_writer_run(&job->writer, first, end, &rank->encrypt, &rank->report)
	             : writes_container() ? recryptor_run_range(job, first, end, &rank->encrypt, &rank->report)
	                                  : part_reader_run(&job->reader, first, end, &rank->decrypt, &rank->report);

	memcpy(assignment->digests[rank->piece].read, job->reader.digest, MAC_BYTES);
	memcpy(assignment->digests[rank->piece].written, job->writer.digest, MAC_BYTES);
	return status;
}

/* After a failure no rank takes another piece.  Rank 0 does not serve the counter while it syncs. */
static int run_pieces(struct rank_state *rank)
{
	int status = open_work(rank);

	while (status == GPUCRYPT_OK && (rank->piece = take_pieces(1)) < assignment->n_pieces)
		status = run_piece(rank);
	if (status != GPUCRYPT_OK)
		take_pieces(assignment->n_pieces);
	meet(&progress);
	if (status == GPUCRYPT_OK && rank->output.fd >= 0 && fsync(rank->output.fd) != 0)
		status = fail_errno(rank->output.name, "cannot sync");
	return status ?: check_source(rank);
}

/* Collective work. */

/* All ranks get the failure of the first piece; rank 0 also gets the digests of all ranks, and adds up the bytes. */
static int collect(const struct rank_state *rank, int status, uint64_t *kept_bytes)
{
	struct {
		long piece; /* LONG_MAX: no failure */
		int rank;
	} first = { status == GPUCRYPT_OK ? LONG_MAX : (long)rank->piece, own_rank }; /* MPI_LONG_INT */
	struct {
		int status;
		char text[512];
	} failure = { .status = status };
	const bool root = own_rank == 0;

	snprintf(failure.text, sizeof failure.text, "%s", gpucrypt_error());
	fail_clear();
	meet(&progress);
	MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_LONG_INT, MPI_MINLOC, MPI_COMM_WORLD);
	MPI_Bcast(&failure, (int)sizeof failure, MPI_BYTE, first.rank, MPI_COMM_WORLD);
	MPI_Reduce(root ? MPI_IN_PLACE : assignment->digests, root ? assignment->digests : NULL,
	        (int)(assignment->n_pieces * sizeof *assignment->digests), MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
	MPI_Reduce(&rank->report.kept_bytes, kept_bytes, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	return failure.status == GPUCRYPT_OK || !root ? failure.status : fail(failure.status, "%s", failure.text);
}

static int take_part(uint64_t *kept_bytes)
{
	struct rank_state rank = { .input.fd = -1, .output.fd = -1, .piece = assignment->n_pieces };
	int status;

	assignment->digests = calloc(assignment->n_pieces, sizeof *assignment->digests);
	require(assignment->digests != NULL);
	status = run_pieces(&rank);
	rank.report.kept_bytes = rank.recryptor.writer.kept_bytes;
	recryptor_close(&rank.recryptor);
	if (rank.input.fd >= 0)
		close(rank.input.fd);
	if (rank.output.fd >= 0)
		close(rank.output.fd); /* and give up its lock, before rank 0 locks OUT.part */
	return collect(&rank, status, kept_bytes);
}

/* The other ranks may wait long for the broadcast, while rank 0 asks for a passphrase or reads all pages. */
static void broadcast(void)
{
	meet(NULL);
	MPI_Bcast(assignment, (int)BROADCAST_BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
}

int ranks_run(struct report *report)
{
	int status;

	require(key_wrap(assignment->sealed[0], assignment->started.keys.file, session_key) == GPUCRYPT_OK &&
	        key_wrap(assignment->sealed[1], assignment->old_keys.file, session_key) == GPUCRYPT_OK);
	take_pieces(0 - take_pieces(0)); /* set the counter to 0: no other rank takes a piece before the broadcast */
	broadcast();
	report->kept_bytes = 0;
	status = take_part(&report->kept_bytes);
	report->plaintext_bytes = status == GPUCRYPT_OK ? assignment->plaintext_bytes : 0;
	return status;
}

int assignment_end(int status)
{
	free(assignment->digests);
	wipe(assignment, sizeof *assignment);
	return status;
}

void ranks_end(int status)
{
	assignment->kind = ASSIGN_END;
	assignment->status = status;
	broadcast();
}

static void unseal(struct file_keys *keys, const uint8_t sealed[WRAPPED_BYTES], const uint8_t p[HEADER_P_BYTES])
{
	uint8_t file_key[FILE_KEY_BYTES];

	require(key_unwrap(file_key, sealed, session_key) == GPUCRYPT_OK &&
	        file_keys_derive(keys, file_key, p) == GPUCRYPT_OK);
	wipe(file_key, sizeof file_key);
}

int ranks_follow(void)
{
	void *locked = locked_stack();

	for (broadcast(); assignment->kind != ASSIGN_END; broadcast()) {
		unseal(&assignment->started.keys, assignment->sealed[0], assignment->started.header.bytes);
		unseal(&assignment->old_keys, assignment->sealed[1], assignment->old.bytes);
		assignment_end(take_part(&(uint64_t){ 0 }));
	}
	locked_stack_release(locked);
	return assignment->status;
}
