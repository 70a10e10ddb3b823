/*
 * Bitsliced kernels on CPUs, whose slices are vectors: what a block asks for.  Its operators, which the
 * profile counts for 32 blocks in words, are done on so many words at once as a vector has.
 */
#ifndef SLICES_H
#define SLICES_H

#include "ppf/model/overlap.h"

/* Whether this kernel on this device is one. */
bool slices_are_vectors(const struct record *record, const struct kernel_shape *shape);

/* Whether the record has the costs: those measured by earlier releases have not. */
bool slices_are_measured(const struct record *record);

/* Cycles of a block by resource; one pipe does everything, one after the other. */
void slices_fill(double cycles[N_BOUNDS], const struct record *record, const struct profile *profile,
        const struct kernel_shape *shape);

#endif
