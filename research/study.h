/* The dissertation's experiments on a device: an experiment is a row of experiments.json. */
#ifndef RESEARCH_STUDY_H
#define RESEARCH_STUDY_H

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "ppf/run/variant.h"
#include "research/figure.h"

#define MIB (UINT64_C(1) << 20)

/* The texts of research/ and of Camellia's design stages, built in; ends with a NULL name. */
extern const struct kernel_source study_sources[];
const char *study_text(const char *name); /* name must be in study_sources */

struct study {
	struct session session;
	bool quick;                /* few sizes and small ones: minutes on a CPU */
	const char *const *plants; /* names of variants whose results are to be wrong, for tests; ends with NULL */
	double end_s;              /* host_seconds() at which the current experiment should end */
	struct sweep *sweep;       /* NULL until study_sweep() is asked */
};

/* A measurement adds its points to a figure.  A failure ends only this experiment, and keeps the points measured
 * before.  which: an index in sweep.kernels, a resource, or a direction, where several experiments share a function. */
typedef int study_measure(struct study *study, json_t *figure, int which);

/* experiments.json: an array with, for each experiment, its name, title and axes; the seconds that it may take; the
 * function that measures it; printed values; and conclusions, whose expressions conclude.c describes. */
json_t *study_experiments(void);

/* Counts of an experiment's own kernel (profiles.inc); NULL: there are none of this name. */
const struct profile *study_profile(const char *name);

/* Add the values that were printed in the dissertation or the papers; replace the conclusions. */
void study_print(json_t *figure, const json_t *experiment);
void study_conclude(json_t *figure, const json_t *experiment);

/* Seconds that the current experiment still has. */
static inline double study_left_s(const struct study *study)
{
	return study->end_s - host_seconds();
}

/* Fill the bytes with pseudorandom words, which are the same in each call. */
void study_fill(void *bytes, size_t n_bytes);

bool study_is_planted(const struct study *study, const char *variant);

/* After a wrong result or a failed build, add a note to the figure and return GPUCRYPT_OK, so that the experiment
 * continues. */
int study_note(json_t *figure, const char *variant, int status);

/* The wanted number of work-items for a GPU or a CPU, limited to the maximum of the device. */
unsigned study_items(const struct study *study, unsigned gpu_items, unsigned cpu_items);

/* Build a kernel from files of kernels/ and research/kernels/ (separated by spaces), in place of the variant's present
 * kernel.  Errors: GPUCRYPT_DEVICE. */
int study_build(struct variant *variant, struct study *study, const char *name, const char *files, const char *options,
        const char *kernel);

/* Blocks on the device for kernels with the arguments in, out, n_blocks, keys, table. */
#define REPEATED_BYTES ((size_t)64 << 10)

struct blocks {
	struct study *study;
	size_t n_bytes; /* of in and out; a multiple of REPEATED_BYTES */
	cl_mem in, out, keys, table;
	uint8_t *plain, *expected; /* REPEATED_BYTES, which in and out repeat; the caller computes `expected` */
};

/* The caller closes the blocks, also after a failure. */
int blocks_open(struct blocks *blocks, struct study *study, size_t n_bytes, const void *keys, size_t key_bytes,
        const void *table, size_t table_bytes);
void blocks_close(struct blocks *blocks);

/* Compare the beginning and the end of the first n_bytes with the expected bytes, then measure the time. */
int blocks_time(
        struct blocks *blocks, struct variant *variant, size_t items, size_t groups, size_t n_bytes, double *seconds);

/* The product's kernels.  product_choose() completes a plan: fields that the plan leaves open get the values that
 * gcrypt would choose on this device.  product_times() measures sizes in ascending order, and compares each result with
 * the reference implementation; the seconds of sizes for which no time is left are 0. */
int product_choose(struct gpucrypt_plan *plan, struct study *study, const struct suite *suite, uint64_t n_bytes);
int product_times(struct study *study, const struct suite *suite, const struct gpucrypt_plan *plan,
        const uint64_t *n_bytes, unsigned n, double *seconds);

/* The product's kernels over the size of the plaintext: by the policy (one replica of the tables, and the round keys,
 * in local memory), and in the shape that the model chooses; ECB with 128 bits. */
enum shaping { SHAPED_BY_POLICY, SHAPED_BY_MODEL, N_SHAPINGS };
#define MAX_SWEEP_SIZES   10
#define MAX_SWEEP_KERNELS 16

struct sweep_kernel {
	char name[64]; /* "aes, policy" */
	struct suite suite;
	enum shaping shaping;
	struct kernel_config kernel;
	double seconds[MAX_SWEEP_SIZES]; /* 0: not measured */
	int status;
	char failure[240];
};

struct sweep {
	uint64_t n_bytes[MAX_SWEEP_SIZES]; /* 1 MiB, doubled */
	unsigned n_sizes, n_kernels;
	double spread;                                  /* of the kernels' runs, as in struct session */
	struct sweep_kernel kernels[MAX_SWEEP_KERNELS]; /* N_SHAPINGS for each cipher */
};

/* The first call measures the sweep, and later calls return the same one.  A kernel that fails does not stop the
 * others. */
int study_sweep(struct study *study, const struct sweep **sweep);
double sweep_most(const struct sweep *sweep, const struct sweep_kernel *kernel); /* greatest Gbit/s; 0: not measured */
void sweep_note(struct study *study, json_t *figure, const struct sweep *sweep); /* add spread and failures */
extern const char *const shaping_names[N_SHAPINGS];

/* All processors that this process may use, and the Gbit/s of several threads with an engine of the CPU. */
unsigned processor_threads(void);
int processor_speed(const struct study *study, const struct engine_class *class, const struct suite *suite,
        unsigned threads, double *speed);

/* Measurements, by the names of experiments.json. */
study_measure measure_granularity, measure_throughput, measure_threads, measure_instructions, measure_latency,
        measure_bounds, measure_errors, measure_stages, measure_ladder, measure_rsa;

/* Camellia's design stages: the patterns of examples/ciphers/ on the host, and what they need on a device. */
#define N_STAGES_OF_DESIGN 3
#define STAGE_TABLE_WORDS  2048

struct design_stage {
	const char *name, *files; /* name as in profiles.inc; files of the device program */
	unsigned key_words, table_words;
	void (*encrypt)(uint32_t block[4], const uint32_t *keys, const uint32_t *table);
};

extern const struct design_stage design_stages[N_STAGES_OF_DESIGN];

/* Camellia's four tables, followed by its S-boxes, one byte in each word. */
void stage_table(uint32_t table[STAGE_TABLE_WORDS]);

/* Encrypt on the host; n_bytes is a multiple of the block size. */
void stage_encrypt(const struct design_stage *stage, uint8_t *out, const uint8_t *in, size_t n_bytes,
        const uint32_t *key_words, const uint32_t *table);

/* The dissertation's unit, 10^9 bits a second. */
static inline double gigabits(uint64_t n_bytes, double seconds)
{
	return seconds > 0 ? 8e-9 * (double)n_bytes / seconds : 0;
}

#endif
