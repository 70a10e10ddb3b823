/* gcrypt-mpi: all ranks of an MPI job process one container.  Rank 0 runs the command as gcrypt does, with the secret.
 * All ranks, also rank 0, take pieces, which are ranges of groups, from a counter. */
#ifndef MPI_INTERNAL_H
#define MPI_INTERNAL_H

#include <limits.h>
#include <stdbool.h>

#include "gpucrypt/container/parts/parts.h"
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
	unsigned group_log2;
	uint64_t n_pieces, plaintext_bytes;
	struct gpucrypt_plan plan; /* of the options */
	char input[PATH_MAX], output[PATH_MAX];
	uint64_t output_inode; /* of the file that rank 0 has opened */
	uint32_t output_owner;
	uint8_t sealed[2][WRAPPED_BYTES]; /* the file keys of started and of old */
	struct authenticated_header old;  /* of the container that is read */
	struct started started;           /* of the container that is written, OUT.part */
	struct file_keys old_keys;
	struct piece_digests *digests;            /* owned; at the end, rank 0 has the digests of all ranks */
	const struct gpucrypt_progress *progress; /* rank 0: of the job; or NULL */
};

#define BROADCAST_BYTES offsetof(struct assignment, started.keys)

/* Of this rank: the current assignment, in locked memory. */
extern struct assignment *assignment;
extern int own_rank, n_ranks;

static inline bool reads_container(void)
{
	return assignment->kind != ASSIGN_ENCRYPT;
}

static inline bool writes_container(void)
{
	return assignment->kind == ASSIGN_ENCRYPT || assignment->kind == ASSIGN_REKEY;
}

/* Collective: the first and the last call of this header.  own_rank is set. */
void ranks_open(void);
void ranks_close(void);

/* Rank 0: let all ranks do the assignment, whose keys and header it has, and wait for them.  Returns the status of the
 * first piece that failed. */
int ranks_run(struct report *report);

/* Free the digests, and wipe the assignment.  Returns status. */
int assignment_end(int status);

/* Other ranks: take part until rank 0 calls ranks_end(), whose status is returned. */
int ranks_follow(void);
void ranks_end(int status);

#endif
