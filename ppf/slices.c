#include "slices.h"

#include <stddef.h>

/* Circuits have functions of two inputs among those of three.  Where there are none of three, a
 * pair of them takes three operators, 1.5 times what two operators do. */
#define FUSED 1.4

/* Vectors of 512 bits come with 32 registers. */
#define LONG_VECTOR_BLOCKS (16 * 32)

bool slices_are_vectors(const struct record *record, const struct kernel_shape *shape)
{
	return record->is_cpu && shape->item_blocks > 1 && shape->shared == NULL;
}

bool slices_are_measured(const struct record *record)
{
	return record->slice_words > 0 && record->slice_cycles[SLICE_FUNCTION] > 0;
}

/* Keys in local memory are words already: what makes them so, which the profile counts in the
 * block, is not done there. */
static double operator_cycles(
        const struct record *record, const struct profile *profile, double n_placed)
{
	const double *costs = record->slice_cycles;
	bool fused = costs[SLICE_FUNCTION] < FUSED * costs[SLICE_LOGIC];
	double cycles = 0;

	for (int i = 0; i < N_OPERATORS; i++)
		if (i == OPERATOR_LOGIC && fused)
			cycles += (profile->logic_functions - n_placed) * costs[SLICE_FUNCTION];
		else if (i == OPERATOR_LOGIC || i == OPERATOR_ADD)
			cycles += (profile->operators[i] - n_placed) * costs[SLICE_LOGIC];
		else
			cycles += profile->operators[i] * costs[SLICE_SHIFT];
	return cycles - n_placed * costs[SLICE_SHIFT];
}

void slices_fill(double cycles[N_BOUNDS], const struct record *record,
        const struct profile *profile, const struct kernel_shape *shape)
{
	const double *costs = record->slice_cycles;
	enum register_file file =
	        shape->item_blocks >= LONG_VECTOR_BLOCKS ? REGISTERS_32 : REGISTERS_16;

	for (int i = 0; i < N_BOUNDS; i++)
		cycles[i] = 0;
	cycles[BOUND_LOGIC] =
	        operator_cycles(record, profile, shape->keys_local ? profile->n_key : 0);
	/* Tweaks are made twice (xts_slice.cl). */
	if (shape->mode)
		cycles[BOUND_LOGIC] +=
		        (shape->has_tweaks ? 2 : 1) * operator_cycles(record, shape->mode, 0);
	cycles[BOUND_LOCAL] =
	        profile->moves[file] * costs[SLICE_MOVE] + profile->n_key * costs[SLICE_KEY];
	cycles[BOUND_GLOBAL] = (profile->n_pt + profile->n_ct) / 2.0 * costs[SLICE_ROW];
}
