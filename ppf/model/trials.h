/*
 * Bitsliced kernels on a CPU whose vectors could not be measured: the record has times of them instead
 * (ppf/measure/measure_trials.c).
 */
#ifndef TRIALS_H
#define TRIALS_H

#include "gpucrypt/engine/opencl/program.h"
#include "ppf/model/overlap.h"

/* One launch, at the rate of the trial; false: there was none for such a kernel. */
bool predict_trial(struct overlap_prediction *prediction, const struct device_record *record, const struct suite *suite,
        const struct program_shape *shape, uint64_t n_bytes);

#endif
