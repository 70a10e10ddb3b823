/* The product's own kernels, beside the variants. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "gpucrypt/engine/engine.h"
#include "ppf/study/study.h"

/* Complete a plan: fields that are open (all, if the plan is zeroed) get the shape that gcrypt would choose on this
 * device for n_bytes. Errors: GPUCRYPT_DEVICE if no shape fits. */
int product_choose(struct gpucrypt_plan *plan, struct study *study, const struct suite *suite, uint64_t n_bytes);

/* Seconds of a kernel over n_bytes (a multiple of 4096) that stay on the device: the median of several runs, each
 * compared with the reference implementation. The plan gives table form, placement, replicas and launch; open fields
 * follow the policy. Errors: GPUCRYPT_CORRUPT if a result was wrong. */
int product_time(struct study *study, const struct suite *suite, const struct gpucrypt_plan *plan, size_t n_bytes,
        double *seconds);

/* The same for several sizes, from the smallest on, with one engine; those for which there is no time
 * (study_left_s()) stay 0. */
int product_times(struct study *study, const struct suite *suite, const struct gpucrypt_plan *plan,
        const uint64_t *n_bytes, unsigned n, double *seconds);

#endif
