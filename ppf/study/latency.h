/* Conclusions from latencies by the number of resident warps. */
#ifndef LATENCY_H
#define LATENCY_H

#include "ppf/study/study.h"

/* The number of batches from which on a curve (of at least one point) stays within 10 % of its end. */
double latency_level(const struct curve *curve);

/* Does it fall, and is it constant before the unit is full? */
void latency_conclude(struct figure *figure, const struct curve *curve, const char *claim);

#endif
