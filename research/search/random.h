/* The programs of this folder give the same circuits in every run: xorshift64 (G. Marsaglia, 2003). */
#ifndef RESEARCH_SEARCH_RANDOM_H
#define RESEARCH_SEARCH_RANDOM_H

#include <stdint.h>

static uint32_t random_bits(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return (uint32_t)(state >> 32);
}

/* The numbers below n in a random order. */
static inline void shuffle(int *order, int n)
{
	for (int i = 0; i < n; i++) {
		int j = (int)(random_bits() % (uint32_t)(i + 1));
		order[i] = order[j];
		order[j] = i;
	}
}

#endif
