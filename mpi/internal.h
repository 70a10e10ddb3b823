/* gcrypt-mpi: all ranks of an MPI job process one container.  Rank 0 runs the command as gcrypt does, with the secret.
 * All ranks, also rank 0, take pieces, which are ranges of groups, from a counter. */
#ifndef MPI_INTERNAL_H
#define MPI_INTERNAL_H

#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/args/options.h"
#include "gpucrypt/container/start_record.h"
#include "gpucrypt/pipeline/pipeline.h"

/* For one piece, the digests of the metadata pages that a rank has read, and of those that the rank has written; zeros
 * if this rank has not processed the piece. */
struct piece_digests {
	uint8_t read[MAC_BYTES], written[MAC_BYTES];
};

enum assignment_kind { ASSIGN_END, ASSIGN_ENCRYPT, ASSIGN_DECRYPT, ASSIGN_VERIFY, ASSIGN_REKEY };

/* The work on one file.  Rank 0 broadcasts the members before the keys (BROADCAST_BYTES). */
struct assignment {
	enum assignment_kind kind;
	int status; /* ASSIGN_END: the job's */
	uint64_t n_pieces, plaintext_bytes;
	struct gpucrypt_plan plan; /* of the options */
	char input[PATH_MAX], output[PATH_MAX];
	uint64_t output_inode; /* of the file that rank 0 has opened */
	uint32_t output_owner;
	struct authenticated_header old; /* ASSIGN_REKEY: of the input */
	struct started started;          /* header and keys; when OUT.part is written, its start record too */
	struct file_keys old_keys;
	struct piece_digests *digests; /* owned; at the end, rank 0 has the digests of all ranks */
};

#define BROADCAST_BYTES offsetof(struct assignment, started.keys)

/* Is the output OUT.part? */
static inline bool writes_part_file(const struct assignment *assignment)
{
	return assignment->kind == ASSIGN_ENCRYPT || assignment->kind == ASSIGN_REKEY;
}

/* What a rank has done of an assignment. */
struct result {
	int status;
	uint64_t piece; /* the piece that failed; NO_PIECE: opening or syncing the files failed */
	uint64_t n_bytes, kept_bytes;
	char text[512]; /* of a failure */
};

#define NO_PIECE UINT64_MAX

/* Each rank: open the files, process pieces until none is left, and sync. */
void rank_work(const struct assignment *assignment, const struct gpucrypt_progress *progress, struct result *result);

/* Rank 0: let all ranks do the assignment, whose keys and header it has, and wait for them.  Returns the status of the
 * first piece that failed. */
int ranks_run(struct assignment *assignment, const struct gpucrypt_progress *progress, struct report *report);

/* Other ranks: take part until rank 0 calls ranks_end(), whose status is returned. */
int ranks_follow(void);
void ranks_end(int status);

/* Collective: the first and the last call of this header. */
void ranks_open(void);
void ranks_close(void);

/* Set by ranks_open(); the threads of this rank: those that it is bound to, or its share of the node's. */
extern int own_rank, n_ranks;
extern unsigned rank_threads;

/* Counters of the current file, which rank 0 holds: the next piece, and the processed bytes of plaintext.  Some MPI
 * libraries serve them only during a call of rank 0, so the progress callback of rank 0's pipeline calls MPI.  Returns
 * the value before the change.  Ranks that change a counter at the same time must use one operation, or MPI_NO_OP
 * (MPI 4.0, 12.2.1, accumulate_ops). */
enum counter { COUNTER_PIECE, COUNTER_BYTES, N_COUNTERS };
uint64_t counter_change(enum counter counter, uint64_t value, MPI_Op how);

/* Wait for the request without spinning, since the ranks of this node need the cores.  progress is called meanwhile
 * (NULL: none). */
void await_quietly(MPI_Request *request, const struct gpucrypt_progress *progress);

/* A rank that went on alone would make all others wait, so the job ends unless this is true. */
void require(bool good);

/* The subcommands, which rank 0 runs. */
int mpi_enc(const struct options *options);
int mpi_dec(const struct options *options);
int mpi_verify(const struct options *options);
int mpi_rekey(const struct options *options);

#endif
