/*
 * The S-boxes of AES as gates (FIPS 197 section 5.1.1), around inversion.cl; kernels/search/inversion.c
 * found them.  Bits are numbered from the least significant one.
 */

/* SubBytes but for its constant, 0x63: 110 gates. */
INLINE void aes_sbox(slice s[8], const slice x[8])
{
	slice y[22], z[18];

	y[7] = x[7], y[9] = x[0] ^ x[6], y[3] = x[2] ^ y[9], y[16] = x[3] ^ y[3];
	y[1] = x[7] ^ y[16], y[21] = x[4] ^ y[9], y[13] = y[16] ^ y[21], y[20] = x[5] ^ y[13];
	y[11] = y[9] ^ y[20], y[0] = x[7] ^ y[11], y[14] = x[6] ^ y[0], y[12] = y[13] ^ y[14];
	y[2] = x[2] ^ y[12], y[18] = x[7] ^ y[2], y[6] = x[1] ^ y[18], y[15] = y[0] ^ y[6];
	y[10] = y[1] ^ y[6], y[8] = y[9] ^ y[14], y[17] = y[11] ^ y[10], y[19] = y[10] ^ y[8];
	y[5] = y[3] ^ y[8], y[4] = y[9] ^ y[2];
	inversion(z, y);
	slice b0 = z[12] ^ z[15], b1 = z[13] ^ b0 ^ z[16], b2 = z[4] ^ z[5], b3 = z[1] ^ b2;
	slice b4 = z[0] ^ b3, b5 = z[3] ^ z[5] ^ b4, b6 = z[2] ^ b3, b7 = b1 ^ b5 ^ b6;
	slice b8 = z[9] ^ z[15], b9 = z[7] ^ b2, b10 = z[8] ^ b9, b11 = z[6] ^ b4 ^ b9;
	slice b12 = z[11] ^ b8 ^ b11;
	s[7] = z[17] ^ b7 ^ b12, s[6] = z[10] ^ z[16] ^ b6 ^ b8, s[5] = b1, s[4] = b1 ^ b10 ^ b11;
	s[3] = z[14] ^ b0 ^ b12, s[2] = b10, s[1] = b5, s[0] = b7;
}

/* InvSubBytes of what has the constant added: 110 gates. */
INLINE void aes_inverse_sbox(slice s[8], const slice x[8])
{
	slice y[22], z[18];

	y[0] = x[3], y[12] = x[5], y[18] = x[5] ^ x[6], y[11] = x[1] ^ x[7], y[15] = x[2] ^ y[18];
	y[6] = x[3] ^ y[15], y[1] = x[1] ^ x[5], y[7] = x[3] ^ y[11], y[10] = y[6] ^ y[1];
	y[2] = y[18] ^ y[7], y[21] = x[4] ^ y[10], y[16] = y[1] ^ y[7], y[13] = y[21] ^ y[16];
	y[3] = x[0] ^ y[16], y[4] = x[5] ^ y[3], y[9] = y[2] ^ y[4], y[5] = y[2] ^ y[13];
	y[8] = y[3] ^ y[5], y[19] = y[10] ^ y[8], y[14] = y[9] ^ y[8], y[17] = y[15] ^ y[16];
	y[20] = y[11] ^ y[9];
	inversion(z, y);
	slice b0 = z[1] ^ z[4], b1 = z[7] ^ z[4], b2 = z[10] ^ z[16], b3 = z[2] ^ b0 ^ z[5];
	slice b4 = z[11] ^ b2, b5 = z[17] ^ b3 ^ b4, b6 = z[6] ^ b1 ^ z[3];
	slice b7 = z[9] ^ b2 ^ z[15] ^ b6, b8 = b5 ^ b7, b9 = z[14] ^ b4;
	slice b10 = z[0] ^ b0 ^ z[3] ^ b5, b11 = z[13] ^ z[16] ^ b9, b12 = z[12] ^ z[15] ^ b9;
	s[7] = b3 ^ b12, s[6] = b6, s[5] = b8 ^ b11, s[4] = b10, s[3] = b10 ^ b12, s[2] = b11;
	s[1] = z[8] ^ b1 ^ z[5] ^ b8, s[0] = b7;
}
