/*
 * Bitsliced kernels on CPUs, whose slices are vectors: what a block asks for.  Its operators, which the
 * profile counts for 32 blocks in words, are done on so many words at once as a vector has.
 */
#ifndef SLICES_H
#define SLICES_H

#include "ppf/model/overlap.h"

/* Whether this kernel on this device is one. */
bool slices_are_vectors(const struct device_record *record, const struct kernel_shape *shape);

/* Cycles of a block by resource; one pipe does everything, one after the other. */
void slices_fill(double cycles[N_BOUNDS], const struct device_record *record, const struct profile *profile,
        const struct kernel_shape *shape);

#endif
