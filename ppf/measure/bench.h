/* A device opened for micro-benchmarks, and the difference method by which chains are timed. */
#ifndef BENCH_H
#define BENCH_H

#include "gpucrypt/engine/opencl/program.h"

#define BENCH_WORDS 1024 /* random words that chains start from */
#define CPU_ITEMS   64   /* in a group on CPUs: one size, since PoCL builds each anew */

struct bench {
	const struct device *device; /* not owned */
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_mem words;    /* BENCH_WORDS random words */
	cl_mem out;      /* a word for each work-item of the largest launch; of slices, all of theirs */
	double clock_hz; /* as the device says */
	double seen_hz;  /* the highest that a CPU was seen to have */
	unsigned batch_items, max_batches, group_batches; /* resident in a unit; in one group */
	unsigned elements;   /* processing elements of a unit; where unknown, as many as any has */
	unsigned units;      /* that a chain runs on: all; of a CPU one, since others run there too */
	double units_factor; /* how much longer it takes there when all units work */
	bool device_time;    /* event profiling is right here, else the host's clock */
	double spread;       /* the worst so far */
	const struct kernel_source *more_sources; /* files beside those of kernels/; NULL: none */
};

/* One chain. The first three kernel arguments are in, out, n. */
struct chain {
	const char *kernel;
	unsigned operations;                  /* of a work-item in one turn of the loop */
	cl_mem in;                            /* NULL: bench->words */
	size_t local_bytes;                   /* 0: no such argument */
	unsigned table_words, copies, stride; /* arguments 0 or 1 more, if table_words is not 0 */
};

/* Context, queue, buffers, and a warm clock; the program is NULL yet. */
int bench_open(struct bench *bench, const struct device *device);
void bench_close(struct bench *bench); /* zeroed is fine */

/* Build word.cl and further files of kernels/ (or text, if files is NULL) instead of what was built
 * before. */
int bench_build(struct bench *bench, const char *files, const char *text, const char *options);

/* A buffer with what is at bytes. */
int bench_buffer(struct bench *bench, cl_mem *buffer, size_t n_bytes, const void *bytes);

/* Run a chain until the clock is at its height; see whether the device's own times are right, and how
 * units slow each other down. */
int bench_warm(struct bench *bench, const struct chain *chain);

/*
 * Cycles of a batch and operation with a number of batches resident in each compute unit: time
 * against turns of the loop, by the difference of two launches; the first is discarded, and the
 * median of several taken, on a CPU the shortest long launch less the shortest short one.
 * GPUCRYPT_DEVICE for a figure no hardware can reach: the compiler has removed the chain.
 */
int bench_cycles(struct bench *bench, const struct chain *chain, unsigned batches, double *cycles);

/* The same, once more in a later pass: *cycles stays if it is less; 0: there was no pass yet. */
int bench_cycles_again(struct bench *bench, const struct chain *chain, unsigned batches, double *cycles);

/* How often a benchmark goes through its chains: on a CPU, which may be busy for a while, more than once. */
unsigned bench_passes(const struct bench *bench);

/* Work-items of a group and of the launch that hold so many batches in each unit. */
void bench_launch(const struct bench *bench, unsigned batches, size_t *items, size_t *all);

/* Seconds of one launch, finished; by the device's clock if it has one. */
int bench_run(struct bench *bench, cl_kernel kernel, size_t all, size_t items, double *seconds);

int bench_failed(const struct bench *bench, const char *what, cl_int error);

double host_seconds(void);

/* "2026-11-22" (UTC). */
void write_date(char date[16]);

/* The next of numbers that look random and are always the same (xorshift32, Marsaglia, 2003); x is not 0 at first. */
static inline uint32_t next_number(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

#define FIRST_NUMBER 2463534242u

/* NULL is fine. */
void bench_release(cl_mem buffer);

/* The median; values are sorted. */
double median(double *values, unsigned n);

/* What several runs of the same, which are sorted, come to in seconds: their median; on a CPU, where other work
 * only lengthens them, the shortest. */
double robust_seconds(double *seconds, unsigned n, bool is_cpu);

#endif
