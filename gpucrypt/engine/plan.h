/* The computation and its parameters: gpucrypt_options in the form that the library uses. */
#ifndef GPUCRYPT_ENGINE_PLAN_H
#define GPUCRYPT_ENGINE_PLAN_H

#include <stdint.h>

#include "gpucrypt/config.h"
#include "gpucrypt/gpucrypt.h"

#define GPUCRYPT_MAX_PARTS  17
#define GPUCRYPT_NO_RECHECK (~0u) /* value of recheck that disables all checks */

/* One engine: of the hybrid engine, or alone. */
struct gpucrypt_part {
	unsigned device;  /* numbered as in gpucrypt_plan; 0: the CPU */
	unsigned threads; /* number of CPU threads; 0: a device */
	struct kernel_config kernel;
};

/* A field with the value 0 selects the default. */
struct gpucrypt_plan {
	enum gpucrypt_cipher cipher;
	enum gpucrypt_mode mode;
	unsigned key_bits; /* 128, 192, 256; default 256 */
	enum gpucrypt_engine engine;
	unsigned device; /* 1 + the number `gcrypt devices` prints; 0: the best one, or all */
	bool or_cpu;     /* fall back to the CPU if a device cannot be opened */
	/* Hybrid: who takes part; none: every GPU and accelerator (or the device), and threads of the
	 * CPU: as many as given, else a quarter of them for a cipher that processors have instructions
	 * for. */
	struct gpucrypt_part parts[GPUCRYPT_MAX_PARTS];
	unsigned n_parts;
	bool constant_time; /* no step takes a time that depends on keys or data */
	struct kernel_config kernel;
	enum tag_place tags;
	unsigned threads;         /* CPU threads; default: all */
	unsigned chunk_log2;      /* log2 of the bytes per tag, 12 to 20; default 17 */
	unsigned group_log2;      /* log2 of the bytes per metadata page, chunk_log2 to chunk_log2 + 7; default 23 */
	unsigned sector_log2;     /* log2 of the sector size in the detached layout, else 0 */
	uint64_t memory_bytes;    /* for all buffers of groups together; default: 640 MiB at most */
	bool strict_device;       /* a device that fails ends the work, which the CPU would do otherwise */
	unsigned device_deadline; /* seconds for each call of a device; default: 20 times the prediction, at least 2 */
	double bytes_per_s;       /* predicted rate of the device; 0: there is none */
	unsigned content;         /* of gpucrypt_encrypt(): CONTENT_BYTES or CONTENT_PAX (gpucrypt/keys/header.h) */
	bool sparse;              /* store chunks of zeros as holes; this reveals the positions of the holes */
	unsigned recheck;         /* of one group in so many a chunk is computed again by the CPU, and
	                             a difference is GPUCRYPT_DEVICE; default 64 */
};

struct gpucrypt_options {
	struct gpucrypt_plan plan;
};

/*
 * Set one field by the name of its option (libgpucrypt(3)): from text, or from a number, which is the number of a
 * device as users count, 0 for no recheck, and else the field's value.  GPUCRYPT_USAGE for an unknown name and for a
 * value out of range; the plan is unchanged then.
 */
int plan_set(struct gpucrypt_plan *plan, const char *name, const char *text);
int plan_set_number(struct gpucrypt_plan *plan, const char *name, uint64_t value);

/* CPU threads: the plan's, or all that this process may use. */
unsigned plan_threads(const struct gpucrypt_plan *plan);

/* The engines of a complete plan: one, or those of the hybrid engine. */
unsigned plan_engines(const struct gpucrypt_plan *plan);
struct gpucrypt_part plan_engine(const struct gpucrypt_plan *plan, unsigned i);

/* May the CPU work instead, if what the plan names cannot be opened: with the engine open and no device named, and
 * with any other engine if or_cpu is set? */
bool plan_gives_way(const struct gpucrypt_plan *plan);

#endif
