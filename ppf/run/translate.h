/*
 * A C function for one block as an OpenCL kernel over many, and as a program for the host.
 *
 * Both are printed from the tree of the analysis (ppf/analysis/tree.h): no word, name or number of the source's text
 * gets to a compiler, so that directives and assembly cannot.  Only what the entry needs is printed.
 *
 * OpenCL C 1.2 has a type of pointers for each address space.  The kernel has each function once for each combination
 * of spaces that its pointer arguments have; local pointers have the space of what is assigned to them.
 */
#ifndef PPF_RUN_TRANSLATE_H
#define PPF_RUN_TRANSLATE_H

#include <stddef.h>
#include <stdint.h>

#include "ppf/analysis/analyze.h"

/* Plaintext repeats after so many blocks.  An integer parameter without --set is a block's number in its period. */
#define PERIOD_BLOCKS 65536u

#define MAX_KERNEL_BYTES (1u << 20)
#define MAX_HOST_BYTES   (9u << 20)

/* Memory by the place that the implementation policy gives it. */
enum object_kind { OBJECT_TABLE, OBJECT_KEY, N_OBJECT_KINDS, OBJECT_BLOCK = N_OBJECT_KINDS };

struct translation_request {
	struct analysis analysis;         /* prepare: the host runs it first */
	const struct memory_list *memory; /* of analyze(): the roles */
	unsigned block_bytes;
};

struct translation {
	uint32_t block_bytes[2];          /* of the input and the output block */
	uint32_t n_bytes[N_OBJECT_KINDS]; /* of all tables, and of all keys; multiples of 16 */
	uint32_t random_bytes;            /* that the host reads first */
	uint32_t key_at;                  /* offset in random bytes of those for --prepare, if it is given */
	char files[4096];                 /* names of the source's files, each with its '\0' */
	/*
	 * OpenCL C: kernel crypt(in, out, n_blocks, tables, keys).  Macros: TABLE_SPACE and KEY_SPACE are address
	 * spaces, TABLE_SOURCE and KEY_SOURCE those of the arguments; TABLE_COPIED and KEY_COPIED copy arguments to
	 * local memory; UNROLL stands before each loop.  With PLANT the result is wrong.
	 */
	char kernel[MAX_KERNEL_BYTES];
	/*
	 * C without a library, entry ppf_start, for cc -x c: reads random bytes for the keys and for the
	 * tables without initial values, writes all tables, then all keys, as the function finds them, then reads
	 * PERIOD_BLOCKS blocks and writes what the function makes of each.
	 */
	char host[MAX_HOST_BYTES];
};

/* In a child process.  Statuses as analyze(); GPUCRYPT_UNKNOWN: OpenCL C cannot express it, and the text has file and
 * line. */
int translate(struct translation *translation, const struct translation_request *request);

/* The translated function compiled for this processor and run in a process without rights: the expected results. */

/* Key and block that replace the pseudorandom ones: the first bytes of the key of the function or of --prepare, and the
 * whole first block. */
struct host_input {
	const uint8_t *key, *block; /* not owned */
	size_t n_key;               /* 0: pseudorandom */
};

struct host_results {
	uint8_t *plaintext;  /* owned; PERIOD_BLOCKS blocks */
	uint8_t *tables;     /* owned: all tables, then all keys, then PERIOD_BLOCKS blocks of ciphertext */
	uint8_t *keys;       /* in tables */
	uint8_t *ciphertext; /* in tables */
};

/*
 * Compile the host's text by cc, and run it: one process each, with limits of time and memory; the second one may only
 * read, write and exit.  The plaintext is pseudorandom and always the same, and so are keys and tables without initial
 * values, except those in *given (may be NULL).  name: the source, for messages.
 *
 * Errors: GPUCRYPT_USAGE if the function gets less random bytes than the key has, GPUCRYPT_UNKNOWN without libseccomp,
 * GPUCRYPT_OTHER if cc cannot be run, GPUCRYPT_CORRUPT if cc rejects the text or if the function crashes or takes too
 * long.
 */
int host_run(struct host_results *results, const struct translation *translation, const struct host_input *given,
        const char *name);

void host_results_free(struct host_results *results); /* zeroed is fine */

#endif
