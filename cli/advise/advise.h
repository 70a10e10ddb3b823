/*
 * gcrypt advise: what each cipher, key size and engine of this machine would take for an input of
 * some size, what it took where it was measured, and which is fastest.
 */
#ifndef ADVISE_H
#define ADVISE_H

#include "cli/args/options.h"
#include "cli/files/output.h"
#include "ppf/model/choose.h"

#define MAX_ADVICE_POINTS 48
#define MAX_ADVICE_EQUAL  4

/* Of several runs the fastest, which other work has disturbed least, the median, and the slowest but one.
 * A prediction is least and middle; what takes up to most cannot be distinguished from it. */
struct seconds_range {
	double least, middle, most;
};

/* What the same configuration takes for another size; a figure that is not known is 0. */
struct advice_point {
	uint64_t n_bytes;
	double sa_cycles, si_cycles, estimate_cycles, kernel_cycles; /* kernel: measured */
	double predicted_s, measured_s;                              /* memory to memory */
};

struct advice_measurement {
	uint64_t n_bytes; /* memory to memory; 0: not measured */
	double start_s;   /* of an empty input */
	struct seconds_range seconds;
	double predicted_s; /* for n_bytes */
	uint64_t kernel_bytes;
	double kernel_s, estimate_s; /* of the kernel over kernel_bytes; 0: there is none */
};

struct advice_row {
	struct choice choice;    /* memory to memory, with tags */
	struct end_to_end files; /* the same from storage to storage */
	struct advice_measurement measured;
	const struct table_form *unpredicted; /* choose_unpredicted() */
	bool failed;                          /* while it was measured */
	struct seconds_range seconds;         /* memory to memory: measured if it was, else predicted */
	struct advice_point points[MAX_ADVICE_POINTS];
	unsigned n_points;
};

struct advice {
	struct machine *machine; /* not owned */
	uint64_t n_bytes;
	const struct mode *mode;
	unsigned bits;           /* the key size that the advice is about */
	bool sc2000;             /* may be advised */
	bool measured;           /* the advice rests on measurements */
	char note[400];          /* what is missing and why; "" if nothing */
	struct advice_row *rows; /* owned */
	unsigned n_rows;
};

/* advise_rows.c: a row for each cipher, key size and engine that the plan leaves open. */
int advise_rows(struct advice *advice, struct machine *machine, const struct options *options);
void advise_free(struct advice *advice); /* zeroed is fine */

/* The row's configuration with another size, or from storage to storage. */
int advise_predict(
        struct choice *choice, const struct advice *advice, const struct advice_row *row, uint64_t n_bytes, bool files);

/* Predictions from 256 KiB to the advice's size, in powers of 2. */
int advise_points(struct advice *advice);

/* advise_measure.c: run each row and every second of its points, about 10 seconds a row; what fails becomes
 * a warning. */
int advise_measure(struct advice *advice);

/* advise_verdict.c: the fastest rows of some cipher (NULL: of all that may be advised) and key
 * size. */
struct verdict {
	const struct advice_row *equal[MAX_ADVICE_EQUAL]; /* the fastest first, then its equals */
	unsigned n_equal;                                 /* 0: there is no row */
	const struct advice_row *next;                    /* the fastest that is no equal; NULL: none */
	double factor;                                    /* how many times next takes */
};

void advise_verdict(struct verdict *verdict, const struct advice *advice, const struct cipher *cipher, unsigned bits);

/* Prediction's own: what differs by less is called equal. */
#define PREDICTION_SPREAD 0.05

struct seconds_range predicted_range(double seconds);

/* Of the fastest by prediction, whatever was measured. */
const struct advice_row *advise_predicted(const struct advice *advice, const struct cipher *cipher, unsigned bits);

/* advise_text.c: one sentence; one line about a cipher, or (NULL) what stands over such lines. */
void advise_sentence(char text[512], const struct advice *advice);
void advise_cipher_line(char text[512], const struct advice *advice, const struct cipher *cipher);
void advise_print(FILE *stream, const struct advice *advice);
const char *advise_engine(char text[24], const struct advice_row *row); /* "CPU", "device 0", "all" */
unsigned advise_devices(const struct advice_row *row);                  /* that take part, */
unsigned advise_threads(const struct advice_row *row);                  /* and threads of the CPU */

/* advise_explain.c: the equations with the numbers in them. */
void advise_explain(FILE *stream, const struct advice *advice);

/* advise_json.c: owned by the caller; NULL: out of memory. */
struct json_t *advise_json(const struct advice *advice);

/* advise_plot.c: by gnuplot, into the output, which is open. */
void advise_plot_script(FILE *stream, const struct advice *advice);
int advise_plot(const struct advice *advice, struct output *output);

#endif
