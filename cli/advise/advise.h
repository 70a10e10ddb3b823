/*
 * gcrypt advise: the predicted time, and optionally the measured time, of each cipher, key size and engine on this
 * machine for an input of a given size, and the fastest of these combinations.
 */
#ifndef CLI_ADVISE_ADVISE_H
#define CLI_ADVISE_ADVISE_H

#include "cli/args/options.h"
#include "cli/files/output.h"
#include "command/json.h"
#include "ppf/model/choose.h"
#include "ppf/model/nodes.h"

#define MAX_ADVICE_EQUAL 4

/* The fastest of several runs, which other programs disturbed least, the median, and the second slowest.  A prediction
 * sets least and middle; a time up to most cannot be distinguished from the prediction. */
struct seconds_range {
	double least, middle, most;
};

struct advice_row {
	struct choice choice;                 /* memory to memory, with tags */
	struct end_to_end files;              /* prediction for the same choice from storage to storage */
	const struct table_form *unpredicted; /* choose_unpredicted() */
	bool failed;                          /* the measurement failed */
	struct seconds_range seconds;         /* memory to memory, measured if possible, otherwise predicted */
	json_t *measured;                     /* its member of the JSON; owned; NULL: not measured */
	json_t *points; /* the same configuration for other sizes, likewise; unknown figures are null */
};

/* The same input on many nodes. */
struct advice_nodes {
	unsigned n; /* maximum number of nodes; 0: no --nodes */
	struct nodes_job job;
};

struct advice {
	struct machine *machine; /* not owned */
	struct choice enc;       /* what enc would choose from file to file; n_bytes 0: nothing */
	uint64_t n_bytes;
	bool update;    /* enc is enc --update */
	double changed; /* share of the groups, 0 to 1 */
	bool copies;    /* files in this folder cannot share storage */
	const struct mode *mode;
	unsigned bits; /* key size of the advice */
	bool sc2000;   /* SC2000 may be advised */
	bool volume;   /* a LUKS2 volume: in XTS, without tags */
	struct advice_nodes nodes;
	bool quiet;
	bool measured;           /* the advice rests on measurements */
	char note[400];          /* the missing rows or figures, and the reason; "" if none */
	struct advice_row *rows; /* owned */
	unsigned n_rows;
};

/* machine_measured.c: fill the machine's model with the records of the engines that the options allow.  Records that
 * are not in the cache are measured, which takes seconds, and so are records of the CPU that other programs disturbed,
 * and with --remeasure all records.  A record that cannot be measured gets default values, with a warning. */
void machine_measured(struct machine *machine, const struct options *options);

/* advise_rows.c: a row for each cipher, key size and engine that the plan leaves open. */
int advise_rows(struct advice *advice, struct machine *machine, const struct options *options);
void advise_free(struct advice *advice); /* advice may be zeroed */

/* Predict the row's configuration for another size, or from storage to storage. */
int advise_predict(
        struct choice *choice, const struct advice *advice, const struct advice_row *row, uint64_t n_bytes, bool files);

/* Add to each row its predictions for 256 KiB, 512 KiB, … and the advice's size; the size of prediction i. */
int advise_points(struct advice *advice);
uint64_t advise_point_bytes(const struct advice *advice, size_t i);

/* --nodes: the job that many nodes share, from what enc would choose here.  GPUCRYPT_DEVICE: the records lack a figure.
 */
int advise_nodes(struct advice *advice, const struct options *options);

/* The fastest rows of a cipher (NULL: of all ciphers that may be advised) and a key size. */
struct verdict {
	const struct advice_row *equal[MAX_ADVICE_EQUAL]; /* the fastest row, then the rows of equal speed */
	unsigned n_equal;                                 /* 0: there is no row */
	const struct advice_row *next;                    /* the fastest of the slower rows; NULL: none */
	double factor;                                    /* time of next as a multiple of the fastest time */
};

void advise_verdict(struct verdict *verdict, const struct advice *advice, const struct cipher *cipher, unsigned bits);

/* The fastest row of this suite on one device; NULL: none. */
const struct advice_row *advise_fastest_device(const struct advice *advice, const struct suite *suite);

/* The error of predictions: rows whose times differ by a smaller fraction count as equal. */
#define PREDICTION_SPREAD 0.05

struct seconds_range predicted_range(double seconds);

/* advise_measure.c: run each row and every second of its points, which takes about 10 seconds per row.  A failed run
 * becomes a warning. */
int advise_measure(struct advice *advice);

#define ADVICE_RUNS 5

/* The rows are run in turns, so that other load on the machine, or on the host of a virtual machine, slows all rows
 * alike. */
struct advice_runs {
	uint64_t n_bytes; /* a part of the input, or all of it */
	double seconds[ADVICE_RUNS];
	double quarter_s[ADVICE_RUNS]; /* over a quarter of the part; not used if that is all */
	double start_s;                /* time for an empty input */
};

/* The estimate for n_bytes, the part or the whole input; the runs are sorted first. */
struct seconds_range advice_range(struct advice_runs *runs, uint64_t n_bytes);

/* advise_json.c: the advice, from which tables and pictures are made.  The caller owns the result.  NULL: out of
 * memory. */
json_t *advise_json(const struct advice *advice);

/* Members that the rows of bench have too: set those of the kernel in a row; the number of a device in a plan, or
 * null. */
void kernel_json(json_t *row, const struct kernel_config *kernel);
json_t *device_number_json(unsigned device);
json_t *range_json(struct seconds_range range);

/* Pattern (command/json.h) that names the engine of a row of the JSON: "CPU", "device 0", "all". */
#define ADVICE_ENGINE "[device {device}|{?plan.devices}all|CPU]"

/* advise_text.c: write the advice as one sentence; print the whole text; print the predictions of all rows. */
void advise_sentence(char text[PATTERN_TEXT], const struct advice *advice);
void advise_print(FILE *stream, const struct advice *advice, const json_t *json); /* of advise_json() */
void advise_print_rows(FILE *stream, const struct advice *advice, const json_t *json);
const char *advise_engine(char text[24], const struct advice_row *row); /* "CPU", "device 0", "all" */

/* Print the equations with their numbers. */
void advise_explain(FILE *stream, const struct advice *advice, const json_t *json);

/* advise_plot.c: write the gnuplot script that draws an advice (advise_json()). */
void advise_plot_script(FILE *stream, const void *json);

#endif
