/* The estimate of the time for an input from several runs of an advice row. */
#ifndef ADVISE_RUNS_H
#define ADVISE_RUNS_H

#include "cli/advise/advise.h"

#define ADVICE_RUNS 5

/* By turns with those of the other rows: what the machine does besides, or its host takes from it, does
 * not meet one row alone. */
struct advice_runs {
	uint64_t n_bytes; /* a part of the input, or all of it */
	double seconds[ADVICE_RUNS];
	double quarter_s[ADVICE_RUNS]; /* over a quarter of the part; not used if that is all */
};

/* The runs are sorted first; n_bytes: the part, or the whole input. */
struct seconds_range advice_range(struct advice_runs *runs, uint64_t n_bytes);

#endif
