/*
 * Camellia for 32 · SLICE_WORDS blocks, bitsliced (RFC 3713): slice.cl says how.  Constant-time.
 *
 * 0xc5, the constant at the entrance of s1, is added with the round keys.
 */
/* s1(x ^ 0xc5), 109 gates (kernels/search/inversion.c), and the inverters of 0x6e. */
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

/*
 * The eight bytes go through S-boxes 1 2 3 4 2 3 4 1 (section 2.4.1).  s2 and s3 rotate the result of
 * s1 to the left by 1 and 7, s4 its input by 1 (section 2.4.4): bit b of byte i is found elsewhere.
 */
#define CAMELLIA_IN(i, b)  (8 * (i) + ((b) + ((i) == 3 || (i) == 6 ? 7 : 0)) % 8)
#define CAMELLIA_OUT(i, b) (8 * (i) + ((b) + ((i) == 1 || (i) == 4 ? 7 : (i) == 2 || (i) == 5 ? 1 : 0)) % 8)

/* z[i] ^= z[j], a byte each */
INLINE void camellia_xor(slice z[64], int i, int j)
{
	PRAGMA_FULL
	for (int b = 0; b < 8; b++)
		z[CAMELLIA_OUT(i, b)] ^= z[CAMELLIA_OUT(j, b)];
}

/* y ^= P(z) (section 2.4.1) */
INLINE void camellia_p(slice y[64], slice z[64])
{
	PRAGMA_FULL
	for (int i = 0; i < 4; i++)
		camellia_xor(z, i, 4 + (i + 1) % 4);
	PRAGMA_FULL
	for (int i = 0; i < 4; i++)
		camellia_xor(z, 4 + i, (i + 2) % 4);
	PRAGMA_FULL
	for (int i = 0; i < 4; i++)
		camellia_xor(z, i, 4 + (i + 3) % 4);
	PRAGMA_FULL
	for (int i = 0; i < 4; i++) {
		PRAGMA_FULL
		for (int b = 0; b < 8; b++) {
			y[8 * i + b] ^= z[CAMELLIA_OUT(4 + i, b)] ^ z[CAMELLIA_OUT((i + 3) % 4, b)];
			y[32 + 8 * i + b] ^= z[CAMELLIA_OUT(i, b)];
		}
	}
}

/* y ^= F(s, k[i], k[i + 1]): section 2.4.1.  s4 sees 0xc5 rotated. */
INLINE void camellia_round(slice y[64], const slice s[64], keys k, int i)
{
	const word added[2] = { KEY(k, i) ^ 0xc5c5c5e2u, KEY(k, i + 1) ^ 0xc5c5e2c5u };
	slice x[64], z[64];

	PRAGMA_FULL
	for (int b = 0; b < 64; b++) {
		int at = CAMELLIA_IN(b / 8, b % 8);

		x[b] = s[at] ^ BIT_SLICE(added[b / 32], BIG_ENDIAN_BIT(at % 32));
	}
	PRAGMA_UNROLL
	for (int b = 0; b < 64; b += 8)
		camellia_sbox(z + b, x + b);
	camellia_p(y, z);
}

/* FL on the left half, its inverse on the right one: sections 2.4.2 and 2.4.3. */
INLINE void camellia_fl(slice s[128], keys k, int i)
{
	word k0 = KEY(k, i), k1 = KEY(k, i + 1), k2 = KEY(k, i + 2), k3 = KEY(k, i + 3);

	PRAGMA_FULL
	for (int b = 0; b < 32; b++)
		s[32 + BIG_ENDIAN_BIT((b + 1) % 32)] ^= s[BIG_ENDIAN_BIT(b)] & BIT_SLICE(k0, b);
	PRAGMA_FULL
	for (int b = 0; b < 32; b++) {
		int at = BIG_ENDIAN_BIT(b);

		s[at] ^= s[32 + at] | BIT_SLICE(k1, b);
		s[64 + at] ^= s[96 + at] | BIT_SLICE(k3, b);
	}
	PRAGMA_FULL
	for (int b = 0; b < 32; b++)
		s[96 + BIG_ENDIAN_BIT((b + 1) % 32)] ^= s[64 + BIG_ENDIAN_BIT(b)] & BIT_SLICE(k2, b);
}

INLINE void camellia_whiten(slice s[128], keys k, int i)
{
	PRAGMA_UNROLL
	for (int q = 0; q < 4; q++) {
		word key = KEY(k, i + q);

		PRAGMA_FULL
		for (int b = 0; b < 32; b++)
			s[32 * q + BIG_ENDIAN_BIT(b)] ^= BIT_SLICE(key, b);
	}
}

INLINE void encrypt_slices(slice s[128], keys k)
{
	camellia_whiten(s, k, 0);
	PRAGMA_ROUNDS
	for (int r = 0; r < ROUNDS / 2; r++) {
		int i = 4 * r + 4 * (r / 3) + 4;

		if (r % 3 == 0 && r > 0)
			camellia_fl(s, k, i - 4);
		camellia_round(s + 64, s, k, i);
		camellia_round(s, s + 64, k, i + 2);
	}
	PRAGMA_FULL
	for (int b = 0; b < 64; b++) {
		slice t = s[b];

		s[b] = s[64 + b];
		s[64 + b] = t;
	}
	camellia_whiten(s, k, 16 * (ROUNDS / 6));
}

/* The same with the round keys in reverse order (section 2.3.3). */
INLINE void decrypt_slices(slice s[128], keys k)
{
	encrypt_slices(s, k);
}
