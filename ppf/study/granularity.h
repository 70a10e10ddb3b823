/* Chapter 4 of the dissertation: its variants, how they are timed, and how their figure is read. */
#ifndef GRANULARITY_H
#define GRANULARITY_H

#include "gpucrypt/crypto/cipher.h"
#include "ppf/study/study.h"

#define N_GRANULARITIES 4
#define N_PLACEMENTS    (N_GRANULARITIES * N_SPACES * N_SPACES * N_STATES)
#define ECB_KEY_BYTES   16

enum space { SPACE_CONSTANT, SPACE_LOCAL, N_SPACES };
enum state { STATE_REGISTER, STATE_AOS, STATE_SOA, N_STATES };

struct placement {
	unsigned item_bytes; /* of a block, for each work-item */
	enum space table, key;
	enum state state;
};

/* Section 4.5.1: groups a multiple of the compute units, work-items of the batch. */
struct launch_shape {
	unsigned items, groups_per_unit;
};

/* State that all variants share: buffers and expected results. */
struct ecb {
	struct study *study;
	const struct table_form *form;
	struct round_keys keys;
	size_t n_bytes;          /* that are timed; a multiple of 64 KiB */
	uint8_t *plain, *cipher; /* 64 KiB that repeat */
	cl_mem in, out, key_words, table;
};

int ecb_open(struct ecb *ecb, struct study *study);
void ecb_close(struct ecb *ecb); /* after ecb_open(), whatever became of it */

/* Launches that are tried on a device. */
unsigned ecb_n_shapes(const struct device *device);

/*
 * Seconds of a variant in the fastest launch out of those that could be tried before end_s, at least
 * one; each is compared with the reference implementation before it is timed.  GPUCRYPT_CORRUPT: one was wrong.
 * 0 if it fails.
 */
int ecb_time(struct ecb *ecb, const char *name, const struct placement *at, double end_s, double *seconds,
        struct launch_shape *best);

/* Placement i of all N_PLACEMENTS, in the order of the tables. */
struct placement granularity_placement(unsigned i);

/* Variants that cannot be: work-items would have to see each other's registers. */
static inline bool granularity_impossible(const struct placement *at)
{
	return at->item_bytes < BLOCK_BYTES && at->state == STATE_REGISTER;
}

/* The name of its row in the figure, that of its series, and both. */
const char *granularity_row(char text[48], const struct placement *at);
extern const char *const granularity_states[N_STATES];
const char *granularity_name(char text[64], const struct placement *at);

/* A variant as a bar or a note; best: its launch. */
int granularity_run(
        struct ecb *ecb, struct figure *figure, const struct placement *at, double end_s, struct launch_shape *best);

/* The product's rows, and their series. */
#define PRODUCT_SERIES     "the product's kernel"
#define PRODUCT_POLICY     "product, the policy"
#define PRODUCT_REPLICATED "product, tables x32"
#define PRODUCT_CHOSEN     "product, chosen"

/* Conclusions from the complete figure; best: the fastest launch of the policy's variant, of n. */
void granularity_conclude(struct figure *figure, const struct launch_shape *best, unsigned n_shapes);

#endif
