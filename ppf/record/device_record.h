/*
 * The micro-benchmark results of one OpenCL device.  Latencies are in core cycles of a warp (a wavefront; one work-item
 * on a CPU) on a full compute unit, as in table 6.3 of the dissertation, which calls a warp a batch.  Curves give
 * latencies over the number of resident batches (figures 6.4 to 6.7).
 */
#ifndef PPF_RECORD_DEVICE_RECORD_H
#define PPF_RECORD_DEVICE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "ppf/analysis/profile.h"
#include "ppf/record/members.h"

#define MAX_COPIES_LOG2 6
#define BALANCED_LOGIC  1.5
#define MAX_TRIALS      32

/* The resource that a benchmark chain uses; an operation is an access to one 32-bit word. */
enum resource {
	RESOURCE_LOCAL_RANDOM,     /* j = l[j], one copy of a 256-word table */
	RESOURCE_LOCAL_REGULAR,    /* all work-items read the same word */
	RESOURCE_LOCAL_COPIES,     /* random, a replica of the table for each bank: no conflicts */
	RESOURCE_CONSTANT,         /* random, constant memory */
	RESOURCE_CONSTANT_REGULAR, /* all work-items read the same word */
	RESOURCE_GLOBAL,           /* a quarter of a coalesced, cached load of 16 bytes per work-item */
	RESOURCE_STREAM,           /* each work-item loads and stores 16 bytes of device memory */
	RESOURCE_ARITHMETIC,       /* a logic operation a ^ (b & c): one instruction where the device
	                            * has it (NVIDIA's LOP3), else two; the dissertation: one XOR */
	N_RESOURCES
};

extern const char *const resource_names[N_RESOURCES];

/* Pairs of operators that compilers fuse into one instruction, if the device has that instruction. */
enum fusion {
	FUSION_LOGIC, /* a ^ (b & c) */
	FUSION_ADD,   /* a + b + c */
	FUSION_CHAIN, /* a wide product, and the carry from the one before it (kernels/common/carry.cl) */
	N_FUSIONS
};

/* A look-up by kernels/common/table.cl consists of field extraction, address and load.  Costs are measured for look-ups
 * alone, and as additions to streams of other operators that overlap with the load. */
enum lookup_place {
	LOOKUP_LOCAL,        /* one copy */
	LOOKUP_LOCAL_COPIES, /* device_record.banks replicas; 32 where there are no banks */
	N_LOOKUP_PLACES
};

enum lookup_cost {
	LOOKUP_CYCLES, /* cycles of the bottleneck of look-ups alone */
	LOOKUP_LOGIC,  /* added to logic operations */
	LOOKUP_MUL,    /* added to multiplications */
	LOOKUP_ISSUE,  /* added to the issue of logic operations and multiplications in turn */
	N_LOOKUP_COSTS
};

/* Operations of bitsliced kernels on a CPU, where a slice is a vector (kernels/common/slice.cl).  Cycles count per word
 * of the vector. */
enum slice_operation {
	SLICE_LOGIC,    /* a logic operator, or an addition */
	SLICE_FUNCTION, /* a ^ (b & c): one instruction where the device has it */
	SLICE_SHIFT,
	SLICE_KEY,      /* a bit of a round key in local memory becomes an operand */
	SLICE_KEY_MADE, /* a bit of a word elsewhere becomes an operand; missing in records of earlier releases */
	SLICE_MOVE,     /* a move to or from the L1 cache */
	SLICE_ROW,      /* a load and a store of a word of a block in device memory */
	N_SLICE_OPERATIONS
};

struct transfer_speed {               /* bytes per second */
	double pinned_in, pinned_out; /* page-locked memory */
	double pinned_both;           /* each direction, while both run */
	double pinning;               /* page-locking memory */
	double tags;                  /* the device computes chunk tags */
};

/* Figures that were not measured are 0. */
struct device_record {
	char name[96], vendor[64], driver[64];            /* as the device reports them */
	char source[128];                                 /* where and when it was measured */
	bool is_cpu;                                      /* a batch is one work-item */
	bool derived;                                     /* by record_derive(), never measured */
	double clock_hz;                                  /* as the device reports it; cycles refer to this clock */
	unsigned compute_units, batch_items, max_batches; /* batches resident in a compute unit */
	unsigned banks;
	uint64_t local_bytes;
	double spread;       /* (highest − lowest) / median of the runs of a chain: the worst of all */
	double units_factor; /* factor by which units of a CPU slow each other down; included in the cycles */
	struct curve curves[N_RESOURCES];          /* over the resident batches */
	double operator_cycles[N_OPERATORS];       /* cycles per batch on a full unit, without fusion */
	double fusion_cycles[N_FUSIONS];           /* cycles per batch for a fused pair of operators */
	double operator_latency;                   /* cycles until a logic operator's result can be used */
	double slow_latencies[N_SLOW_OPERATORS];   /* latencies of the slow operators */
	double turn_cycles[N_TURNS];               /* a rotation by data; 0: as operator_cycles[OPERATOR_ROTATE] */
	double carry_cycles;                       /* an addition of 64 bits */
	double issue_cycles;                       /* cycles per instruction of a mix over several pipes */
	double copies_cycles[MAX_COPIES_LOG2 + 1]; /* local random with 2^n replicas */
	double lookups[N_LOOKUP_PLACES][N_FIELDS][N_LOOKUP_COSTS]; /* cycles a batch, full unit */
	unsigned slice_words;                                      /* words of a slice; 0 unless the device is a CPU */
	double slice_cycles[N_SLICE_OPERATIONS];                   /* cycles per word of a slice, one unit */
	double trials[MAX_TRIALS];      /* bytes a second of bitsliced kernels of measured_suite(i), where slice_cycles
	                                   could not be measured */
	double balanced_cycles;         /* LOOKUP_LOCAL_COPIES of a byte with
	                                 * BALANCED_LOGIC logic operations beside it */
	struct curve global_random;     /* look-ups in cached global memory, over table words */
	struct curve table_load;        /* a launch that only fills local memory, without the
	                                 * launch itself, over words (the dissertation's L_ld) */
	double global_bytes_per_s;      /* streaming, read + written */
	double launch_s;                /* time of an empty kernel by the device's clock */
	double enqueue_s;               /* time of an empty kernel by the host's clock, from enqueue to completion */
	double build_s, build_sliced_s; /* build of a cipher program with tables, not cached; of a bitsliced one */
	double context_s;               /* opening OpenCL and the device */
	double engine_s;                /* start of a run after context_s, with built programs */
	double close_s;                 /* the end of a process that had opened the device */
	struct transfer_speed transfer;
};

extern const struct member_table device_record_members;

/* With a number of resident batches; and on a full unit, as in the dissertation's database. */
double device_record_cycles(const struct device_record *record, enum resource resource, double batches);
double device_record_full_cycles(const struct device_record *record, enum resource resource);

/* Whether it has the costs of vectors, and bitsliced kernels that were timed instead. */
bool device_record_has_slices(const struct device_record *record);
bool device_record_has_trials(const struct device_record *record);

/* A cipher's list of counts as JSON. */
/* Add all counts to an object.  Errors: as members_write(). */
int profile_record_write(const struct profile *profile, json_t *object);

/* Errors: GPUCRYPT_IO; GPUCRYPT_CORRUPT: the file holds no counts. */
int profile_record_read(struct profile *profile, const char *path);

#endif
