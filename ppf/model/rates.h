/* Private to end_to_end.c: the costs of the stages of a run (stage_costs.c), and the rates of several engines that
 * share these stages (rates.c). */
#ifndef RATES_H
#define RATES_H

#include "ppf/model/end_to_end.h"

/* The cost of one byte in a stage. */
struct cost {
	double alone_s;  /* seconds of one worker; the first group waits for one worker */
	double period_s; /* seconds of all workers of the stage in parallel */
	double core_s;   /* seconds of one CPU core while the other cores work too */
};

/* One of the engines of a run. */
struct rate {
	struct cost costs[N_STAGES];
	double lane_s; /* seconds per byte of a lane's stages in sequence, for all lanes in parallel */
	double core_s, bytes_per_s;
};

/* The cost of a stage that one CPU thread runs. */
struct cost cost_one_thread(double bytes_per_s);

/* The cost of a stage that several threads run: each at its single-thread speed, up to the limit of all cores. */
struct cost cost_threads(const struct machine *machine, double one_per_s, double all_per_s, unsigned workers);

/* Find the rate of a part's engine in a pipeline with this layout; plan: the CPU engine's form.  Returns false if the
 * records lack a figure. */
bool rate_find(struct rate *rate, const struct machine *machine, const struct part *part, const struct suite *suite,
        const struct gpucrypt_plan *plan, const struct pipeline_layout *layout);

/* The speed of all CPU threads, without tags, if the processor had no instruction form; 0: the record lacks it. */
double cpu_bytes_per_s_without_forms(const struct machine *machine, const struct suite *suite);

/* Find the bottleneck of the run, and return its seconds per byte. */
double find_bottleneck(const struct cost costs[N_STAGES], double lane_s, enum cost_stage *bottleneck);

/* Set core_s and bytes_per_s from the costs. */
void rate_sum_up(struct rate *rate);

/*
 * Reduce the rates of CPU threads that run beside devices: the threads get the cores that the devices, reading and
 * writing leave, or the share that the system gives to each thread that wants a core.  A driver may keep a core busy
 * for each waiting lane.  around_s: seconds of a core per byte that is read and written.
 */
void share_cores(struct rate rates[], const struct machine *machine, const struct part *parts, unsigned n_parts,
        double around_s);

/* Join the engines: each processes a share of the bytes in proportion to its speed. */
void join_rates(struct cost costs[N_STAGES], double *lane_s, const struct rate rates[], unsigned n_parts);

/* The slots of the ring are used in order, so while a CPU thread holds a group, the other engines can advance by at
 * most the number of slots. */
void hold_slots(struct cost *cpu, unsigned n_slots);

#endif
