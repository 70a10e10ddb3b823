/* GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 section 4.2), the field of several ciphers' S-boxes. */
#ifndef KERNELS_GEN_FIELD_H
#define KERNELS_GEN_FIELD_H

#include <stdint.h>

static inline uint8_t multiply(uint8_t a, uint8_t b)
{
	uint8_t product = 0;

	for (; b != 0; b >>= 1) {
		if (b & 1)
			product ^= a;
		a = (uint8_t)(a << 1) ^ (a & 0x80 ? 0x1b : 0);
	}
	return product;
}

static inline uint8_t power(uint8_t a, int n)
{
	uint8_t product = 1;

	while (n-- > 0)
		product = multiply(product, a);
	return product;
}

#endif
