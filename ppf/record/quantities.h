/* What records hold besides single numbers. */
#ifndef QUANTITIES_H
#define QUANTITIES_H

#include <stdbool.h>

#include "gpucrypt/engine/engine.h"

#define MAX_CURVE_POINTS 12
#define MAX_CPU_SPEEDS   32
#define MEMBER_NAME      48

/* Cycles over something that ascends: resident batches of a compute unit, words of a table. */
struct curve {
	unsigned n; /* 0: not measured */
	double x[MAX_CURVE_POINTS], cycles[MAX_CURVE_POINTS];
};

/* The curve's cycles at x, linear between its points, flat beyond its ends; 0: no curve. */
double curve_cycles(const struct curve *curve, double x);

/* Bytes a second of one thread, and of all threads together. */
struct pace {
	double one_thread, all_threads;
};

/* One suite on the CPU, without tags. */
struct cpu_speed {
	char suite[24];                 /* "aes-256-ctr", or bitsliced "camellia-256-xts-none" */
	double one_thread, all_threads; /* bytes a second */
};

struct cpu_speeds {
	struct cpu_speed of[MAX_CPU_SPEEDS];
	unsigned n;
};

void cpu_speed_name(char name[24], const struct suite *suite, bool bitsliced);
const struct cpu_speed *cpu_speed_find(const struct cpu_speeds *speeds, const char *suite); /* NULL: not measured */

/* Suite i of those that are measured on a CPU: every cipher in CTR and XTS, with keys of 128 and 256 bits;
 * false: there is no suite i. */
bool measured_suite(struct suite *suite, unsigned i);

/* How suite i stands for another suite: ECB costs what CTR does, 192-bit keys lie between 128 and 256. */
bool measured_suite_covers(const struct suite *measured, const struct suite *suite);

#endif
