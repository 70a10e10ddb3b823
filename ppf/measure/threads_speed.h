/* How fast threads of the CPU are, each working on memory of its own. */
#ifndef THREADS_SPEED_H
#define THREADS_SPEED_H

#include "gpucrypt/engine/engine.h"
#include "ppf/record/device_record.h"

/* What every thread does again and again: something with a piece of its memory, at which it comes
 * by again after buffer_bytes.  done: bytes that this thread is through with. */
struct chore {
	int (*run)(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes);
	size_t buffer_bytes;   /* a multiple of 256 KiB; 0: 16 MiB */
	struct engine *engine; /* engine_chore: works on lane `thread` */
	const uint8_t *memory; /* copy_chore: from here */
	size_t memory_bytes;
	int fd; /* read_chore: a file of file_bytes */
	uint64_t file_bytes;
};

/* A piece through an engine in place; its chunk tags; a copy into it; a read into it. */
int engine_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes);
int tag_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes);
int copy_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes);
int read_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes);

/* Bytes a second of so many threads together: of three runs of run_s the fastest, since other work on
 * the machine only takes speed away. */
int threads_speed(const struct chore *chore, unsigned threads, double run_s, double *bytes_per_s);

/* One run of one thread and one of all.  *pace stays where it is faster: runs that lie apart in time find
 * the machine undisturbed more often.  Zeroed: there was none yet. */
int threads_pace(const struct chore *chore, unsigned threads, double run_s, struct pace *pace);

#endif
