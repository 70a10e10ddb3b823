/*
 * ARIA for one block (RFC 5794), state in big-endian words.  Table look-ups: not constant-time.
 *
 * The diffusion A (section 2.4.3) is done in steps: in each word every byte becomes the sum of the other
 * three, which the tables do; the words are mixed; in word i byte j changes places with byte j ^ i; and
 * the words are mixed again.  In even rounds the S-boxes stand two bytes further, so that with the
 * same tables all words come out rotated by 16 bits, which the exchange of bytes takes back.
 *
 * TABLE_FORM 4: four tables of S-box outputs spread to three bytes.
 * TABLE_FORM 1: one table of S1 | S2 << 8 | X1 << 16 | X2 << 24, spread after the look-up.
 */
#define CIPHER_ORDER(x)    SWAP_BYTES(x)
#define FROM_BIG_ENDIAN(x) (x)

#if TABLE_FORM == 4
#define ARIA_S1(t, w, n) LOOKUP(t, 0, w, 8 * n, 8)
#define ARIA_S2(t, w, n) LOOKUP(t, 256, w, 8 * n, 8)
#define ARIA_X1(t, w, n) LOOKUP(t, 512, w, 8 * n, 8)
#define ARIA_X2(t, w, n) LOOKUP(t, 768, w, 8 * n, 8)
#else
#define ARIA_S1(t, w, n) spread_byte(LOOKUP(t, 0, w, 8 * n, 8), 0, 0x00010101u)
#define ARIA_S2(t, w, n) spread_byte(LOOKUP(t, 0, w, 8 * n, 8), 1, 0x01000101u)
#define ARIA_X1(t, w, n) spread_byte(LOOKUP(t, 0, w, 8 * n, 8), 2, 0x01010001u)
#define ARIA_X2(t, w, n) spread_byte(LOOKUP(t, 0, w, 8 * n, 8), 3, 0x01010100u)
#endif

INLINE void aria_add_round_key(word s[4], keys k, int i)
{
	s[0] ^= KEY(k, i);
	s[1] ^= KEY(k, i + 1);
	s[2] ^= KEY(k, i + 2);
	s[3] ^= KEY(k, i + 3);
}

/* SL1 and SL2 (section 2.4.2), each with the first step of A. */
INLINE word aria_odd(word w, tables t)
{
	return ARIA_S1(t, w, 3) ^ ARIA_S2(t, w, 2) ^ ARIA_X1(t, w, 1) ^ ARIA_X2(t, w, 0);
}

INLINE word aria_even(word w, tables t)
{
	return ARIA_X1(t, w, 3) ^ ARIA_X2(t, w, 2) ^ ARIA_S1(t, w, 1) ^ ARIA_S2(t, w, 0);
}

/* SL2 alone, of the last round: each byte where it stands. */
INLINE word aria_last(word w, tables t)
{
	return (ARIA_X1(t, w, 3) & 0xff000000u) ^ (ARIA_X2(t, w, 2) & 0x00ff0000u) ^ (ARIA_S1(t, w, 1) & 0x0000ff00u) ^
	       (ARIA_S2(t, w, 0) & 0x000000ffu);
}

INLINE void aria_mix_words(word s[4])
{
	s[1] ^= s[2];
	s[2] ^= s[3];
	s[0] ^= s[1];
	s[3] ^= s[1];
	s[2] ^= s[0];
	s[1] ^= s[2];
}

/* The rest of A after its first step; a is 0, or 2 where the words are rotated. */
INLINE void aria_diffuse(word s[4], int a)
{
	aria_mix_words(s);
	s[1 ^ a] = ((s[1 ^ a] << 8) & 0xff00ff00u) ^ ((s[1 ^ a] >> 8) & 0x00ff00ffu);
	s[2 ^ a] = ROTATE_LEFT(s[2 ^ a], 16);
	s[3 ^ a] = SWAP_BYTES(s[3 ^ a]);
	aria_mix_words(s);
}

/* The steps after the first round's substitution. */
INLINE void aria_finish(word s[4], keys k, tables t)
{
	aria_diffuse(s, 0);
	PRAGMA_UNROLL
	for (int r = 1; r < ROUNDS - 1; r += 2) {
		aria_add_round_key(s, k, 4 * r);
		s[0] = aria_even(s[0], t), s[1] = aria_even(s[1], t);
		s[2] = aria_even(s[2], t), s[3] = aria_even(s[3], t);
		aria_diffuse(s, 2);
		aria_add_round_key(s, k, 4 * r + 4);
		s[0] = aria_odd(s[0], t), s[1] = aria_odd(s[1], t);
		s[2] = aria_odd(s[2], t), s[3] = aria_odd(s[3], t);
		aria_diffuse(s, 0);
	}
	aria_add_round_key(s, k, 4 * ROUNDS - 4);
	s[0] = aria_last(s[0], t), s[1] = aria_last(s[1], t);
	s[2] = aria_last(s[2], t), s[3] = aria_last(s[3], t);
	aria_add_round_key(s, k, 4 * ROUNDS);
}

INLINE void encrypt_block(word s[4], keys k, tables t)
{
	aria_add_round_key(s, k, 0);
	s[0] = aria_odd(s[0], t), s[1] = aria_odd(s[1], t);
	s[2] = aria_odd(s[2], t), s[3] = aria_odd(s[3], t);
	aria_finish(s, k, t);
}

/* The same with the round keys of decryption (section 2.2). */
INLINE void decrypt_block(word s[4], keys k, tables t)
{
	encrypt_block(s, k, t);
}
