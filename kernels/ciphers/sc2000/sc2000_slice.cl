/*
 * SC2000 for 32 · SLICE_WORDS blocks, bitsliced (Shimoyama et al., "The Block Cipher SC2000", FSE
 * 2001): slice.cl says how.  Constant-time.
 *
 * The state is four words a b c d, slice 32·q + i being bit i of word q; big-endian words lie
 * otherwise in memory.
 */

/* B on one bit position: the S-box S4 (sc2000.cl has it too) or its inverse. */
INLINE void sc2000_b(slice x[4], int inverse)
{
	slice d = x[0], c = x[1], b = x[2], a = x[3];
	slice g4 = c ^ (a & ~d);
	slice g5 = g4 ^ (b & (g4 ^ d));
	slice g6 = g5 | ~(d | c);
	slice g7 = (b | ~a) ^ (g6 & (~b | a));
	slice g8 = (c & b) | ~(b | d);
	slice g9 = ~(g8 ^ (a & g5));
	slice g10 = ~(a ^ (g8 & (~d | a)));
	slice g11 = (g10 & b) | ~(g10 | b | g7);
	const slice in[4] = { d, c, b, a };

	x[0] = g7, x[1] = g11, x[2] = g9, x[3] = g5;
	if (inverse)
		sc2000_s4_inverse(x, in);
}

/*
 * I, B and I: round keys from word i on, the state through B, and round keys from word j on.  swapped:
 * a and b have changed places with c and d.
 */
INLINE void sc2000_ibi(slice s[128], keys k, int i, int j, int swapped, int inverse)
{
	PRAGMA_UNROLL
	for (int bit = 0; bit < 32; bit++) {
		slice x[4];

		PRAGMA_FULL
		for (int q = 0; q < 4; q++)
			x[3 - q] = s[32 * (q ^ swapped) + bit] ^ KEY_SLICE(k, i + q, bit);
		sc2000_b(x, inverse);
		PRAGMA_FULL
		for (int q = 0; q < 4; q++)
			s[32 * q + bit] = x[3 - q] ^ KEY_SLICE(k, j + q, bit);
	}
}

/* M(S(x)) */
INLINE void sc2000_sm(slice y[32], const slice x[32])
{
	slice t[32];

	PRAGMA_UNROLL
	for (int i = 0; i < 32; i += 26)
		sc2000_s6(t + i, x + i);
	PRAGMA_UNROLL
	for (int i = 6; i < 26; i += 5)
		sc2000_s5(t + i, x + i);
	sc2000_m(y, t);
}

/* R: (a, b) ^= F(c, d).  mask: of bits, the same for every four. */
INLINE void sc2000_r(slice ab[64], const slice cd[64], word mask)
{
	slice uv[64];

	PRAGMA_UNROLL
	for (int i = 0; i < 64; i += 32)
		sc2000_sm(uv + i, cd + i);
	PRAGMA_FULL
	for (int i = 0; i < 32; i++) {
		slice m = BIT_SLICE(mask, i % 4);

		ab[i] ^= (uv[i] & m) ^ uv[32 + i];
		ab[32 + i] ^= (uv[32 + i] & ~m) ^ uv[i];
	}
}

/* R × R, but for the halves, which change places afterwards. */
INLINE void sc2000_rr(slice s[128], int round)
{
	word mask = round & 1 ? 3u : 5u;

	PRAGMA_UNROLL
	for (int h = 0; h < 128; h += 64)
		sc2000_r(s + h, s + 64 - h, mask);
}

/* From big-endian words, or to them. */
INLINE void sc2000_copy(slice to[128], const slice from[128])
{
	PRAGMA_FULL
	for (int i = 0; i < 128; i++)
		to[i] = from[BIG_ENDIAN_BIT(i)];
}

INLINE void encrypt_slices(slice s[128], keys k)
{
	slice t[128];

	sc2000_copy(t, s);
	sc2000_ibi(t, k, 0, 4, 0, 0);
	PRAGMA_ROUNDS
	for (int r = 0; r < ROUNDS; r++) {
		sc2000_rr(t, r);
		sc2000_ibi(t, k, 8 * r + 8, 8 * r + 12, 2, 0);
	}
	sc2000_copy(s, t);
}

INLINE void decrypt_slices(slice s[128], keys k)
{
	slice t[128];

	sc2000_copy(t, s);
	sc2000_ibi(t, k, 8 * ROUNDS + 4, 8 * ROUNDS, 0, 1);
	PRAGMA_ROUNDS
	for (int r = ROUNDS - 1; r >= 0; r--) {
		sc2000_rr(t, r);
		sc2000_ibi(t, k, 8 * r + 4, 8 * r, 2, 1);
	}
	sc2000_copy(s, t);
}
