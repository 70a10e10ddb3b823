/*
 * gcrypt bench measures each cipher, key size, mode and direction on this machine: kernels on data that stays on the
 * device, the CPU's libraries for comparison, and runs from memory to memory.  The result is JSON; text and picture
 * are made from the JSON.
 */
#ifndef CLI_BENCH_BENCH_H
#define CLI_BENCH_BENCH_H

#include <stdio.h>

#include "cli/args/options.h"
#include "cli/files/output.h"
#include "gpucrypt/container/memory_run.h"
#include "ppf/model/choose.h"

#define BENCH_RUNS          5 /* runs of a kernel; the best counts */
#define BENCH_PIPELINE_RUNS 3 /* runs through the pipeline; the best counts */

/* Unknown figures are 0. */

/* Kernels over a buffer that stays on the device. */
struct bench_kernel {
	struct suite suite;
	struct gpucrypt_plan plan; /* complete */
	bool chosen;               /* the model chooses this configuration for the suite */
	bool policy;               /* default form, one copy of it, keys in local memory: the dissertation's
	                              policy */
	uint64_t n_bytes;
	double seconds[BENCH_RUNS]; /* ascending; 0: the kernel could not run, and failure gives the reason */
	uint64_t compared_bytes;    /* bytes that the reference implementation recomputed with equal results */
	const char *bound;          /* the overlap model's bottleneck; NULL: unknown */
	double bound_bytes_per_s;   /* speed if only the bottleneck took time */
	double estimate_s;          /* prediction of the overlap model */
	char failure[200];
};

/* The speed of one suite on this machine's CPU.  Every library has passed known-answer tests. */
enum cpu_way {
	CPU_HOST_CORE, /* in the default table form, and without tables, on one thread */
	CPU_BITSLICED,
	CPU_LIBCRYPTO, /* on one thread, and on all threads */
	CPU_LIBCRYPTO_ALL,
	CPU_LIBGCRYPT,
	CPU_VECTORS_512, /* instruction forms on one thread, by the bits of their vectors */
	CPU_VECTORS_256,
	CPU_VECTORS_128,
	N_CPU_WAYS
};

extern const char *const cpu_way_names[N_CPU_WAYS];
const char *cpu_bound_name(char name[32], enum cpu_way way); /* of an instruction form's bound, in JSON */

struct bench_cpu {
	struct suite suite;
	double bytes_per_s[N_CPU_WAYS];       /* 0: the library has no such suite */
	double bound_bytes_per_s[N_CPU_WAYS]; /* of instruction forms: form_bound_bytes_per_s() */
};

/* A suite from memory to memory, with tags. */
struct bench_pipeline {
	struct suite suite;
	struct gpucrypt_plan plan; /* complete; device 0: the CPU, or the hybrid of n_parts engines */
	uint64_t n_bytes;
	double start_s;                      /* bench_start_s() */
	double seconds[BENCH_PIPELINE_RUNS]; /* ascending, start included; 0: failure says why */
	double predicted_s;                  /* without a start, with the first group's way through all stages */
	const char *bottleneck;              /* predicted; NULL: not known */
	const char *busiest;                 /* struct items, of the last run; NULL: not known */
	double busy;
	char failure[200];
};

/* Seconds that do not depend on the input's size, in a process with an open device: the intercept of the line through
 * the times of a quarter of the bytes and of all bytes. 0: not known, because a quarter does not fill the buffers or
 * the line has no positive intercept. */
double bench_start_s(double quarter_s, double whole_s, uint64_t n_bytes, unsigned group_log2);

struct bench {
	const char *libcrypto, *libgcrypt; /* versions; NULL: the library is missing */
	unsigned cpu_threads;
	double core_clock_hz;
	bool quiet;
	char note[400];                /* the missing rows or figures, and the reason; "" if none */
	const struct machine *machine; /* not owned */
	struct bench_kernel *kernels;  /* by device; owned, as are cpu and memory */
	struct bench_cpu *cpu;
	struct bench_pipeline *memory; /* runs from memory to memory */
	unsigned n_kernels, n_cpu, n_memory;
	struct memory_run run; /* buffers for the rows of `memory`, while these are measured */
};

/* bench_rows.c: list the rows to measure, as far as the options determine them. */
int bench_rows(struct bench *bench, const struct machine *machine, const struct options *options);

#define UNIT_BYTES 4096 /* sizes are multiples of it: whole units of XTS */

/* The user's selection of rows. */
struct selection {
	struct bench *bench;
	const struct machine *machine;
	const struct options *options;
	const struct gpucrypt_plan *wanted;
	bool cpu, opencl, all;               /* which engines */
	const struct machine_device *device; /* list the kernels of this device; NULL: list the other rows */
};

/* Whether the user wants this device, and the device is usable. */
bool bench_is_wanted(const struct selection *selection, unsigned device);

/* Record a missing row and the reason; only the first note is kept. */
void bench_note(struct bench *bench, const char *text);

/* bench_kernels.c: for selection->device, the model's own choice, the policy's placement, and with --all every form. */
int bench_add_kernels(const struct selection *selection, const struct suite *suite);

/* The policy's kernel of the same suite and device; NULL: none. */
struct bench_kernel *bench_policy_of(const struct bench *bench, const struct bench_kernel *kernel);

/*
 * bench_measure.c: measure all rows.  A row that cannot run gives a warning, and the status GPUCRYPT_DEVICE after all
 * rows.  A wrong result ends the measurement at once with GPUCRYPT_DEVICE.  The stream (NULL: nothing is printed) gets
 * each row when it is measured.
 */
int bench_measure(struct bench *bench, FILE *stream);
double bench_expected_s(const struct bench *bench); /* duration of bench_measure(), predicted from model and records */
bool bench_complete(const struct bench *bench);     /* whether all rows could run */

/* The records that the machine lacks, then the rows that the options select. */
int bench_measure_machine(struct bench *bench, struct machine *machine, const struct options *options, FILE *stream);
void bench_free(struct bench *bench); /* bench may be zeroed */

/* The core's clock in Hz, by a chain of instructions that each take one cycle; 0: not known on this processor. */
double core_clock_hz(void);

/* Bytes per second if the core did nothing but issue the instructions that compute the cipher, at the rate at which it
 * issues independent ones of this width.  The processor has the form. */
double form_bound_bytes_per_s(const struct suite *suite, const struct instruction_form *form);

const char *bench_suite(char text[32], const struct suite *suite); /* "aes-128-xts dec" */
bool bench_same_suite(const struct suite *a, const struct suite *b);

/* bench_json.c: the result.  The caller owns it.  NULL: out of memory. */
struct json_t *bench_json(const struct bench *bench);

/* bench_text.c: the tables of a result, in the order of measurement.  Headings are printed above the first row and
 * above the first kernel of each device. */
enum bench_table { BENCH_CPU, BENCH_KERNELS, BENCH_MEMORY, N_BENCH_TABLES };

void bench_print_start(FILE *stream, const struct json_t *bench);
void bench_print_row(FILE *stream, const struct json_t *bench, enum bench_table table, size_t row);

/* engine_libgcrypt.c: libgcrypt as an engine with one lane, for comparisons.  Errors: GPUCRYPT_DEVICE if libgcrypt does
 * not have the cipher. */
extern const struct engine_class engine_libgcrypt;
bool libgcrypt_has(const struct suite *suite);
const char *libgcrypt_version(void); /* such as "1.10.1"; NULL: gcrypt was built without libgcrypt */

/* bench_plot.c: write the gnuplot script that draws a result as bars. */
void bench_plot_script(FILE *stream, const void *json);

#endif
