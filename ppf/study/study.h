/*
 * The dissertation's experiments on a device: what every figure's run is given, and how figures
 * become files.
 */
#ifndef STUDY_H
#define STUDY_H

#include "ppf/study/figure/figure.h"
#include "ppf/measure/bench.h"
#include "ppf/record/device_record.h"

struct sweep;

/* Machine and date of the measurements. */
struct study_origin {
	char device[96], driver[64], date[16];
	bool quick, device_clock; /* kernel times by the device's clock, or the host's */
};

struct study {
	struct inventory inventory;
	const struct device *device;  /* of the inventory */
	unsigned number;              /* the device as in a plan: 1 + its number */
	struct bench bench;           /* open and warm; has kernels/study/ beside the product's files */
	bool quick;                   /* few sizes and small ones: minutes on a CPU */
	uint32_t seed;                /* of everything random */
	double end_s;                 /* host_seconds() by which the current figure should be through */
	struct figure *figure;        /* that is being run; not owned */
	struct device_record *record; /* NULL until study_record() is asked */
	struct sweep *sweep;          /* NULL until study_sweep() is asked (sweep.h) */
	const char *plant;            /* variant.h: the variant that is to be wrong, for tests; or NULL */
};

/* Measure a figure, which has its name and title but no rows yet. A failure does not stop the other figures; rows that
 * were measured before it are kept. */
struct study_figure {
	const char *name, *title;
	unsigned seconds; /* that it may take */
	int (*run)(struct study *study, struct figure *figure);
};

/* figures.c: all there are; ends with a NULL name. */
extern const struct study_figure study_figures[];

/* number: of the device as in a plan, 0 for the best one.  GPUCRYPT_DEVICE. */
int study_open(struct study *study, unsigned number, bool quick);
void study_close(struct study *study); /* zeroed is fine */

/* Seconds that the current figure still has. */
double study_left_s(const struct study *study);

/* The device's record: the cached one, else it is measured now (once, and kept).  *record stays the
 * study's. */
int study_record(struct study *study, const struct device_record **record);

/* Words that look random, the same ones for the same seed. */
void study_fill(const struct study *study, void *bytes, size_t n_bytes);

/* Run a figure; its failure is text in it. */
void study_run(struct study *study, const struct study_figure *what, struct figure *figure);

struct study_origin study_origin(const struct study *study);

/* figure_json() with its origin, and both from it: DIR/NAME.json of an earlier run. */
json_t *study_json(const struct study_origin *origin, const struct figure *figure);
int study_read(struct study_origin *origin, struct figure *figure, const char *folder, const char *name);

/* DIR/NAME.json and NAME.svg for each figure, and DIR/index.html, each written beside its place first;
 * the folder is made.  Without gnuplot there are no pictures, and *drawn is false. */
int study_write(
        const struct study_origin *origin, const char *folder, const struct figure *figures, unsigned n, bool *drawn);

/* The dissertation's unit, 10^9 bits a second. */
static inline double gigabits(uint64_t n_bytes, double seconds)
{
	return seconds > 0 ? 8e-9 * (double)n_bytes / seconds : 0;
}

#endif
