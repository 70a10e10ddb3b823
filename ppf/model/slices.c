#include "ppf/model/slices.h"

#include <stddef.h>

/* Devices with 512-bit vectors have 32 registers, and logic instructions of three inputs (AVX-512: VPTERNLOG). */
#define LONG_VECTOR_BLOCKS (16 * 32)

bool slices_are_vectors(const struct device_record *record, const struct launch *launch)
{
	return record->is_cpu && launch->item_blocks > 1 && launch->shared == NULL;
}

static bool is_long(const struct launch *launch)
{
	return launch->item_blocks >= LONG_VECTOR_BLOCKS;
}

/* The profile counts in the block the shift, the AND and the subtraction that make a slice of a key bit.  These
 * operations have a separate cost, because they work on one word and not on a vector, or run before the block (keys in
 * local memory). */
static double operator_cycles(
        const struct device_record *record, const struct profile *profile, const struct launch *launch)
{
	const double *costs = record->slice_cycles;
	double cycles = 0, n_key = profile->n_key;

	for (int i = 0; i < N_OPERATORS; i++)
		if (i == OPERATOR_LOGIC && is_long(launch))
			cycles += (profile->logic_functions - n_key) * costs[SLICE_FUNCTION];
		else if (i == OPERATOR_LOGIC || i == OPERATOR_ADD)
			cycles += (profile->operators[i] - n_key) * costs[SLICE_LOGIC];
		else
			cycles += profile->operators[i] * costs[SLICE_SHIFT];
	return cycles - n_key * costs[SLICE_SHIFT];
}

void slices_fill(double cycles[N_BOUNDS], const struct device_record *record, const struct profile *profile,
        const struct launch *launch)
{
	const double *costs = record->slice_cycles;
	enum register_file file = is_long(launch) ? REGISTERS_32 : REGISTERS_16;
	enum slice_operation key = launch->kernel.key_space == MEMORY_LOCAL ? SLICE_KEY : SLICE_KEY_MADE;

	for (int i = 0; i < N_BOUNDS; i++)
		cycles[i] = 0;
	cycles[BOUND_LOGIC] = operator_cycles(record, profile, launch);
	/* Tweaks are computed twice (xts_slice.cl). */
	if (launch->mode)
		cycles[BOUND_LOGIC] += (launch->has_tweaks ? 2 : 1) * operator_cycles(record, launch->mode, launch);
	cycles[BOUND_LOCAL] = profile->moves[file] * costs[SLICE_MOVE] + profile->n_key * costs[key];
	cycles[BOUND_GLOBAL] = (profile->n_pt + profile->n_ct) / 2.0 * costs[SLICE_ROW];
}
