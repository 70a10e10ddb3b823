/*
 * A device record: what the micro-benchmarks found out about one device, once.  Latencies are in
 * core cycles for a batch (warp, wavefront) on a full compute unit, as in the dissertation's
 * table 6.3; curves give them over the number of resident batches (figures 6.4 to 6.7).
 */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "ppf/analysis/profile.h"

#define MAX_CURVE_POINTS 12
#define MAX_COPIES_LOG2  6
#define BALANCED_LOGIC   1.5

/* Cycles against something that ascends: batches resident in a compute unit, words of a table. */
struct curve {
	unsigned n; /* 0: not measured */
	double x[MAX_CURVE_POINTS], cycles[MAX_CURVE_POINTS];
};

/* What a benchmark chain exercises; an operation is an access to one 32-bit word. */
enum resource {
	RESOURCE_LOCAL_RANDOM,     /* j = l[j], one copy of a 256-word table */
	RESOURCE_LOCAL_REGULAR,    /* all work-items read the same word */
	RESOURCE_LOCAL_COPIES,     /* random, a copy of the table for each bank: no conflicts */
	RESOURCE_CONSTANT,         /* random, constant memory */
	RESOURCE_CONSTANT_REGULAR, /* all work-items read the same word */
	RESOURCE_GLOBAL,           /* a quarter of a coalesced, cached load of 16 bytes a work-item */
	RESOURCE_STREAM,           /* a work-item loads 16 bytes of device memory, and stores them */
	RESOURCE_ARITHMETIC,       /* a logic operation a ^ (b & c): one instruction where the device
	                            * has it (NVIDIA's LOP3), else two; the dissertation: one XOR */
	N_RESOURCES
};

extern const char *const resource_names[N_RESOURCES];

/* What compilers make one instruction of, where the device has it. */
enum fusion {
	FUSION_LOGIC, /* a ^ (b & c) */
	FUSION_ADD,   /* a + b + c */
	FUSION_CHAIN, /* a wide product, and the carry from the one before it (kernels/common/carry.cl) */
	N_FUSIONS
};

extern const char *const fusion_names[N_FUSIONS];

/* A look-up through table.cl as it stands: field extraction, address, load.  Figures are those of
 * look-ups alone, and what one adds to streams of other operators that hide the load. */
enum lookup_place {
	LOOKUP_LOCAL,        /* one copy */
	LOOKUP_LOCAL_COPIES, /* record.banks copies; 32 where there are no banks */
	N_LOOKUP_PLACES
};

enum lookup_cost {
	LOOKUP_CYCLES, /* its fullest pipe */
	LOOKUP_LOGIC,  /* added to logic operations */
	LOOKUP_MUL,    /* added to multiplications */
	LOOKUP_ISSUE,  /* added to both in turn: of the issue of instructions */
	N_LOOKUP_COSTS
};

extern const char *const lookup_cost_names[N_LOOKUP_COSTS];

/* What bitsliced kernels do with a CPU's vectors, where a slice is one (kernels/common/slice.cl).  Cycles are
 * those of each word in it. */
enum slice_operation {
	SLICE_LOGIC,    /* a logic operator, or an addition */
	SLICE_FUNCTION, /* a ^ (b & c): one instruction where the device has it */
	SLICE_SHIFT,
	SLICE_KEY,      /* a bit of a round key in local memory becomes an operand, */
	SLICE_KEY_MADE, /* and one of a word elsewhere; records of earlier releases lack it */
	SLICE_MOVE,     /* into the first cache or back */
	SLICE_ROW,      /* a block's word from the device's memory, and stored again */
	N_SLICE_OPERATIONS
};

extern const char *const slice_operation_names[N_SLICE_OPERATIONS];

/* Bytes a second of one thread, and of as many as the machine has. */
struct pace {
	double one_thread, all_threads;
};

struct transfer_speed { /* bytes a second */
	double pageable_in, pageable_out, pinned_in, pinned_out;
	double pinned_both; /* each way, while both run */
	double pinning;     /* page-locked memory is taken */
	double tags;        /* the device computes chunk tags */
};

/* libcrypto (or the host core) on this machine, one cipher-mode-key size; or the bitsliced host core. */
struct cpu_speed {
	char suite[24];                 /* "aes-256-ctr", "camellia-256-xts-none" */
	double one_thread, all_threads; /* bytes a second, without tags */
};

