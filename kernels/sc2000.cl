/*
 * SC2000 for one block (Shimoyama et al., "The Block Cipher SC2000", FSE 2001), state in big-endian
 * words a b c d.  Table look-ups: not constant-time.
 *
 * TABLE_FORM is the table constitution: S and M merged into one table a group of S-box fields.
 * 6: (6,5,5,5,5,6), 4: (6,10,10,6), 3: (11,10,11), 2: (16,16).
 */
#define CIPHER_ORDER(x)    SWAP_BYTES(x)
#define FROM_BIG_ENDIAN(x) (x)

#if TABLE_FORM == 6
#define SM(t, x) sc2000_sm(t, x)
/* Two masks, and a shift for the fields that lie across bytes, leave each field alone in its byte. */
INLINE word sc2000_sm(tables t, word x)
{
	word a = x & 0xfc1ff83fu, b = (x << 3) & 0x1f003e00u;

	return LOOKUP_ALONE(t, 0, a, 26, 6) ^ LOOKUP_ALONE(t, 64, b, 24, 5) ^
	       LOOKUP_ALONE(t, 96, a, 16, 5) ^ LOOKUP_ALONE(t, 128, a, 11, 5) ^
	       LOOKUP_ALONE(t, 160, b, 9, 5) ^ LOOKUP_ALONE(t, 192, a, 0, 6);
}
#elif TABLE_FORM == 4
#define SM(t, x)                                                                                 \
	(LOOKUP(t, 0, x, 26, 6) ^ LOOKUP(t, 64, x, 16, 10) ^ LOOKUP(t, 1088, x, 6, 10) ^          \
		LOOKUP(t, 2112, x, 0, 6))
#elif TABLE_FORM == 3
#define SM(t, x) (LOOKUP(t, 0, x, 21, 11) ^ LOOKUP(t, 2048, x, 11, 10) ^ LOOKUP(t, 3072, x, 0, 11))
#else
#define SM(t, x) (LOOKUP(t, 0, x, 16, 16) ^ LOOKUP(t, 65536, x, 0, 16))
#endif

/* I: the state xor four round keys. */
INLINE void sc2000_add_keys(word s[4], keys k, int i)
{
	s[0] ^= KEY(k, i);
	s[1] ^= KEY(k, i + 1);
	s[2] ^= KEY(k, i + 2);
	s[3] ^= KEY(k, i + 3);
}

/* B: the 4-bit S-box S4 on each bit position, as eight three-input functions. */
INLINE void sc2000_b(word s[4])
{
	word a = s[0], b = s[1], c = s[2], d = s[3];
	word g4 = c ^ (a & ~d);
	word g5 = g4 ^ (b & (g4 ^ d));
	word g6 = g5 | ~(d | c);
	word g7 = (b | ~a) ^ (g6 & (~b | a));
	word g8 = (c & b) | ~(b | d);
	word g9 = ~(g8 ^ (a & g5));
	word g10 = ~(a ^ (g8 & (~d | a)));
	word g11 = (g10 & b) | ~(g10 | b | g7);

	s[0] = g5, s[1] = g9, s[2] = g11, s[3] = g7;
}

/* B⁻¹, from the algebraic normal form of the inverse S-box. */
INLINE void sc2000_b_inverse(word s[4])
{
	word a = s[0], b = s[1], c = s[2], d = s[3];
	word ab = a & b, ac = a & c, ad = a & d, bc = b & c, bd = b & d;
	word ab_cd = (ab & c) ^ (ab & d);

	s[0] = ~(c ^ d ^ ab ^ ad ^ bc ^ ab_cd);
	s[1] = a ^ b ^ d ^ ac ^ bc ^ ab_cd;
	s[2] = ~(a ^ b ^ c ^ ad ^ bc ^ (c & d) ^ (bc & d));
	s[3] = a ^ ac ^ bc ^ bd ^ (ac & d);
}

/* R: (s0, s1) ^= F(s2, s3), and then R on the other half: the involution R × R. */
INLINE void sc2000_r(word *a, word *b, word c, word d, word mask, tables t)
{
	word u = SM(t, c), v = SM(t, d);

	*a ^= (u & mask) ^ v;
	*b ^= (v & ~mask) ^ u;
}

INLINE void sc2000_rr(word s[4], word mask, tables t)
{
	word c = s[2], d = s[3];

	sc2000_r(&s[0], &s[1], c, d, mask, t);
	sc2000_r(&c, &d, s[0], s[1], mask, t);
	s[2] = s[0], s[3] = s[1];
	s[0] = c, s[1] = d;
}

#define SC2000_MASK(round) (((round) & 1) ? 0x33333333u : 0x55555555u)

INLINE void encrypt_block(word s[4], keys k, tables t)
{
	PRAGMA_UNROLL
	for (int r = 0; r < ROUNDS; r++) {
		sc2000_add_keys(s, k, 8 * r);
		sc2000_b(s);
		sc2000_add_keys(s, k, 8 * r + 4);
		sc2000_rr(s, SC2000_MASK(r), t);
	}
	sc2000_add_keys(s, k, 8 * ROUNDS);
	sc2000_b(s);
	sc2000_add_keys(s, k, 8 * ROUNDS + 4);
}

INLINE void decrypt_block(word s[4], keys k, tables t)
{
	sc2000_add_keys(s, k, 8 * ROUNDS + 4);
	sc2000_b_inverse(s);
	sc2000_add_keys(s, k, 8 * ROUNDS);
	PRAGMA_UNROLL
	for (int r = ROUNDS - 1; r >= 0; r--) {
		sc2000_rr(s, SC2000_MASK(r), t);
		sc2000_add_keys(s, k, 8 * r + 4);
		sc2000_b_inverse(s);
		sc2000_add_keys(s, k, 8 * r);
	}
}
