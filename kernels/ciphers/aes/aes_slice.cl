/*
 * AES for 32 · SLICE_WORDS blocks, bitsliced (FIPS 197): slice.cl says how.  Constant-time.
 *
 * The constant of the S-box's affine map, 0x63, goes through ShiftRows and MixColumns unchanged, so
 * it is added with the round keys.
 */
#define AES_CONSTANT 0x63

/* x, or x and y, plus bit b of word i of the round keys and the constant's bit. */
#define AES_ADD(x, k, i, b) (AES_CONSTANT >> (b) % 8 & 1 ? ~((x) ^ KEY_SLICE(k, i, b)) : (x) ^ KEY_SLICE(k, i, b))
#define AES_ADD2(x, y, k, i, b) \
	(AES_CONSTANT >> (b) % 8 & 1 ? NOT_SUM3(x, y, KEY_SLICE(k, i, b)) : SUM3(x, y, KEY_SLICE(k, i, b)))

/* The last step of a round without MixColumns: x y z w are the bytes of a column. */
INLINE void aes_add_column(slice s[32], const slice *x, const slice *y, const slice *z, const slice *w, keys k, int i)
{
	PRAGMA_FULL
	for (int b = 0; b < 8; b++) {
		s[b] = AES_ADD(x[b], k, i, b);
		s[8 + b] = AES_ADD(y[b], k, i, 8 + b);
		s[16 + b] = AES_ADD(z[b], k, i, 16 + b);
		s[24 + b] = AES_ADD(w[b], k, i, 24 + b);
	}
}

/* Bit b of a sum of bytes, times 2; high: the sum's highest bit, before: the bit before b. */
#define AES_TWICE(b, before, high, x) \
	((b) == 0 ? (high) ^ (x) : (b) == 1 || (b) == 3 || (b) == 4 ? SUM3(before, high, x) : (before) ^ (x))

/* The same with MixColumns: byte 0 is 2·(x ^ y) ^ y ^ z ^ w, and so on. */
INLINE void aes_mix_column(slice s[32], const slice *x, const slice *y, const slice *z, const slice *w, keys k, int i)
{
	slice high[4] = { x[7] ^ y[7], y[7] ^ z[7], z[7] ^ w[7], w[7] ^ x[7] };
	slice before[4];

	PRAGMA_FULL
	for (int b = 0; b < 8; b++) {
		slice sum[4] = { x[b] ^ y[b], y[b] ^ z[b], z[b] ^ w[b], w[b] ^ x[b] };

		s[b] = AES_ADD2(AES_TWICE(b, before[0], high[0], y[b]), sum[2], k, i, b);
		s[8 + b] = AES_ADD2(AES_TWICE(b, before[1], high[1], z[b]), sum[3], k, i, 8 + b);
		s[16 + b] = AES_ADD2(AES_TWICE(b, before[2], high[2], w[b]), sum[0], k, i, 16 + b);
		s[24 + b] = AES_ADD2(AES_TWICE(b, before[3], high[3], x[b]), sum[1], k, i, 24 + b);
		PRAGMA_FULL
		for (int r = 0; r < 4; r++)
			before[r] = sum[r];
	}
}

/* InvMixColumns is MixColumns of a column with 4·(x ^ z) added to x and z, and 4·(y ^ w) to y, w. */
INLINE void aes_prepare_inverse(slice *x, slice *z)
{
	slice d[8];

	PRAGMA_FULL
	for (int b = 0; b < 8; b++)
		d[b] = x[b] ^ z[b];
	const slice four[8] = { d[6], d[6] ^ d[7], d[0] ^ d[7], d[1] ^ d[6], d[2] ^ d[6] ^ d[7], d[3] ^ d[7], d[4],
		d[5] };
	PRAGMA_FULL
	for (int b = 0; b < 8; b++)
		x[b] ^= four[b], z[b] ^= four[b];
}

/* ShiftRows: byte r of column c comes from column c + r, or c - r. */
#define AES_SHIFTED(t, c, r, inverse) ((t) + 32 * (((c) + ((inverse) ? 4 - (r) : (r))) % 4) + 8 * (r))

/* SubBytes: from one array to the other. */
INLINE void aes_sub_bytes(slice t[128], const slice s[128], int inverse)
{
	PRAGMA_UNROLL
	for (int i = 0; i < 128; i += 8)
		if (inverse)
			aes_inverse_sbox(t + i, s + i);
		else
			aes_sbox(t + i, s + i);
}

/* The rest of a round, and back; the last one has no MixColumns. */
INLINE void aes_columns(slice s[128], slice t[128], keys k, int r, int inverse, int last)
{
	PRAGMA_UNROLL
	for (int c = 0; c < 4; c++) {
		slice *x = AES_SHIFTED(t, c, 0, inverse), *y = AES_SHIFTED(t, c, 1, inverse);
		slice *z = AES_SHIFTED(t, c, 2, inverse), *w = AES_SHIFTED(t, c, 3, inverse);

		if (last) {
			aes_add_column(s + 32 * c, x, y, z, w, k, 4 * r + c);
			continue;
		}
		if (inverse) {
			aes_prepare_inverse(x, z);
			aes_prepare_inverse(y, w);
		}
		aes_mix_column(s + 32 * c, x, y, z, w, k, 4 * r + c);
	}
}

/* Both directions: decryption is the equivalent inverse cipher (section 5.3.5).  The constant goes
 * into InvSubBytes, so there it is added once too often. */
INLINE void aes_slices(slice s[128], keys k, int inverse)
{
	slice t[128];

	PRAGMA_FULL
	for (int i = 0; i < 128; i++) {
		slice x = s[i] ^ KEY_SLICE(k, i / 32, i % 32);

		s[i] = inverse && AES_CONSTANT >> i % 8 & 1 ? ~x : x;
	}
	PRAGMA_ROUNDS
	for (int r = 1;; r++) {
		aes_sub_bytes(t, s, inverse);
		if (r == ROUNDS)
			break;
		aes_columns(s, t, k, r, inverse, 0);
	}
	aes_columns(s, t, k, ROUNDS, inverse, 1);
	PRAGMA_FULL
	for (int i = 0; i < 128 && inverse; i++)
		s[i] = AES_CONSTANT >> i % 8 & 1 ? ~s[i] : s[i];
}

INLINE void encrypt_slices(slice s[128], keys k)
{
	aes_slices(s, k, 0);
}

INLINE void decrypt_slices(slice s[128], keys k)
{
	aes_slices(s, k, 1);
}
