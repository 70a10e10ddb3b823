/* What the stages of a run cost (stage_costs.c), and several engines that share them (rates.c): the inside of
 * end_to_end.c. */
#ifndef RATES_H
#define RATES_H

#include "ppf/model/end_to_end.h"

/* What one byte costs a stage. */
struct cost {
	double alone_s;  /* to one worker, that is how long the first group waits for it */
	double period_s; /* to all workers of the stage, side by side */
	double core_s;   /* of one CPU core, while the others work too */
};

/* One of the engines of a run. */
struct rate {
	struct cost costs[N_STAGES];
	double lane_s; /* a lane's stages in turn: for a byte, all lanes together */
	double core_s, bytes_per_s;
};

/* A stage of one thread on the CPU. */
struct cost cost_one_thread(double bytes_per_s);

/* A stage of several threads: as fast as they are alone, but all cores together have their limit. */
struct cost cost_threads(const struct machine *machine, double one_per_s, double all_per_s, unsigned workers);

/* The engine of a part, in a pipeline of that layout.  false: the records lack a figure. */
bool rate_find(struct rate *rate, const struct machine *machine, const struct part *part, const struct suite *suite,
        bool constant_time, const struct pipeline_layout *layout);

/* What the whole run is waiting for, and its time for a byte. */
double find_bottleneck(const struct cost costs[N_STAGES], double lane_s, enum stage *bottleneck);

/* Fill in core_s and bytes_per_s from the costs. */
void rate_sum_up(struct rate *rate);

/*
 * Beside devices the CPU's threads get the cores that these, reading and writing leave, or what
 * the system gives them among all that want one.  A driver may keep a core busy for each lane
 * that waits.  around_s: of a core, for a byte that is read and written.
 */
void share_cores(struct rate rates[], const struct machine *machine, const struct part *parts, unsigned n_parts,
        double around_s);

/* Each does its share of the bytes, which is as its speed. */
void join_rates(struct cost costs[N_STAGES], double *lane_s, const struct rate rates[], unsigned n_parts);

/* The slots of the ring are used in order: while a thread of the CPU has a group, no more than
 * all of them go by. */
void hold_slots(struct cost *cpu, unsigned n_slots);

#endif
