/*
 * What became of each file, for people and machines: with --json an object a line on standard output (on standard error
 * where standard output gets data), the same in the file of --log, and at the end of several files a line of sums.
 */
#ifndef CLI_TRANSFORM_RESULTS_H
#define CLI_TRANSFORM_RESULTS_H

#include <stdatomic.h>

#include "cli/args/options.h"

struct job;
struct job_file;

/* Sums over the files of a run, in memory that its processes share. */
struct tally {
	atomic_size_t next;          /* the operand that is taken next */
	atomic_bool stop;            /* do not take further files: they would fail too */
	atomic_size_t n_good, n_bad; /* files */
	atomic_size_t n_same;        /* files that were skipped, because a manifest says that they have not changed */
	atomic_ullong n_bytes;       /* plaintext of the good files */
	atomic_ullong input_bytes;   /* of all inputs except skipped ones; UINT64_MAX: not known */
	atomic_ullong taken_bytes;   /* of the inputs that were processed */
	atomic_ullong first_failure; /* operand << 8 | status of the first failure; UINT64_MAX: none */
	atomic_bool drivers_noted;   /* a warning names the drivers that are left out */
	atomic_bool leftovers_noted; /* a warning about leftovers (leftovers.h) was printed */
	atomic_ullong folder;        /* inode of the last folder that was searched for leftovers; 0: none */
};

/* NULL: out of memory. */
struct tally *tally_open(void);
void tally_close(struct tally *tally);

/* Status of the first failed operand. */
int tally_status(const struct tally *tally);

/* Open the file of --log before any work, when the operands are known; log_fd stays -1 without --log. */
int log_open(struct job *job);

/* Count the file, and print and log its result.  error: the message of a failure.  Returns status, or that of a failed
 * write. */
int result_add(struct job *job, const struct job_file *file, size_t operand, int status, const char *error);

/* The line about a container that was verified. */
void result_print_verified(const struct job *job, const struct job_file *file);

/* Print the line of sums.  containers: the files are new containers; a note follows if there are many, and they are
 * more than twice as long as their content. */
void results_print_sums(const struct tally *tally, double seconds, bool containers);

#endif
