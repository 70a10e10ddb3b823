/*
 * AES for 32 · SLICE_WORDS blocks, bitsliced (FIPS 197): slice.cl says how.  Constant-time.
 *
 * The constant of the S-box's affine map, 0x63, goes through ShiftRows and MixColumns unchanged, so
 * it is added with the round keys.
 */
#define AES_CONSTANT 0x63636363u

/* SubBytes of one byte but for its constant: 110 gates (kernels/search/inversion.c). */
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

/* InvSubBytes of one byte plus the constant: 110 gates. */
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

INLINE void aes_add_round_key(slice s[128], keys k, int r, word addend)
{
	PRAGMA_UNROLL
	for (int i = 0; i < 4; i++) {
		word w = KEY(k, 4 * r + i) ^ addend;

		PRAGMA_FULL
		for (int b = 0; b < 32; b++)
			s[32 * i + b] ^= BIT_SLICE(w, b);
	}
}

/* SubBytes in either direction. */
INLINE void aes_sub_bytes(slice t[128], const slice s[128], int inverse)
{
	PRAGMA_UNROLL
	for (int i = 0; i < 128; i += 8)
		if (inverse)
			aes_inverse_sbox(t + i, s + i);
		else
			aes_sbox(t + i, s + i);
}

/* ShiftRows: byte r of column c comes from column c + r, or c - r. */
#define AES_SHIFTED(s, c, r, inverse) ((s) + 8 * (4 * (((c) + ((inverse) ? 4 - (r) : (r))) & 3) + (r)))

/* b = 2·(x ^ y) ^ y ^ z ^ w, a byte of MixColumns; z and w come as their sum. */
INLINE void aes_mix_byte(slice b[8], const slice xy[8], const slice y[8], const slice zw[8])
{
	b[0] = xy[7] ^ y[0] ^ zw[0];
	PRAGMA_FULL
	for (int i = 1; i < 8; i++)
		b[i] = xy[i - 1] ^ y[i] ^ zw[i];
	b[1] ^= xy[7], b[3] ^= xy[7], b[4] ^= xy[7];
}

/* InvMixColumns is MixColumns of a column with 4·(x ^ z) added to x and z, and 4·(y ^ w) to y, w. */
INLINE void aes_prepare_inverse(slice x[8], slice z[8])
{
	slice d[8];

	PRAGMA_FULL
	for (int i = 0; i < 8; i++)
		d[i] = x[i] ^ z[i];
	slice four[8] = { d[6], d[6] ^ d[7], d[0] ^ d[7], d[1] ^ d[6], d[2] ^ d[6] ^ d[7], d[3] ^ d[7],
		d[4], d[5] };
	PRAGMA_FULL
	for (int i = 0; i < 8; i++)
		x[i] ^= four[i], z[i] ^= four[i];
}

/* ShiftRows and MixColumns, or their inverses; the last round has no MixColumns. */
INLINE void aes_shift_mix(slice s[128], const slice t[128], int last, int inverse)
{
	PRAGMA_UNROLL
	for (int c = 0; c < 4; c++) {
		slice a[32], d[32];

		PRAGMA_FULL
		for (int i = 0; i < 32; i++)
			a[i] = AES_SHIFTED(t, c, i / 8, inverse)[i % 8];
		if (!last && inverse) {
			aes_prepare_inverse(a, a + 16);
			aes_prepare_inverse(a + 8, a + 24);
		}
		PRAGMA_FULL
		for (int i = 0; i < 32; i++)
			d[i] = a[i] ^ a[(i + 8) % 32];
		PRAGMA_FULL
		for (int r = 0; r < 4 && !last; r++)
			aes_mix_byte(s + 32 * c + 8 * r, d + 8 * r, a + (8 * r + 8) % 32, d + (8 * r + 16) % 32);
		PRAGMA_FULL
		for (int i = 0; i < 32 && last; i++)
			s[32 * c + i] = a[i];
	}
}

/* Both directions: decryption is the equivalent inverse cipher (section 5.3.5). */
INLINE void aes_slices(slice s[128], keys k, int inverse)
{
	slice t[128];

	aes_add_round_key(s, k, 0, inverse ? AES_CONSTANT : 0);
	PRAGMA_ROUNDS
	for (int r = 1; r <= ROUNDS; r++) {
		int last = r == ROUNDS;

		aes_sub_bytes(t, s, inverse);
		aes_shift_mix(s, t, last, inverse);
		aes_add_round_key(s, k, r, inverse && last ? 0 : AES_CONSTANT);
	}
}

INLINE void encrypt_slices(slice s[128], keys k)
{
	aes_slices(s, k, 0);
}

INLINE void decrypt_slices(slice s[128], keys k)
{
	aes_slices(s, k, 1);
}
