/* A device opened for micro-benchmarks, the difference method for the timing of chains, and the measurements of a
 * device. */
#ifndef PPF_MEASURE_BENCH_H
#define PPF_MEASURE_BENCH_H

#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "ppf/record/device_record.h"

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

/* The measurements of a device.  Each sets some members of the record. */

#define BANKS                                                                                                  \
	32 /* banks of local memory on all current GPUs, each one word wide; also the most replicas of a table \
	    */

/* What a row varies.  OVER_BATCHES and OVER_WORDS measure a struct curve, the others a double. */
enum chain_launch {
	ONE_BATCH,
	ONE_GROUP,
	FULL_UNIT,    /* as many warps as a compute unit can hold */
	OVER_BATCHES, /* 1, 2, 4, … resident warps, up to a full unit */
	OVER_WORDS    /* tables of 2^8 to 2^17 words, in a full unit */
};

struct chain_row {
	const char *kernel;
	unsigned steps; /* operations of a work-item in one iteration of the loop */
	enum chain_launch launch;
	size_t figure;         /* offset in the struct of the results, whose figures are 0 before the first pass */
	unsigned table_words;  /* size of the table that is a random cycle of offsets; 0: no table */
	unsigned local_copies; /* replicas of the table in local memory; 0: the kernel takes no local memory */
	unsigned stride;       /* 0: all work-items start at the same entry */
	size_t zeros;          /* size of an input that is all zeros, instead of a table or random words */
	bool gpu_only;
};

/* The row of a kernel, whose figure is the record's member with the row's name. */
#define CHAIN_ROW(of, name, steps, launch, ...)                                          \
	{                                                                                \
#name, steps, launch, .figure = offsetof(struct of, name), ##__VA_ARGS__ \
	}

/*
 * Measure every row of a table, which a NULL kernel ends, in a number of passes.  A later pass replaces a figure only
 * by a lower one, because other programs on a CPU slow down different chains in each pass.  A row is skipped if its
 * replicas do not fit into local memory.  width: number of operations in one step.  Errors: as bench_cycles().
 */
int measure_rows(struct bench *bench, const struct chain_row *rows, unsigned width, unsigned passes, void *results);

/* What the operations of a chain cost besides the others in it: at least this part of the chain. */
double rest_cycles(double part, double chain, double others);

int measure_build_chains(struct bench *bench);
int measure_arithmetic(struct bench *bench, struct device_record *record);
int measure_wide(struct bench *bench, struct device_record *record); /* builds a separate program */
int measure_memory(struct bench *bench, struct device_record *record);
int measure_lookups(struct bench *bench, struct device_record *record);
int measure_slices(struct bench *bench, struct device_record *record); /* does nothing unless the device is a CPU */
int measure_launches(struct bench *bench, struct device_record *record);
int measure_stream(struct bench *bench, struct device_record *record);
int measure_transfers(struct bench *bench, struct device_record *record);
int measure_tags(struct bench *bench, struct device_record *record);

/* On a CPU whose slices could not be measured, time bitsliced kernels by the OpenCL engine for record->trials.  The
 * entry of a kernel that cannot run stays 0. */
void measure_trials(struct device_record *record, unsigned number);

/* Time the one-time work of a run with the device: known-answer tests, queues, page-locked memory.  Opening the context
 * and building programs are not included.  number: as in a plan. */
int measure_engine(struct device_record *record, unsigned number);

#endif
