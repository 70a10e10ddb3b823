/* The types of record members that are not single numbers. */
#ifndef QUANTITIES_H
#define QUANTITIES_H

#include <stdbool.h>

#include "gpucrypt/engine/engine.h"

#define MAX_CURVE_POINTS 12
#define MAX_CPU_SPEEDS   64
#define CPU_SPEED_NAME   32
#define LIBCRYPTO_NAME   "libcrypto"
#define MEMBER_NAME      48

/* Cycles over an ascending quantity: resident batches of a compute unit, or words of a table. */
struct curve {
	unsigned n; /* 0: not measured */
	double x[MAX_CURVE_POINTS], cycles[MAX_CURVE_POINTS];
};

/* The curve's cycles at x, by linear interpolation, and constant beyond its ends.  Returns 0 for an empty curve. */
double curve_cycles(const struct curve *curve, double x);

/* Bytes per second of one thread, and the total of all threads. */
struct pace {
	double one_thread, all_threads;
};

/* One suite on the CPU, without tags. */
struct cpu_speed {
	char suite[CPU_SPEED_NAME];     /* cpu_speed_name() */
	double one_thread, all_threads; /* bytes per second */
};

struct cpu_speeds {
	struct cpu_speed of[MAX_CPU_SPEEDS];
	unsigned n;
};

/* "aes-256-ctr" for the implementation that the CPU engine chooses, "camellia-256-xts-gfni256" for a form by its name;
 * form NULL: none. */
void cpu_speed_name(char name[CPU_SPEED_NAME], const struct suite *suite, const char *form);
const struct cpu_speed *cpu_speed_find(const struct cpu_speeds *speeds, const char *suite); /* NULL: not measured */

/* Get suite i of the suites that are measured on a CPU: every cipher in CTR and XTS, with keys of 128 and 256 bits.
 * Returns false if there is no suite i. */
bool measured_suite(struct suite *suite, unsigned i);

/* Whether the measured suite represents another suite: ECB costs as much as CTR, and 192-bit keys lie between 128 and
 * 256 bits. */
bool measured_suite_covers(const struct suite *measured, const struct suite *suite);

#endif
