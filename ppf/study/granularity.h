/* The variants of chapter 4, and how their figure is read. */
#ifndef GRANULARITY_H
#define GRANULARITY_H

#include "study.h"

#define N_GRANULARITIES 4

enum space { SPACE_CONSTANT, SPACE_LOCAL, N_SPACES };
enum state { STATE_REGISTER, STATE_AOS, STATE_SOA, N_STATES };

struct placement {
	unsigned item_bytes;
	enum space table, key;
	enum state state;
};

/* Section 4.5.1: groups a multiple of the compute units, work-items of the batch. */
struct launch_shape {
	unsigned items, groups_per_unit;
};

extern const unsigned granularities[N_GRANULARITIES];
extern const char *const granularity_spaces[N_SPACES], *const granularity_states[N_STATES];

/* The name of its row in the figure; the states are the series. */
const char *granularity_row(char text[48], const struct placement *at);

/* The product's rows, and their series. */
#define PRODUCT_SERIES     "the product's kernel"
#define PRODUCT_POLICY     "product, the policy"
#define PRODUCT_REPLICATED "product, tables x32"
#define PRODUCT_CHOSEN     "product, chosen"

/* What the filled figure says; best: the fastest launch of the policy's variant, of so many. */
void granularity_conclude(struct figure *figure, const struct launch_shape *best, unsigned n_shapes);

#endif
