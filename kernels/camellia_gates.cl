/*
 * The S-box s1 of Camellia as gates (RFC 3713 section 2.4.4), around inversion.cl, since it is the same
 * inversion in another basis; kernels/search/inversion.c found them.  Bits are numbered from the least
 * significant one.
 */

/* s1(x ^ 0xc5), 109 gates, and the inverters of its constant 0x6e. */
INLINE void camellia_sbox(slice s[8], const slice x[8])
{
	slice y[22], z[18];

	y[19] = x[4], y[17] = x[3] ^ x[6], y[15] = x[0] ^ x[7], y[7] = x[1] ^ x[4];
	y[16] = y[17] ^ y[15], y[18] = x[2] ^ x[3], y[21] = x[5] ^ y[18], y[1] = y[7] ^ y[16];
	y[2] = y[7] ^ y[18], y[3] = x[6] ^ y[21], y[5] = x[5] ^ y[1], y[8] = y[3] ^ y[5];
	y[10] = x[4] ^ y[8], y[6] = y[1] ^ y[10], y[9] = x[7] ^ y[6], y[4] = y[2] ^ y[9];
	y[0] = x[0] ^ y[9], y[14] = y[8] ^ y[9], y[20] = x[0] ^ y[7], y[12] = y[3] ^ y[4];
	y[11] = y[9] ^ y[20], y[13] = y[14] ^ y[12];
	inversion(z, y);
	slice b0 = z[7] ^ z[8], b1 = z[4] ^ b0, b2 = z[0] ^ z[2], b3 = z[3] ^ b1 ^ b2;
	slice b4 = z[6] ^ z[8] ^ b2, b5 = z[17] ^ z[15], b6 = z[16] ^ z[15], b7 = z[14] ^ b5;
	slice b8 = z[10] ^ b6, b9 = z[1] ^ b0 ^ z[2], b10 = z[12] ^ b7, b11 = z[9] ^ b8;
	s[7] = z[11] ^ b5 ^ b8, s[6] = ~b3, s[5] = ~b10, s[4] = b4 ^ b10 ^ b11;
	s[3] = ~(b3 ^ b4 ^ b9), s[2] = ~(z[13] ^ b3 ^ b6 ^ b7), s[1] = ~b9, s[0] = z[5] ^ b1 ^ b11;
}
