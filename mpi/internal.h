/* gcrypt-mpi: one container by all ranks of an MPI job.  Rank 0 runs the command as gcrypt does, with the secret, and
 * deals out pieces, which are ranges of groups, to itself and the other ranks. */
#ifndef MPI_INTERNAL_H
#define MPI_INTERNAL_H

#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpucrypt/container/started.h"
#include "gpucrypt/pipeline/report.h"

/* The work on one file, which rank 0 broadcasts without the keys. */
enum assignment_kind { ASSIGN_END, ASSIGN_ENCRYPT, ASSIGN_DECRYPT, ASSIGN_VERIFY, ASSIGN_REKEY };

struct assignment {
	enum assignment_kind kind;
	int status; /* ASSIGN_END: the job's */
	uint64_t n_groups, n_pieces, plaintext_bytes;
	struct gpucrypt_plan plan; /* of the options, with cipher, mode and sizes of the header */
	struct started started;    /* header and keys; when OUT.part is written, its start record too */
	struct {
		struct authenticated_header header;
		struct file_keys keys;
	} old; /* ASSIGN_REKEY: of the input */
	char input[PATH_MAX], output[PATH_MAX];
	uint64_t output_inode; /* of the file that rank 0 has opened */
	uint32_t output_owner;
};

/* The result of a piece. */
struct piece {
	uint64_t number; /* or NO_PIECE: the rank starts, or has ended */
	int status;
	uint64_t n_bytes, kept_bytes;                /* of plaintext */
	uint8_t read[MAC_BYTES], written[MAC_BYTES]; /* digests of the pages */
	char text[512];                              /* of a failure */
};

#define NO_PIECE UINT64_MAX

/* What a rank does with an assignment. */
struct worker {
	const struct assignment *assignment;
	/* Report the result of a piece and get the number of the next one, or NO_PIECE at the end. */
	uint64_t (*next)(struct worker *worker, const struct piece *done);
	void *self; /* of next() */
};

/* Open the files, process pieces until there are no more, and sync.  The last result that next() gets has the number
 * NO_PIECE, and the status of opening and syncing. */
void worker_run(struct worker *worker);

/* By piece: the digests of the metadata pages that the ranks have read, and of those that they have written. */
struct page_digests {
	uint8_t (*read)[MAC_BYTES], (*written)[MAC_BYTES];
};

/* On rank 0: broadcast the assignment, deal out its pieces, and wait for the end of all ranks.  Returns the status of
 * the first piece that failed. */
int deal_out(struct assignment *assignment, const struct page_digests *digests,
        const struct gpucrypt_progress *progress, struct report *report);

/* On other ranks: take part until rank 0 says that the job has ended; returns its status. */
int rank_follow(void);

/* On rank 0: let the other ranks end. */
void end_ranks(int status);

/* Before MPI_Wait(), which spins on a core that the ranks of this node compute with. */
void await_quietly(MPI_Request *request);

/* On rank 0 and on all others, after the broadcast of an assignment: its keys. */
void keys_send(const struct file_keys *keys);
void keys_receive(struct file_keys *keys);

/* The threads of this rank: those that it is bound to, or its share of the node's. */
unsigned rank_threads(void);

#endif
