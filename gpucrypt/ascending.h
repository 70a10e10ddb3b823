/* Figures in order. */
#ifndef GPUCRYPT_ASCENDING_H
#define GPUCRYPT_ASCENDING_H

#include <stdlib.h>

static inline int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline void sort_ascending(double *values, size_t n)
{
	qsort(values, n, sizeof *values, ascending);
}

#endif
