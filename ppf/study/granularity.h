/* The variants of chapter 4. */
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

extern const unsigned granularities[N_GRANULARITIES];
extern const char *const granularity_spaces[N_SPACES], *const granularity_states[N_STATES];

/* The name of its row in the figure; the states are the series. */
const char *granularity_row(char text[48], const struct placement *at);

#endif
