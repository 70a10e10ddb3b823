/* The CPU, which devices are compared with. */
#ifndef STUDY_PROCESSOR_H
#define STUDY_PROCESSOR_H

#include "gpucrypt/engine/engine.h"
#include "ppf/study/study.h"

/* Gbit/s of several threads together, each with the tables of engine_host or with libcrypto, on separate memory. */
int processor_speed(const struct study *study, const struct engine_class *class, const struct suite *suite,
        unsigned threads, double *gigabits_per_s);

/* All processors that this process may use. */
unsigned processor_threads(void);

/* 1, 2, 4 … and all; a number of threads after another one; 0: there are no more. */
unsigned processor_more_threads(unsigned threads);

#endif
