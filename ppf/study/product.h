/* The product's own kernels, beside the variants. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "gpucrypt/engine/engine.h"
#include "ppf/study/study.h"

/* Completes a plan: what is open in it (all, if it is zeroed) becomes the shape that gcrypt would take
 * on this device for n_bytes.  GPUCRYPT_DEVICE: none fits. */
int product_choose(struct gpucrypt_plan *plan, struct study *study, const struct suite *suite, uint64_t n_bytes);

/* Seconds of a kernel over n_bytes (a multiple of 4096) that stay on the device: the median of
 * several runs, each compared with the reference implementation.  GPUCRYPT_CORRUPT: one was wrong.  The plan says
 * table form, placement, copies and launch; what is left out is the policy's. */
int product_time(struct study *study, const struct suite *suite, const struct gpucrypt_plan *plan, size_t n_bytes,
        double *seconds);

/* The same for several sizes, from the smallest on, with one engine; those for which there is no time
 * (study_left_s()) stay 0. */
int product_times(struct study *study, const struct suite *suite, const struct gpucrypt_plan *plan,
        const uint64_t *n_bytes, unsigned n, double *seconds);

#endif
