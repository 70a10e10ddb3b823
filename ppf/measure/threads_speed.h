/* Measure the CPU: the speed of a number of threads, each with its own memory, and the clock of a core. */
#ifndef PPF_MEASURE_THREADS_SPEED_H
#define PPF_MEASURE_THREADS_SPEED_H

#include "gpucrypt/engine/engine.h"
#include "ppf/record/device_record.h"

/* The work that every thread repeats on successive pieces of its memory, which wraps around after buffer_bytes.  done:
 * number of bytes that this thread has processed. */
struct chore {
	int (*run)(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes);
	size_t buffer_bytes;   /* a multiple of 256 KiB; 0: 16 MiB */
	struct engine *engine; /* engine_chore: works on lane `thread` */
	const uint8_t *memory; /* copy_chore: source of the copy */
	size_t memory_bytes;
	int fd; /* read_chore: file of file_bytes bytes */
	uint64_t file_bytes;
};

/* Encrypt a piece in place; compute its chunk tags; copy into it; read a file into it. */
int engine_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes);
int tag_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes);
int copy_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes);
int read_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes);

/* Measure the bytes per second of a number of threads: the fastest of three runs of run_s seconds, because other
 * programs only reduce the speed. */
int threads_speed(const struct chore *chore, unsigned threads, double run_s, double *bytes_per_s);

/* Measure one run of one thread and one run of all threads.  *pace, zeroed before the first call, is replaced by higher
 * speeds only; callers spread the calls over time, because the machine may be busy for a while. */
int threads_pace(const struct chore *chore, unsigned threads, double run_s, struct pace *pace);

/* The clock of a core, in Hz, by a chain of dependent XORs, of which no CPU executes more than one per cycle. */
double core_clock_hz(void);

#endif
