/*
 * Kernels that were timed because the model lacks a figure for them: bitsliced ones on a CPU whose vectors
 * could not be measured.  Ciphers are tried in CTR and XTS, with the shortest and the longest key.
 */
#ifndef TRIALS_H
#define TRIALS_H

#include "gpucrypt/engine/opencl/program.h"
#include "ppf/model/overlap.h"

/* Suite i of those that are tried; false: there are no more. */
bool trial_suite(struct suite *suite, unsigned i);

/* Time each of them on the device (number as in a plan) for the record; one that cannot be run stays 0. */
void measure_trials(struct record *record, unsigned number);

bool trials_are_measured(const struct record *record);

/* One launch, at the rate of the trial; false: there was none for such a kernel. */
bool predict_trial(struct overlap_prediction *prediction, const struct record *record, const struct suite *suite,
        const struct program_shape *shape, uint64_t n_bytes);

#endif
