/* Work in a child process, which may crash: on a hostile source, with limits of time and memory, or with the driver of
 * a device. */
#ifndef PPF_ISOLATE_H
#define PPF_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "gpucrypt/gpucrypt.h"

#define ISOLATED_SECONDS 60 /* of a clock, and of each process's CPU time */

struct isolation {
	const char *name; /* for messages; the next two: the messages after a crash, and after SIGALRM */
	const char *crashed, *late;
	enum gpucrypt_status status; /* after a crash or SIGALRM */
	/* Limits of time and memory; programs that the child starts end with it.  Else the child shares standard error,
	 * and calls alarm(). */
	bool limited;
	void (*work)(void *result, const void *request); /* runs in the child process */
	const void *request;
	void *result; /* zeroed for the child; unchanged if the work fails */
	size_t n_bytes;
};

/* Errors: isolation->status if the child process crashed or took too long; GPUCRYPT_OTHER if it cannot be started; the
 * status of isolate_end().  Text in the buffer of standard output is written by the parent only. */
int isolate(const struct isolation *isolation);

/* End the child process: isolate() returns this status of fail(), and has its text.  The work calls this wherever it
 * fails, and frees nothing. */
_Noreturn void isolate_end(int status);

/*
 * A program with limits of time and memory, whose standard streams are files in memory:
 *
 *     struct program_run run = { .arguments = … };
 *     program_open ?: program_execute, run.ended and pread() of run.streams, program_close
 */
struct program_run {
	const char *const *arguments;      /* of a program that is searched in PATH */
	void (*execute)(const void *with); /* NULL: execvp(); returns only on failure */
	const void *with;
	unsigned seconds; /* 0: ISOLATED_SECONDS */
	int streams[3];   /* owned */
	int ended;        /* the status of waitpid(2); exit code 127: no such program */
};

/* Make the streams, with this input.  GPUCRYPT_OTHER: no memory.  The caller closes the run, also after a failure. */
int program_open(struct program_run *run, const void *input, size_t n_bytes);
int program_execute(struct program_run *run); /* GPUCRYPT_OTHER: no process can be started */
bool program_timed_out(const struct program_run *run);
void program_close(struct program_run *run);

#endif
