/*
 * Trials: times of bitsliced kernels, which a CPU's record has if the costs of its vectors could not be measured
 * (ppf/measure/measure.c).
 */
#ifndef TRIALS_H
#define TRIALS_H

#include "gpucrypt/engine/opencl/program.h"
#include "ppf/model/overlap.h"

/* Predict one launch at the rate of the trial.  Returns false if the record has no trial of such a kernel. */
bool predict_trial(struct overlap_prediction *prediction, const struct device_record *record, const struct suite *suite,
        const struct kernel_config *kernel, uint64_t n_bytes);

#endif
