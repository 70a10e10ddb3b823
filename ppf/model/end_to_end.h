/*
 * The end-to-end model: a run from input to output is a set of stages that work in parallel on different groups, and
 * a start before the first group.  Key derivation is not counted.
 */
#ifndef PPF_MODEL_END_TO_END_H
#define PPF_MODEL_END_TO_END_H

#include "gpucrypt/container/container.h"
#include "ppf/model/machine.h"
#include "ppf/model/overlap.h"

/* One run of gcrypt. */
struct task {
	uint64_t n_bytes;         /* UINT64_MAX: unknown (a pipe) */
	bool reads_storage;       /* false: the input is in memory */
	bool writes_storage;      /* false: the output is discarded, or stays in memory */
	bool tags;                /* true for a container; raw mode has no tags */
	bool one_engine;          /* hybrid is not considered */
	bool update;              /* enc --update of a container of n_bytes */
	double changed;           /* the share of its groups that have changed, 0 to 1 */
	bool copies;              /* unchanged groups are copied, because files cannot share storage */
	enum direction direction; /* for the description; decryption is predicted as encryption */
};

/* The assumed size of the input from a pipe. */
#define UNKNOWN_SIZE_BYTES (UINT64_C(1) << 30)

enum cost_stage {
	STAGE_READ,
	STAGE_IN,
	STAGE_KERNEL,
	STAGE_OUT,
	STAGE_CPU, /* the cipher on the CPU */
	STAGE_TAG,
	STAGE_WRITE,
	STAGE_CORES, /* the CPU time of all stages on all cores: not a stage, but a possible bottleneck */
	STAGE_SYNC,  /* after all other stages: storing the data that the system still keeps in memory */
	N_STAGES
};

extern const char *const stage_names[N_STAGES]; /* "read", "transfer in", … */

struct end_to_end {
	double stage_s[N_STAGES]; /* time of each stage alone over all bytes; 0: the run has no such stage */
	double start_s;           /* context, programs and memory, before the first group */
	double context_s;         /* of start_s: the slowest context; 0: no device */
	double first_s;           /* one group through all stages, at the speed of the slowest part */
	double rest_s;  /* the other groups, limited by the bottleneck or by the sequence of a lane's stages */
	double end_s;   /* releasing the devices at the end of the process */
	double seconds; /* sum of start_s, first_s, rest_s, stage_s[STAGE_SYNC] and end_s */
	enum cost_stage bottleneck;
};

/* The number of bytes that a prediction for the task assumes. */
uint64_t task_bytes(const struct task *task);

/* Predict one launch of the suite's kernel, in a complete configuration.  The model knows tables in local memory only:
 * tables in other memory are predicted as if they were there.  thesis may be NULL.  Returns false if the
 * record lacks a figure. */
bool predict_launch(struct overlap_prediction *overlap, struct thesis_prediction *thesis,
        const struct device_record *record, const struct suite *suite, const struct kernel_config *kernel,
        uint64_t n_bytes);

/*
 * Predict a whole run by a complete plan.  Several engines take groups from one input: their rates add up, limited by
 * reading, writing and the cores.  If a CPU thread holds a group for longer than the other engines need for all other
 * slots of the ring, those engines wait.  Returns false if the records lack a figure.
 */
bool predict_end_to_end(struct end_to_end *prediction, const struct machine *machine, const struct suite *suite,
        const struct gpucrypt_plan *plan, const struct task *task);

/* The threads, slots and sizes that the library would give the pipeline. */
struct pipeline_layout task_layout(
        const struct machine *machine, const struct gpucrypt_plan *plan, const struct task *task);

/* The speed of all CPU threads, without tags, if the processor had no instruction form; 0: the record lacks it. */
double cpu_bytes_per_s_without_forms(const struct machine *machine, const struct suite *suite);

#endif
