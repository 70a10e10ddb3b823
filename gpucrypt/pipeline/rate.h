/* A limit on the rate at which this process reads its sources: for a machine or a network that others use too. */
#ifndef RATE_H
#define RATE_H

#include <stddef.h>
#include <stdint.h>

/* For all threads, before any source is read; 0: no limit. */
void rate_limit(uint64_t bytes_per_second);

/* Wait until bytes may be read; returns their number, from 1 to n_bytes, n_bytes > 0. */
size_t rate_wait(size_t n_bytes);

#endif