#define MAX_CPU_SPEEDS 32
#define MAX_TRIALS     32

/* A figure that was not measured is 0. */
struct record {
	char name[96], vendor[64], driver[64];            /* as the device says; the key of the cache */
	char source[128];                                 /* where the figures come from, and when */
	bool is_cpu;                                      /* batches are of one work-item */
	double clock_hz;                                  /* as the device says: cycles are of this clock */
	double clock_measured_hz;                         /* under load, where the device has a cycle counter */
	unsigned compute_units, batch_items, max_batches; /* batches resident in a compute unit */
	unsigned banks;
	uint64_t local_bytes;
	double spread;                    /* (highest − lowest) / median of the runs of a chain: the worst of all */
	double units_factor;              /* contained in the cycles: how units of a CPU hinder each other */
	struct curve curves[N_RESOURCES]; /* over the resident batches */
	double operator_cycles[N_OPERATORS];       /* a batch, full unit, where nothing fuses */
	double fusion_cycles[N_FUSIONS];           /* the same for the pair of operators as one */
	double operator_latency;                   /* cycles until a logic operator's result can be used */
	double issue_cycles;                       /* an instruction of a mix over several pipes */
	double copies_cycles[MAX_COPIES_LOG2 + 1]; /* local random with 2^n copies */
	double lookups[N_LOOKUP_PLACES][N_FIELDS][N_LOOKUP_COSTS]; /* cycles a batch, full unit */
	unsigned slice_words;                                      /* of a slice there; 0 but on CPUs */
	double slice_cycles[N_SLICE_OPERATIONS];                   /* a word of it, one unit */
	double trials[MAX_TRIALS];      /* bytes a second of whole kernels, where slice_cycles could not be measured
	                                   (trials.h) */
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
	char libcrypto[32]; /* the version that these speeds were measured with */
	struct cpu_speed cpu[MAX_CPU_SPEEDS];
	unsigned n_cpu, cpu_threads;
	struct pace tag, copy;    /* Poly1305; memory to memory */
	struct pace read;         /* storage, page cache included */
	double write_bytes_per_s; /* the same, by one thread: Linux lets one in at a time */
	double sync_bytes_per_s;  /* fsync of what was just written */
	double run_s;             /* a container of nothing, by the CPU engine */
	char note[160];           /* not stored: why record_find passed a cached record over; "" if it did not */
};

/* The curve's cycles at x, linear between its points, flat beyond its ends; 0: no curve. */
double curve_cycles(const struct curve *curve, double x);
double record_cycles(const struct record *record, enum resource resource, double batches);
double record_table_load_cycles(const struct record *record, unsigned table_words);

/* One suite's speeds by that name; NULL: not measured. */
void cpu_speed_name(char name[24], const char *cipher, unsigned bits, const char *mode, bool bitsliced);
const struct cpu_speed *record_cpu_speed(const struct record *record, const char *suite);

/*
 * JSON text ↔ record.  Every member has to be there but those of later releases; null stands for a
 * figure that was not measured.  GPUCRYPT_CORRUPT with one clear line for text that is no record: a
 * missing or negative figure, a wrong type, a curve that is not ascending.  name is for the message.
 */
int record_parse(struct record *record, const char *text, const char *name);
int record_read(struct record *record, const char *path);
char *record_text(const struct record *record);                  /* freed by the caller; NULL, fail() */
int record_write(const struct record *record, const char *path); /* a file: atomically */

/* A built-in record's text by short name (gtx580, gtx280, h200, cpu), from ppf/devices/; NULL: none. */
const char *record_builtin(const char *short_name);

/*
 * The record for a device: the cache ($XDG_CACHE_HOME/gcrypt/ or ~/.cache/gcrypt/) under name and
 * driver, then the built-in records by name, vendor, and the default.  A damaged or stale cached
 * record is passed over; *fresh says whether it was measured on this very device and driver.
 */
int record_find(
        struct record *record, const char *name, const char *vendor, const char *driver, bool is_cpu, bool *fresh);

/* The cached one alone; false: there is none, or it is passed over and record->note says why.  An
 * OpenCL device's is also passed over when figures are missing without which nothing is predicted. */
bool record_cached(struct record *record, const char *name, const char *driver);
bool record_cached_device(struct record *record, const char *name, const char *driver);

/* Keep a measured record in the cache; GPUCRYPT_IO (callers go on without). */
int record_keep(const struct record *record);

#endif
