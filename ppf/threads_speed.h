/* How fast threads of the CPU are, each working on memory of its own. */
#ifndef THREADS_SPEED_H
#define THREADS_SPEED_H

#include "gpucrypt/engine.h"

/*
 * Bytes a second of so many threads together, each on a lane of the engine (NULL: chunk tags), in
 * place.  The best of three runs of run_s: what disturbs only slows down.
 */
int threads_speed(struct engine *engine, unsigned threads, double run_s, double *bytes_per_s);

#endif
