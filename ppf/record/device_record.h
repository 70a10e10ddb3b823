/*
 * What the micro-benchmarks found out about one OpenCL device.  Latencies are in core cycles for a warp (wavefront; one
 * work-item on a CPU) on a full compute unit, as in the dissertation's table 6.3, where it is called a batch; curves
 * give them over the number of resident batches (figures 6.4 to 6.7).
 */
#ifndef DEVICE_RECORD_H
#define DEVICE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "ppf/analysis/profile.h"
#include "ppf/record/members.h"

#define MAX_COPIES_LOG2 6
#define BALANCED_LOGIC  1.5
#define MAX_TRIALS      32

/* What a benchmark chain exercises; an operation is an access to one 32-bit word. */
enum resource {
	RESOURCE_LOCAL_RANDOM,     /* j = l[j], one copy of a 256-word table */
	RESOURCE_LOCAL_REGULAR,    /* all work-items read the same word */
	RESOURCE_LOCAL_COPIES,     /* random, a replica of the table for each bank: no conflicts */
	RESOURCE_CONSTANT,         /* random, constant memory */
	RESOURCE_CONSTANT_REGULAR, /* all work-items read the same word */
	RESOURCE_GLOBAL,           /* a quarter of a coalesced, cached load of 16 bytes a work-item */
	RESOURCE_STREAM,           /* a work-item loads 16 bytes of device memory, and stores them */
	RESOURCE_ARITHMETIC,       /* a logic operation a ^ (b & c): one instruction where the device
	                            * has it (NVIDIA's LOP3), else two; the dissertation: one XOR */
	N_RESOURCES
};

extern const char *const resource_names[N_RESOURCES];

/* Pairs of operators that compilers make one instruction of, where the device has it. */
enum fusion {
	FUSION_LOGIC, /* a ^ (b & c) */
	FUSION_ADD,   /* a + b + c */
	FUSION_CHAIN, /* a wide product, and the carry from the one before it (kernels/common/carry.cl) */
	N_FUSIONS
};

/* A look-up by kernels/common/table.cl: field extraction, address, load.  Its costs are those of look-ups alone, and
 * what a look-up adds to streams of other operators that overlap with the load. */
enum lookup_place {
	LOOKUP_LOCAL,        /* one copy */
	LOOKUP_LOCAL_COPIES, /* device_record.banks replicas; 32 where there are no banks */
	N_LOOKUP_PLACES
};

enum lookup_cost {
	LOOKUP_CYCLES, /* of its bottleneck */
	LOOKUP_LOGIC,  /* added to logic operations */
	LOOKUP_MUL,    /* added to multiplications */
	LOOKUP_ISSUE,  /* added to the issue of instructions, with both in turn */
	N_LOOKUP_COSTS
};

/* Operations of bitsliced kernels on a CPU's vectors, where a slice is a vector (kernels/common/slice.cl).  Cycles are
 * those of one word of it. */
enum slice_operation {
	SLICE_LOGIC,    /* a logic operator, or an addition */
	SLICE_FUNCTION, /* a ^ (b & c): one instruction where the device has it */
	SLICE_SHIFT,
	SLICE_KEY,      /* a bit of a round key in local memory becomes an operand, */
	SLICE_KEY_MADE, /* and a bit of a word elsewhere; records of earlier releases lack it */
	SLICE_MOVE,     /* into the first cache or back */
	SLICE_ROW,      /* a block's word from the device's memory, and stored again */
	N_SLICE_OPERATIONS
};

struct transfer_speed { /* bytes a second */
	double pageable_in, pageable_out, pinned_in, pinned_out;
	double pinned_both; /* each way, while both run */
	double pinning;     /* page-locking memory */
	double tags;        /* the device computes chunk tags */
};

/* A number that was not measured is 0. */
struct device_record {
	char name[96], vendor[64], driver[64];            /* as the device reports them */
	char source[128];                                 /* where and when it was measured */
	bool is_cpu;                                      /* batches are of one work-item */
	double clock_hz;                                  /* as the device reports it: cycles are of this clock */
	double clock_measured_hz;                         /* under load, where the device has a cycle counter */
	unsigned compute_units, batch_items, max_batches; /* batches resident in a compute unit */
	unsigned banks;
	uint64_t local_bytes;
	double spread;                    /* (highest − lowest) / median of the runs of a chain: the worst of all */
	double units_factor;              /* contained in the cycles: how much units of a CPU slow each other down */
	struct curve curves[N_RESOURCES]; /* over the resident batches */
	double operator_cycles[N_OPERATORS];       /* a batch, full unit, where nothing fuses */
	double fusion_cycles[N_FUSIONS];           /* the same for the pair of operators as one */
	double operator_latency;                   /* cycles until a logic operator's result can be used */
	double issue_cycles;                       /* an instruction of a mix over several pipes */
	double copies_cycles[MAX_COPIES_LOG2 + 1]; /* local random with 2^n replicas */
	double lookups[N_LOOKUP_PLACES][N_FIELDS][N_LOOKUP_COSTS]; /* cycles a batch, full unit */
	unsigned slice_words;                                      /* of a slice; 0 but on CPUs */
	double slice_cycles[N_SLICE_OPERATIONS];                   /* a word of it, one unit */
	double trials[MAX_TRIALS];      /* bytes a second of bitsliced kernels of measured_suite(i), where slice_cycles
	                                   could not be measured */
	double balanced_cycles;         /* LOOKUP_LOCAL_COPIES of a byte with
	                                 * BALANCED_LOGIC logic operations beside it */
	struct curve global_random;     /* look-ups in cached global memory, over table words */
	struct curve table_load;        /* a launch that only fills local memory, without the
	                                 * launch itself, over words (the dissertation's L_ld) */
	double global_bytes_per_s;      /* streaming, read + written */
	double launch_s;                /* an empty kernel, by the device's clock */
	double enqueue_s;               /* the same by the host's: enqueue until finished */
	double group_cycles;            /* a compute unit starts one more work-group */
	double build_s, build_sliced_s; /* a cipher program with tables, not cached; a bitsliced one */
	double context_s;               /* opening OpenCL and the device */
	double engine_s;                /* a run's own start after that, programs built */
	double close_s;                 /* the end of a process that had opened it */
	struct transfer_speed transfer;
};

extern const struct member_table device_record_members;

double device_record_cycles(const struct device_record *record, enum resource resource, double batches);

/* Whether it has the costs of vectors, and bitsliced kernels that were timed instead. */
bool device_record_has_slices(const struct device_record *record);
bool device_record_has_trials(const struct device_record *record);

#endif
