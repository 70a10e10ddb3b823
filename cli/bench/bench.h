/*
 * gcrypt bench measures each cipher, key size, mode and direction on this machine: kernels on data that stays on the
 * device, the CPU's libraries for comparison, and runs from memory to memory.  The result is JSON; text and picture
 * are made from the JSON.
 */
#ifndef CLI_BENCH_BENCH_H
#define CLI_BENCH_BENCH_H

#include <jansson.h>
#include <stdio.h>

#include "cli/args/options.h"
#include "cli/files/output.h"
#include "gpucrypt/container/container.h"
#include "ppf/model/choose.h"

#define BENCH_RUNS          5 /* runs of a kernel; the best counts */
#define BENCH_PIPELINE_RUNS 3 /* runs through the pipeline; the best counts */

/* The tables of a result, in the order of measurement. */
enum bench_table {
	BENCH_CPU,     /* the libraries and instruction forms of the CPU */
	BENCH_KERNELS, /* kernels over a buffer that stays on the device; by device */
	BENCH_MEMORY,  /* runs from memory to memory, with tags */
	N_BENCH_TABLES
};

extern const char *const bench_table_names[N_BENCH_TABLES]; /* of the arrays in the result */

/* What a row measures.  Its figures are members of its JSON; unknown ones are null. */
struct bench_row {
	struct suite suite;
	struct gpucrypt_plan plan; /* BENCH_CPU: empty; BENCH_MEMORY, device 0: the CPU or the hybrid engine */
	uint64_t n_bytes;
	json_t *json; /* owned by the result */
};

struct bench {
	const struct machine *machine; /* not owned */
	bool quiet;
	json_t *json;                           /* the result; owned, as are the rows */
	struct bench_row *rows[N_BENCH_TABLES]; /* the elements of the result's arrays */
	unsigned n_rows[N_BENCH_TABLES];
	double expected_s;     /* duration of bench_measure(), predicted from model and records */
	struct memory_run run; /* buffers for the rows of BENCH_MEMORY, while these are measured */
};

/* Seconds that do not depend on the input's size, in a process with an open device: the intercept of the line through
 * the times of a quarter of the bytes and of all bytes. 0: not known, because a quarter does not fill the buffers or
 * the line has no positive intercept. */
double bench_start_s(double quarter_s, double whole_s, uint64_t n_bytes, unsigned group_log2);

/* bench_rows.c: list the rows to measure, as far as the options determine them. */
int bench_rows(struct bench *bench, const struct machine *machine, const struct options *options);
void bench_free(struct bench *bench); /* bench may be zeroed */

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

/* Add a copy of the row, and its JSON: the suite and the members, which this function releases. */
int bench_add_row(struct bench *bench, enum bench_table table, const struct bench_row *row, json_t *members);

/* The figures of a row of BENCH_CPU, which are not known yet. */
json_t *bench_cpu_members(void);

/* Record a missing row and the reason; only the first note is kept. */
void bench_note(struct bench *bench, const char *text);

/* bench_kernels.c: for selection->device, the model's own choice, the policy's placement, and with --all every form. */
int bench_add_kernels(const struct selection *selection, const struct suite *suite);

/* The policy's kernel of the same suite and device; NULL: none. */
struct bench_row *bench_policy_of(const struct bench *bench, const struct bench_row *kernel);

/*
 * bench_measure.c: measure all rows.  A row that cannot run gives a warning, and the status GPUCRYPT_DEVICE after all
 * rows.  A wrong result ends the measurement at once with GPUCRYPT_DEVICE.  The stream (NULL: nothing is printed) gets
 * each row when it is measured.
 */
int bench_measure(struct bench *bench, FILE *stream);

/* The records that the machine lacks, then the rows that the options select. */
int bench_measure_machine(struct bench *bench, struct machine *machine, const struct options *options, FILE *stream);

/* Bytes per second if the core did nothing but issue the instructions that compute the cipher, at the rate at which it
 * issues independent ones of this width.  The processor has the form. */
double form_bound_bytes_per_s(const struct suite *suite, const struct instruction_form *form);

const char *bench_suite(char text[32], const struct suite *suite); /* "aes-128-xts dec" */

/* bench_text.c: the tables of a result.  Headings are printed above the first row and above the first kernel of each
 * device. */
void bench_print_start(FILE *stream, const json_t *bench);
void bench_print_row(FILE *stream, const json_t *bench, enum bench_table table, size_t row);

/* engine_libgcrypt.c: libgcrypt as an engine with one lane, for comparisons.  Errors: GPUCRYPT_DEVICE if libgcrypt does
 * not have the cipher. */
extern const struct engine_class engine_libgcrypt;
bool libgcrypt_has(const struct suite *suite);
const char *libgcrypt_version(void); /* such as "1.10.1"; NULL: gcrypt was built without libgcrypt */

/* bench_plot.c: write the gnuplot script that draws a result as bars. */
void bench_plot_script(FILE *stream, const void *json);

#endif
