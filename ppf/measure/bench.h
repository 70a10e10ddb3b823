/* A device opened for micro-benchmarks, and the difference method for the timing of chains. */
#ifndef PPF_MEASURE_BENCH_H
#define PPF_MEASURE_BENCH_H

#include "gpucrypt/engine/opencl/program.h"

#define BENCH_WORDS 1024 /* number of random words that chains start from */
#define CPU_ITEMS   64   /* work-items of a group on CPUs, constant because PoCL compiles for each size */

struct bench {
	const struct device *device; /* not owned */
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_mem words; /* BENCH_WORDS random words */
	cl_mem out; /* one word for each work-item of the largest launch; in slice chains, all slices of each work-item
	             */
	double clock_hz; /* as the device reports it */
	double seen_hz;  /* the highest clock measured on a CPU */
	unsigned batch_items, max_batches,
	        group_batches; /* warp size; warps resident in a compute unit; warps in one group */
	unsigned elements;     /* processing elements of a compute unit; if unknown, the maximum of all devices */
	unsigned units; /* compute units that a chain runs on: all; on a CPU one, since other programs run there too */
	double units_factor; /* factor by which a CPU's compute unit is slower when all units work */
	bool device_time;    /* event profiling is correct on this device; false: use the host's clock */
	double spread;       /* the largest spread of all chains so far */
	const struct kernel_source *more_sources; /* files in addition to kernels/; NULL: none */
};

/* One chain of dependent operations.  The first three kernel arguments are in, out, n. */
struct chain {
	const char *kernel;
	unsigned operations;                  /* operations of a work-item in one iteration of the loop */
	cl_mem in, out;                       /* NULL: bench->words and bench->out */
	size_t local_bytes;                   /* 0: the kernel has no such argument */
	unsigned table_words, copies, stride; /* arguments 0 or 1 more, if table_words is not 0 */
};

/* Open context, queue and buffers, and let the clock rise.  bench_build() creates the program. */
int bench_open(struct bench *bench, const struct device *device);
void bench_close(struct bench *bench); /* bench may be zeroed */

/* Build word.cl and further files of kernels/ (or text, if files is NULL), and replace the previous program. */
int bench_build(struct bench *bench, const char *files, const char *text, const char *options);

/* Create a buffer with a copy of n_bytes at bytes. */
int bench_buffer(struct bench *bench, cl_mem *buffer, size_t n_bytes, const void *bytes);

/* Run a chain until the clock has reached its maximum.  Check whether the device's event times are correct, and measure
 * how much compute units slow each other down. */
int bench_warm(struct bench *bench, const struct chain *chain);

/*
 * Measure the cycles of an operation of a warp, with a number of warps (batches) resident in each compute unit.  The
 * difference of two launches gives the time for a number of loop iterations.  The first run is discarded, and the
 * result is the median of several runs; on a CPU, the shortest long launch minus the shortest short launch.
 * Errors: GPUCRYPT_DEVICE if the figure is below the physical minimum, because the compiler has removed the chain.
 * *cycles is replaced only by a lower figure, in a later pass; 0: there is none yet.
 */
int bench_cycles(struct bench *bench, const struct chain *chain, unsigned batches, double *cycles);

/* The number of passes over all chains: more than one on a CPU, which other programs may keep busy for a while. */
unsigned bench_passes(const struct bench *bench);

/* Create a chain's kernel and set its arguments.  The caller releases the kernel, also on errors; *kernel may be NULL.
 */
int bench_kernel(struct bench *bench, const struct chain *chain, cl_ulong n, cl_kernel *kernel);

/* Set the work-items of a group and of the launch, for this number of warps in each compute unit. */
void bench_launch(const struct bench *bench, unsigned batches, size_t *items, size_t *all);

/* Run one launch until it has finished, and measure the seconds, by the device's clock if event times are correct. */
int bench_run(struct bench *bench, cl_kernel kernel, size_t all, size_t items, double *seconds);

/* Time several runs by the host's clock, and return their robust value; a first run is discarded. */
cl_int bench_repeat(const struct bench *bench, cl_int (*run)(void *self), void *self, double *seconds);

int bench_failed(const struct bench *bench, const char *what, cl_int error);

double host_seconds(void);

/* Write today's date (UTC) as "2026-11-22". */
void write_date(char date[16]);

/* The next number of a reproducible pseudorandom sequence (xorshift32, Marsaglia, 2003).  The seed *x must not be 0. */
static inline uint32_t next_number(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

#define FIRST_NUMBER 2463534242u

/* buffer may be NULL. */
void bench_release(cl_mem buffer);

/* Sort the values and return their median. */
double median(double *values, unsigned n);

/* Sort the times of several runs and return their robust value: the median, or on a CPU the minimum, because other
 * programs only lengthen a run. */
double robust_seconds(double *seconds, unsigned n, bool is_cpu);

#endif
