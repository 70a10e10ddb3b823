/*
 * The demand of a block in bitsliced kernels on CPUs, where slices are vectors.  The profile counts operators on words,
 * for 32 blocks; one instruction works on all words of a vector.
 */
#ifndef SLICES_H
#define SLICES_H

#include "ppf/model/overlap.h"

/* Whether this kernel on this device is a bitsliced kernel with vectors as slices. */
bool slices_are_vectors(const struct device_record *record, const struct launch *launch);

/* Set the cycles of a block by resource; one pipe does all work in sequence. */
void slices_fill(double cycles[N_BOUNDS], const struct device_record *record, const struct profile *profile,
        const struct launch *launch);

#endif
