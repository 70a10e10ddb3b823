/*
 * A device record: what the micro-benchmarks found out about one device, once.  Latencies are in
 * core cycles for a batch (warp, wavefront) on a full compute unit, as in the dissertation's
 * table 6.3; curves give them over the number of resident batches (figures 6.4 to 6.7).
 */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "profile.h"

#define MAX_CURVE_POINTS 12
#define MAX_COPIES_LOG2  6

/* Cycles for a batch and operation against batches resident in a compute unit. */
struct curve {
	unsigned n;
	double batches[MAX_CURVE_POINTS], cycles[MAX_CURVE_POINTS];
};

/* What a benchmark chain exercises. */
enum resource {
	RESOURCE_LOCAL_RANDOM,   /* j = l[j], one copy of a 256-word table */
	RESOURCE_LOCAL_REGULAR,  /* all work-items read the same word */
	RESOURCE_LOCAL_COPIES,   /* random, one copy of the table a bank: no conflicts */
	RESOURCE_CONSTANT,       /* random, constant memory */
	RESOURCE_GLOBAL,         /* coalesced, 16 bytes a work-item, cached */
	RESOURCE_ARITHMETIC,     /* logic operations */
	N_RESOURCES
};

extern const char *const resource_names[N_RESOURCES];

struct transfer_speed { /* bytes a second; 0: not measured */
	double pageable_in, pageable_out, pinned_in, pinned_out, pinned_both;
};

/* libcrypto on this machine, one cipher-mode-key size. */
struct cpu_speed {
	char suite[24];             /* "aes-256-ctr" */
	double one_thread, all_threads; /* bytes a second, without tags */
};

#define MAX_CPU_SPEEDS 32

struct record {
	char name[96], vendor[64], driver[64]; /* as the device says; the key of the cache */
	char source[128];                      /* where the figures come from */
	bool is_cpu;                           /* batches are of one work-item */
	double clock_hz;
	unsigned compute_units, batch_items, max_batches; /* batches resident in a compute unit */
	unsigned banks;
	uint64_t local_bytes;
	struct curve curves[N_RESOURCES];
	double operator_cycles[N_OPERATORS];   /* a batch, full unit */
	double copies_cycles[MAX_COPIES_LOG2 + 1]; /* local random with 2^n copies */
	double global_bytes_per_s;             /* streaming, read + written */
	double launch_s;                       /* an empty kernel */
	double table_load_cycles;              /* per 1024 words copied to local memory by a group */
	double build_s;                        /* a cipher program, not cached */
	double context_s;                      /* opening the device */
	struct transfer_speed transfer;
	struct cpu_speed cpu[MAX_CPU_SPEEDS];
	unsigned n_cpu, cpu_threads;
	double tag_one_thread, tag_all_threads; /* Poly1305, bytes a second */
	double read_bytes_per_s, write_bytes_per_s; /* storage, page cache included */
};

/* The curve's cycles at a number of batches (interpolated; flat beyond its ends); 0: no curve. */
double record_cycles(const struct record *record, enum resource resource, double batches);

/* JSON text ↔ record.  GPUCRYPT_CORRUPT with one clear line for text that is no record: a missing
 * or negative figure, a curve that is not ascending. */
int record_read(struct record *record, const char *path);
int record_parse(struct record *record, const char *text, const char *name);
int record_write(const struct record *record, const char *path); /* atomically */

/* A built-in record by short name (gtx580, gtx280, h200, cpu), from ppf/devices/; NULL: none. */
const char *record_builtin(const char *short_name);

/*
 * The record for a device: the cache ($XDG_CACHE_HOME/gcrypt/ or ~/.cache/gcrypt/) under name and
 * driver, then the built-in records by name, vendor, and the default.  A damaged or stale cached
 * record is passed over; *fresh says whether it was measured on this very device and driver.
 */
int record_find(struct record *record, const char *name, const char *vendor, const char *driver,
	bool is_cpu, bool *fresh);

/* Keep a measured record in the cache; GPUCRYPT_IO (callers go on without). */
int record_keep(const struct record *record);

#endif
