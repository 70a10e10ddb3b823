/* Private to end_to_end.c: the costs of the stages of a run. */
#ifndef PPF_MODEL_STAGE_COSTS_H
#define PPF_MODEL_STAGE_COSTS_H

#include "ppf/model/end_to_end.h"

/* A run to predict. */
struct run {
	const struct machine *machine;
	const struct suite *suite;
	const struct gpucrypt_plan *plan; /* complete */
	const struct task *task;
	uint64_t n_bytes; /* of the task */
	struct pipeline_layout layout;
	struct gpucrypt_part engines[GPUCRYPT_MAX_PARTS];
	const struct machine_device *devices[GPUCRYPT_MAX_PARTS]; /* of the engines; NULL: the CPU */
	unsigned n_engines;
};

/* The cost of one byte in a stage. */
struct cost {
	double alone_s;  /* seconds of one worker; the first group waits for one worker */
	double period_s; /* seconds of all workers of the stage in parallel */
	double core_s;   /* seconds of one CPU core while the other cores work too */
};

/* The cost of a stage that one CPU thread runs. */
struct cost cost_one_thread(double bytes_per_s);

/* The cost of a stage that several threads run: each at its single-thread speed, up to the limit of all cores. */
struct cost cost_threads(const struct machine *machine, double one_per_s, double all_per_s, unsigned workers);

/* Set the costs of an engine's stages, which are 0 before.  Returns false if the records lack a figure. */
bool engine_costs(struct cost costs[N_STAGES], const struct run *run, unsigned engine);

#endif
