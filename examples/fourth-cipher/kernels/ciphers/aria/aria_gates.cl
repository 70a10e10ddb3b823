/*
 * The S-boxes of ARIA as gates (RFC 5794 section 2.4.2).  All four are the inversion of AES between linear
 * maps, so its gates serve; behind aes_gates.cl.
 */
#ifndef __OPENCL_VERSION__
#include "kernels/ciphers/aes/aes_gates.cl"
#endif

/* S2 without its constant is the first matrix times S1 without its own; the second one is its inverse.
 * Byte i of a matrix says which input bits add up to output bit i. */
#define ARIA_S2_OF_S1 0xe7a01a3296f31283ul
#define ARIA_S1_OF_S2 0x52cb12dc2258de8dul

INLINE void aria_linear(slice y[8], const slice x[8], block_number rows)
{
	PRAGMA_FULL
	for (int i = 0; i < 8; i++) {
		y[i] = x[0] ^ x[0];
		PRAGMA_FULL
		for (int j = 0; j < 8; j++)
			if (rows >> (8 * i + j) & 1)
				y[i] ^= x[j];
	}
}

/* A constant, whose bits are known when building. */
INLINE void aria_add(slice y[8], const slice x[8], word sum)
{
	PRAGMA_FULL
	for (int i = 0; i < 8; i++)
		y[i] = sum >> i & 1 ? ~x[i] : x[i];
}

/* S1, S2, X1 and X2 by number. */
INLINE void aria_sbox(slice y[8], const slice x[8], int number)
{
	slice u[8], v[8];

	if (number == 0) {
		aes_sbox(u, x);
		aria_add(y, u, 0x63);
	} else if (number == 1) {
		aes_sbox(u, x);
		aria_linear(v, u, ARIA_S2_OF_S1);
		aria_add(y, v, 0xe2);
	} else if (number == 2) {
		aria_add(u, x, 0x63);
		aes_inverse_sbox(y, u);
	} else {
		aria_add(u, x, 0xe2);
		aria_linear(v, u, ARIA_S1_OF_S2);
		aes_inverse_sbox(y, v);
	}
}
