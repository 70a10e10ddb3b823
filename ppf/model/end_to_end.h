/*
 * End to end: a run from input to output as stages that work side by side on different groups, and
 * what has to happen before the first group starts.  Key derivation is apart: it is not counted.
 */
#ifndef END_TO_END_H
#define END_TO_END_H

#include "gpucrypt/container/pipeline_layout.h"
#include "gpucrypt/engine/opencl/program.h"
#include "ppf/model/machine.h"
#include "ppf/model/overlap.h"

/* One run of the tool. */
struct task {
	uint64_t n_bytes;         /* UINT64_MAX: not known (a pipe) */
	bool reads_storage;       /* else the input is in memory */
	bool writes_storage;      /* else the output is thrown away, or stays in memory */
	bool tags;                /* a container; raw mode has none */
	enum direction direction; /* for the description; decryption is predicted as encryption */
};

/* What a pipe is taken to bring. */
#define UNKNOWN_SIZE_BYTES (UINT64_C(1) << 30)

enum stage {
	STAGE_READ,
	STAGE_IN,
	STAGE_KERNEL,
	STAGE_OUT,
	STAGE_CPU, /* the cipher on the CPU */
	STAGE_TAG,
	STAGE_WRITE,
	STAGE_CORES, /* all that runs on the CPU, on all its cores: no stage, but it can be the limit */
	STAGE_SYNC,  /* after all others, what the system has not stored until then */
	N_STAGES
};

extern const char *const stage_names[N_STAGES]; /* "read", "transfer in", … */

struct end_to_end {
	double stage_s[N_STAGES]; /* each stage alone over all bytes; 0: the run has no such stage */
	double start_s;           /* context, programs, memory: before the first group */
	double first_s;           /* one group through all stages, at the slowest part's pace */
	double rest_s;            /* the bottleneck, or a lane's stages in turn, over the rest */
	double end_s;             /* the process releases its devices */
	double seconds;           /* start, first, rest, stage_s[STAGE_SYNC], and end */
	enum stage bottleneck;
};

/* The bytes that a prediction for the task is about. */
uint64_t task_bytes(const struct task *task);

/* One launch of the suite's kernel; false: the record lacks a figure. */
bool predict_launch(struct overlap_prediction *overlap, struct thesis_prediction *thesis,
        const struct device_record *record, const struct suite *suite, const struct program_shape *shape,
        uint64_t n_bytes);

/*
 * A whole run.  device NULL: the CPU engine; else shape is that of its programs.  plan: threads and
 * group_log2 count.  false: the records lack a figure.
 */
bool predict_end_to_end(struct end_to_end *prediction, const struct machine *machine,
        const struct machine_device *device, const struct suite *suite, const struct program_shape *shape,
        const struct gpucrypt_plan *plan, const struct task *task);

/* Who takes part in a run. */
struct part {
	const struct machine_device *device; /* of the machine; NULL: the CPU */
	struct program_shape shape;          /* of the device's programs */
	unsigned threads;                    /* of the CPU */
};

/* The pipeline's threads, slots and sizes, by the library. */
struct pipeline_layout parts_layout(
        const struct part *parts, unsigned n_parts, const struct gpucrypt_plan *plan, const struct task *task);

/* How many of them are devices. */
unsigned parts_devices(const struct part *parts, unsigned n_parts);

/*
 * The same for several engines that pull groups from one input: their rates add up, as far as
 * reading, writing and the cores allow.  What a thread of the CPU has in hand must not be longer on
 * its way than the ring's slots last for the others, or they wait.
 */
bool predict_together(struct end_to_end *prediction, const struct machine *machine, const struct part *parts,
        unsigned n_parts, const struct suite *suite, const struct gpucrypt_plan *plan, const struct task *task);

/* The least time before any OpenCL device starts to work. */
double least_opencl_start_s(void);

#endif
