/*
 * The demand of a block in kernels on CPUs that process one block after another with words.  A core does all
 * instructions of a block in one pipe; it starts with an instruction as soon as the operands are there, so that the
 * critical path and the way from and to memory overlap with other instructions, but not perfectly.
 */
#ifndef SCALARS_H
#define SCALARS_H

#include "ppf/model/demand.h"

/* Set the cycles of a block by resource: BOUND_ISSUE is all instructions, BOUND_LATENCY the critical path. */
void scalars_fill(double cycles[N_BOUNDS], const struct device_record *record, const struct demand *demand,
        const struct launch *launch);

#endif
