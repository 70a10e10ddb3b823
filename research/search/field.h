/* GF(2^8) of AES, and linear maps of it. */
#ifndef RESEARCH_SEARCH_FIELD_H
#define RESEARCH_SEARCH_FIELD_H

#include "kernels/gen/field.h"

/* 8 × 8 matrices over GF(2) as the images of the eight bits. */
struct matrix {
	uint8_t column[8];
};

static uint8_t apply(const struct matrix *m, uint8_t x)
{
	uint8_t y = 0;

	for (int i = 0; i < 8; i++)
		if (x >> i & 1)
			y ^= m->column[i];
	return y;
}

static struct matrix product(const struct matrix *a, const struct matrix *b)
{
	struct matrix c;

	for (int i = 0; i < 8; i++)
		c.column[i] = apply(a, b->column[i]);
	return c;
}

static struct matrix inverse(const struct matrix *m)
{
	struct matrix result;

	for (int x = 0; x < 256; x++)
		for (int i = 0; i < 8; i++)
			if (apply(m, (uint8_t)x) == 1 << i)
				result.column[i] = (uint8_t)x;
	return result;
}

/* x → a · x^(2^k) */
static struct matrix scaled_power(uint8_t a, int k)
{
	struct matrix m;

	for (int i = 0; i < 8; i++)
		m.column[i] = multiply(a, power((uint8_t)(1 << i), 1 << k));
	return m;
}

#endif
