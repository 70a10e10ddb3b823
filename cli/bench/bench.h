/*
 * gcrypt bench measures each cipher, key size, mode and direction on this machine: kernels on data that stays on the
 * device, the CPU's libraries for comparison, and runs from memory to memory.  Text and plot use only this struct,
 * which can be written as JSON and read from JSON.
 */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include <stdio.h>

#include "cli/args/options.h"
#include "cli/files/output.h"
#include "ppf/model/choose.h"

#define BENCH_RUNS          5 /* runs of a kernel; the best counts */
#define BENCH_PIPELINE_RUNS 3 /* runs through the pipeline; the best counts */

/* Unknown figures are 0. */

struct bench_device {
	const char *name, *driver;
	bool measured; /* the record was measured on this device, and is not a default */
	unsigned compute_units;
	double clock_hz;
};

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

/* A suite through the pipeline, with tags; or, of files, what has none: a copy, and verifying. */
struct bench_pipeline {
	struct suite suite;
	struct gpucrypt_plan plan; /* complete for a suite; plan.device 0: the CPU, or plan.n_parts together */
	uint64_t n_bytes;
	double start_s;                      /* bench_start_s() */
	double seconds[BENCH_PIPELINE_RUNS]; /* ascending, start included; 0: failure says why */
	double predicted_s;                  /* without a start, with the first group's way through all stages */
	const char *bottleneck;              /* predicted; NULL: not known */
	const char *busiest;                 /* struct items, of the last run; NULL: not known */
	double busy;
	char failure[200];
};

/* Operations on a file that has been read before. */
enum file_verb { FILE_COPY, FILE_ENC, FILE_DEC, FILE_VERIFY, N_FILE_VERBS };

extern const char *const file_verbs[N_FILE_VERBS];

struct bench_file {
	struct bench_pipeline pipeline;
	enum file_verb verb;
	bool to_file;            /* the output goes to a file, which is synced at the end; false: it is discarded */
	double cpu_s;            /* CPU time of all threads in the fastest run */
	uint64_t resident_bytes; /* peak resident memory of the process during the run */
};

/* Seconds that do not depend on the input's size, in a process with an open device: the intercept of the line through
 * the times of a quarter of the bytes and of all bytes. 0: not known, because a quarter does not fill the buffers or
 * the line has no positive intercept. */
double bench_start_s(double quarter_s, double whole_s, uint64_t n_bytes, unsigned group_log2);

struct bench {
	const char *libcrypto, *libgcrypt; /* versions; NULL: the library is missing */
	unsigned cpu_threads;
	double core_clock_hz;
	char note[400]; /* the missing rows or figures, and the reason; "" if none */
	struct bench_device devices[MAX_DEVICES];
	unsigned n_devices;
	struct bench_kernel *kernels; /* owned, as are the next three */
	struct bench_cpu *cpu;
	struct bench_pipeline *memory; /* runs from memory to memory */
	struct bench_file *files;
	unsigned n_kernels, n_cpu, n_memory, n_files;
	const char *folder;  /* folder of the files; NULL: unknown */
	struct json_t *json; /* owned: that it was read from, which has the texts; NULL: measured */
};

/* bench_rows.c: list the rows to measure, as far as the options determine them. */
int bench_rows(struct bench *bench, const struct machine *machine, const struct options *options);

/*
 * bench_measure.c: measure all of it.  A row that cannot be run is a warning, and one failure in
 * the end; a wrong result ends everything at once.  Both are GPUCRYPT_DEVICE.  The stream gets what bench_print()
 * prints, as soon as it is measured, so that it stays when somebody interrupts the rest; NULL: nothing.
 */
int bench_measure(struct bench *bench, FILE *stream);
bool bench_complete(const struct bench *bench); /* whether all rows could run */
void bench_free(struct bench *bench);           /* bench may be zeroed */

/* One run over so many bytes, all of the row's or a quarter: *seconds, and what the pipeline reports, if there is
 * one.  A status as of the library. */
typedef int bench_run(void *self, struct bench_pipeline *row, uint64_t n_bytes, struct report *report, double *seconds);

/* Measure a row by runs over a quarter of its bytes and over all of them, after one run that builds the kernels. After
 * a failure seconds[0] is 0, and the caller keeps the failure's text. */
int bench_time(struct bench_pipeline *row, bench_run *run, void *self);

/* bench_text.c */
const char *bench_suite(char text[32], const struct suite *suite); /* "aes-128-xts dec" */
double bench_speed(const struct bench_kernel *kernel);             /* speed of the best run, in GB/s */
const struct bench_kernel *bench_policy(
        const struct bench *bench, const struct bench_kernel *kernel); /* NULL: not measured */
const struct bench_cpu *bench_cpu_of(const struct bench *bench, const struct suite *suite);
bool bench_same_suite(const struct suite *a, const struct suite *b);
void bench_print(FILE *stream, const struct bench *bench);
void bench_print_kernels(FILE *stream, const struct bench *bench); /* the first part: machine, kernels, CPU */

/* bench_text_pipeline.c: the other parts, line by line */
void bench_print_memory_heading(FILE *stream);
void bench_print_memory_row(FILE *stream, const struct bench_pipeline *row);
void bench_print_file_heading(FILE *stream, const struct bench *bench);
void bench_print_file_row(FILE *stream, const struct bench_file *row);
const char *bench_file_name(char text[32], const struct bench_file *row); /* "aes-256-ctr enc", "copy" */

/* bench_json.c: the caller owns the result.  Returns NULL if memory is exhausted. */
struct json_t *bench_json(const struct bench *bench);

/* bench_read.c: read a file that bench_json() produced.  Errors: GPUCRYPT_CORRUPT for any other text. */
int bench_read(struct bench *bench, const char *path);

/* bench_plot.c: write a gnuplot script that plots bars into the open output. */
void bench_plot_script(FILE *stream, const struct bench *bench);
int bench_plot(const struct bench *bench, struct output *output);

#endif
