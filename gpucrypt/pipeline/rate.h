/* A limit on the rate at which this process reads its sources: for a machine or a network that others use too. */
#ifndef GPUCRYPT_PIPELINE_RATE_H
#define GPUCRYPT_PIPELINE_RATE_H

#include <stddef.h>
#include <stdint.h>

/* For all threads, before any source is read; 0: no limit. */
void rate_limit(uint64_t bytes_per_second);

/* The number of bytes that one call may ask for, from 1 to n_bytes, n_bytes > 0: a tenth of a second at most. */
size_t rate_piece(size_t n_bytes);

/* Wait until the n_bytes that a call returned are within the limit.  A pipe may return less than the call asked for. */
void rate_wait(size_t n_bytes);

/* Seconds that all bytes so far take at the limit; 0: no limit. */
double rate_used_s(void);

#endif
