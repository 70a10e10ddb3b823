/*
 * AES for one block (FIPS 197), state in little-endian words: word c is column c, byte r row r.
 * Table look-ups: not constant-time.
 *
 * TABLE_FORM 4: four tables; table n serves row n and is table 0 rotated by n bytes.
 * TABLE_FORM 1: table 0 alone, its entries rotated after the look-up.
 * Entries of table 0, rows 0 to 3: 2S S S 3S (encryption); 14S' 9S' 13S' 11S' (decryption).
 */
#define CIPHER_ORDER(x)    (x) /* from and to a word as it lies in memory */
#define FROM_BIG_ENDIAN(x) SWAP_BYTES(x)

#if TABLE_FORM == 4
#define T(t, n, w) LOOKUP(t, 256 * n, w, 8 * n, 8)
#else
#define T(t, n, w) ROTATE_LEFT(LOOKUP(t, 0, w, 8 * n, 8), 8 * n)
#endif
#define T0(t, n, w) LOOKUP(t, 0, w, 8 * n, 8) /* byte n of w, entry as it stands */

#define AES_COLUMN(t, a, b, c, d) (T(t, 0, a) ^ T(t, 1, b) ^ T(t, 2, c) ^ T(t, 3, d))

INLINE void aes_add_round_key(word s[4], keys k, int r)
{
	s[0] ^= KEY(k, 4 * r);
	s[1] ^= KEY(k, 4 * r + 1);
	s[2] ^= KEY(k, 4 * r + 2);
	s[3] ^= KEY(k, 4 * r + 3);
}

/* SubBytes and ShiftRows without MixColumns: entry bytes 1 and 2 of table 0 are S. */
INLINE word aes_last_column(tables t, word a, word b, word c, word d)
{
	return ((T0(t, 0, a) >> 8) & 0x000000ffu) | (T0(t, 1, b) & 0x0000ff00u) | (T0(t, 2, c) & 0x00ff0000u) |
	       ((T0(t, 3, d) << 8) & 0xff000000u);
}

/* From round `first` to the last one. */
INLINE void aes_rounds_from(word s[4], int first, keys k, tables t)
{
	word a, b, c, d;

	PRAGMA_UNROLL
	for (int r = first; r < ROUNDS; r++) {
		a = s[0], b = s[1], c = s[2], d = s[3];
		s[0] = AES_COLUMN(t, a, b, c, d);
		s[1] = AES_COLUMN(t, b, c, d, a);
		s[2] = AES_COLUMN(t, c, d, a, b);
		s[3] = AES_COLUMN(t, d, a, b, c);
		aes_add_round_key(s, k, r);
	}
	a = s[0], b = s[1], c = s[2], d = s[3];
	s[0] = aes_last_column(t, a, b, c, d);
	s[1] = aes_last_column(t, b, c, d, a);
	s[2] = aes_last_column(t, c, d, a, b);
	s[3] = aes_last_column(t, d, a, b, c);
	aes_add_round_key(s, k, ROUNDS);
}

INLINE void encrypt_block(word s[4], keys k, tables t)
{
	aes_add_round_key(s, k, 0);
	aes_rounds_from(s, 1, k, t);
}

/*
 * InvSubBytes out of the same table: 14 ^ 9 ^ 13 ^ 11 = 1.  Half a word: 14 ^ 13 = 3, 9 ^ 11 = 2,
 * and 3 ^ 2 = 1.
 */
INLINE word aes_halves(word low, word high)
{
	low ^= low >> 16;
	high ^= high << 16;
	return (low & 0x0000ffffu) | (high & 0xffff0000u); /* 3x 2x 3y 2y */
}

INLINE word aes_inverse_last_column(tables t, word a, word b, word c, word d)
{
	word even = aes_halves(T0(t, 0, a), T0(t, 2, c));
	word odd = aes_halves(T0(t, 1, b), T0(t, 3, d));

	return ((even ^ (even >> 8)) & 0x00ff00ffu) | ((odd ^ (odd << 8)) & 0xff00ff00u);
}

/* The equivalent inverse cipher (FIPS 197 section 5.3.5); round keys come prepared for it. */
INLINE void decrypt_block(word s[4], keys k, tables t)
{
	word a, b, c, d;

	aes_add_round_key(s, k, 0);
	PRAGMA_UNROLL
	for (int r = 1; r < ROUNDS; r++) {
		a = s[0], b = s[1], c = s[2], d = s[3];
		s[0] = AES_COLUMN(t, a, d, c, b);
		s[1] = AES_COLUMN(t, b, a, d, c);
		s[2] = AES_COLUMN(t, c, b, a, d);
		s[3] = AES_COLUMN(t, d, c, b, a);
		aes_add_round_key(s, k, r);
	}
	a = s[0], b = s[1], c = s[2], d = s[3];
	s[0] = aes_inverse_last_column(t, a, d, c, b);
	s[1] = aes_inverse_last_column(t, b, a, d, c);
	s[2] = aes_inverse_last_column(t, c, b, a, d);
	s[3] = aes_inverse_last_column(t, d, c, b, a);
	aes_add_round_key(s, k, ROUNDS);
}
