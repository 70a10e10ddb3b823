/*
 * Count register spills: values that do not fit the register file go to memory and come back. A compiler knows all
 * later uses; this model, too, keeps the values that are needed soonest (L. A. Belady, 1966).
 */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <stdbool.h>

#define MAX_REGISTERS   32
#define MAX_STEP_INPUTS 3

/* One operator or function: the values it takes, and the one it makes, all by number from 1 on; 0: none. */
struct step {
	unsigned result, inputs[MAX_STEP_INPUTS];
};

/*
 * Loads and stores of values beyond a file of so many registers, in this order of steps.  What no step
 * makes is in memory before, and to load it for the first time does not count.  false: out of memory.
 */
bool registers_moves(
        unsigned *moves, const struct step *steps, unsigned n_steps, unsigned n_values, unsigned n_registers);

#endif
