/*
 * The end-to-end model: a run from input to output is a set of stages that work in parallel on different groups, and
 * a start before the first group.  Key derivation is not counted.
 */
#ifndef END_TO_END_H
#define END_TO_END_H

#include "gpucrypt/container/pipeline_layout.h"
#include "gpucrypt/engine/opencl/program.h"
#include "ppf/model/machine.h"
#include "ppf/model/overlap.h"

/* One run of gcrypt. */
struct task {
	uint64_t n_bytes;         /* UINT64_MAX: unknown (a pipe) */
	bool reads_storage;       /* false: the input is in memory */
	bool writes_storage;      /* false: the output is discarded, or stays in memory */
	bool tags;                /* true for a container; raw mode has no tags */
	bool one_engine;          /* hybrid is not considered */
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
	double first_s;           /* one group through all stages, at the speed of the slowest part */
	double rest_s;  /* the other groups, limited by the bottleneck or by the sequence of a lane's stages */
	double end_s;   /* releasing the devices at the end of the process */
	double seconds; /* sum of start_s, first_s, rest_s, stage_s[STAGE_SYNC] and end_s */
	enum cost_stage bottleneck;
};

/* The number of bytes that a prediction for the task assumes. */
uint64_t task_bytes(const struct task *task);

/* Predict one launch of the suite's kernel.  Returns false if the record lacks a figure. */
bool predict_launch(struct overlap_prediction *overlap, struct thesis_prediction *thesis,
        const struct device_record *record, const struct suite *suite, const struct program_shape *shape,
        uint64_t n_bytes);

/*
 * Predict a whole run.  device NULL: the CPU engine; otherwise shape is the shape of the device's programs.  Of the
 * plan, only threads and group_log2 are used.  Returns false if the records lack a figure.
 */
bool predict_end_to_end(struct end_to_end *prediction, const struct machine *machine,
        const struct machine_device *device, const struct suite *suite, const struct program_shape *shape,
        const struct gpucrypt_plan *plan, const struct task *task);

/* One engine that takes part in a run. */
struct part {
	const struct machine_device *device; /* owned by the machine; NULL: the CPU */
	struct program_shape shape;          /* shape of the device's programs */
	unsigned threads;                    /* number of CPU threads */
};

/* The threads, slots and sizes that the library would give the pipeline. */
struct pipeline_layout parts_layout(
        const struct part *parts, unsigned n_parts, const struct gpucrypt_plan *plan, const struct task *task);

/* The number of parts that are devices. */
unsigned parts_devices(const struct part *parts, unsigned n_parts);

/*
 * Predict a run in which several engines take groups from one input.  The rates of the engines add up, limited by
 * reading, writing and the cores.  If a CPU thread holds a group for longer than the other engines need for all other
 * slots of the ring, those engines wait.
 */
bool predict_together(struct end_to_end *prediction, const struct machine *machine, const struct part *parts,
        unsigned n_parts, const struct suite *suite, const struct gpucrypt_plan *plan, const struct task *task);

/* The least time before any OpenCL device starts to work. */
double least_opencl_start_s(void);

#endif
