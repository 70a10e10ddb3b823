/*
 * Camellia for 32 · SLICE_WORDS blocks, bitsliced (RFC 3713): slice.cl says how.  Constant-time.
 *
 * 0xc5, the constant at the entrance of s1, is added with the round keys.
 */

/*
 * The eight bytes go through S-boxes 1 2 3 4 2 3 4 1 (section 2.4.1).  s2 and s3 rotate the result of
 * s1 to the left by 1 and 7: its bit b is found elsewhere.
 */
#define CAMELLIA_OUT(i, b) (8 * (i) + ((b) + ((i) == 1 || (i) == 4 ? 7 : (i) == 2 || (i) == 5 ? 1 : 0)) % 8)

/* y ^= P(z) (section 2.4.1): bytes 1 to 8 of each bit, by 16 sums. */
INLINE void camellia_p(slice y[64], const slice z[64])
{
	PRAGMA_FULL
	for (int b = 0; b < 8; b++) {
		slice l[4], r[4], sum[4];

		PRAGMA_FULL
		for (int i = 0; i < 4; i++)
			l[i] = z[CAMELLIA_OUT(i, b)], r[i] = z[CAMELLIA_OUT(4 + i, b)];
		PRAGMA_FULL
		for (int i = 0; i < 4; i++)
			sum[i] = SUM3(r[i], l[(i + 2) % 4], r[(i + 3) % 4]);
		PRAGMA_FULL
		for (int i = 0; i < 4; i++)
			l[i] = SUM3(l[i], r[(i + 1) % 4], sum[(i + 3) % 4]);
		PRAGMA_FULL
		for (int i = 0; i < 4; i++)
			y[8 * i + b] = SUM3(y[8 * i + b], sum[i], l[(i + 3) % 4]), y[32 + 8 * i + b] ^= l[i];
	}
}

/* S-box of byte n plus its byte of the round key, rotated to the left: s4 does that (section 2.4.4). */
INLINE void camellia_byte(slice z[64], const slice s[64], keys k, int i, int n, int rotation)
{
	slice x[8];

	PRAGMA_FULL
	for (int b = 0; b < 8; b++) {
		int from = (b + 8 - rotation) % 8;

		x[b] = s[8 * n + from] ^ KEY_SLICE(k, i + n / 4, 24 - 8 * (n % 4) + from);
		x[b] = 0xc5 >> b & 1 ? ~x[b] : x[b];
	}
	camellia_sbox(z + 8 * n, x);
}

/* y ^= F(s, k[i], k[i + 1]): section 2.4.1. */
INLINE void camellia_round(slice y[64], const slice s[64], keys k, int i)
{
	slice z[64];

	PRAGMA_UNROLL
	for (int n = 0; n < 6; n++)
		camellia_byte(z, s, k, i, n + (n > 2) + (n > 4), 0);
	PRAGMA_UNROLL
	for (int n = 3; n < 8; n += 3)
		camellia_byte(z, s, k, i, n, 1);
	camellia_p(y, z);
}

/* FL on the left half, its inverse on the right one: sections 2.4.2 and 2.4.3. */
INLINE void camellia_fl(slice s[128], keys k, int i)
{
	PRAGMA_FULL
	for (int b = 0; b < 32; b++)
		s[32 + BIG_ENDIAN_BIT((b + 1) % 32)] ^= s[BIG_ENDIAN_BIT(b)] & KEY_SLICE(k, i, b);
	PRAGMA_FULL
	for (int b = 0; b < 32; b++) {
		int at = BIG_ENDIAN_BIT(b);

		s[at] ^= s[32 + at] | KEY_SLICE(k, i + 1, b);
		s[64 + at] ^= s[96 + at] | KEY_SLICE(k, i + 3, b);
	}
	PRAGMA_FULL
	for (int b = 0; b < 32; b++)
		s[96 + BIG_ENDIAN_BIT((b + 1) % 32)] ^= s[64 + BIG_ENDIAN_BIT(b)] & KEY_SLICE(k, i + 2, b);
}

INLINE void camellia_whiten(slice s[128], keys k, int i)
{
	PRAGMA_UNROLL
	for (int q = 0; q < 4; q++) {
		PRAGMA_FULL
		for (int b = 0; b < 32; b++)
			s[32 * q + BIG_ENDIAN_BIT(b)] ^= KEY_SLICE(k, i + q, b);
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
		PRAGMA_UNROLL
		for (int h = 0; h < 2; h++)
			camellia_round(s + 64 - 64 * h, s + 64 * h, k, i + 2 * h);
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
