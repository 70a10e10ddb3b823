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

#endif
