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
/* Two masks, and a shift for the fields that lie across bytes, leave each field alone in its byte. */
#define FIELDS(x) word a = 0xfc1ff83fu & (x), b = ((x) << 3) & 0x1f003e00u
#define SM_HIGH                                                                                         \
	(LOOKUP_ALONE(t, 0, a, 26, 6) ^ LOOKUP_ALONE(t, 64, b, 24, 5) ^ LOOKUP_ALONE(t, 96, a, 16, 5) ^ \
	        LOOKUP_ALONE(t, 128, a, 11, 5))
#define SM_LOW LOOKUP_ALONE(t, 160, b, 9, 5) ^ LOOKUP_ALONE(t, 192, a, 0, 6)
#else
#define FIELDS(x) word a = (x)
#if TABLE_FORM == 4
#define SM_HIGH (LOOKUP(t, 0, a, 26, 6) ^ LOOKUP(t, 64, a, 16, 10))
#define SM_LOW  LOOKUP(t, 1088, a, 6, 10) ^ LOOKUP(t, 2112, a, 0, 6)
#elif TABLE_FORM == 3
#define SM_HIGH (LOOKUP(t, 0, a, 21, 11) ^ LOOKUP(t, 2048, a, 11, 10))
#define SM_LOW  LOOKUP(t, 3072, a, 0, 11)
#else
#define SM_HIGH LOOKUP(t, 0, a, 16, 16)
#define SM_LOW  LOOKUP(t, 65536, a, 0, 16)
#endif
#endif

/* S and M of a word; of the fields that its low byte is in; and of those above. */
#define SM_FUNCTION(name, entries)         \
	INLINE word name(tables t, word x) \
	{                                  \
		FIELDS(x);                 \
		return entries;            \
	}
SM_FUNCTION(sc2000_sm, SM_HIGH ^ SM_LOW)
SM_FUNCTION(sc2000_sm_low, SM_LOW)
SM_FUNCTION(sc2000_sm_high, SM_HIGH)

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

/* R: (s0, s1) ^= F(s2, s3), which is L after S and M; then R on the other half: the involution R × R. */
INLINE void sc2000_l(word *a, word *b, word u, word v, word mask)
{
	*a ^= (u & mask) ^ v;
	*b ^= (v & ~mask) ^ u;
}

INLINE void sc2000_second_r(word s[4], word mask, tables t)
{
	word c = s[2], d = s[3];

	sc2000_l(&c, &d, sc2000_sm(t, s[0]), sc2000_sm(t, s[1]), mask);
	s[2] = s[0], s[3] = s[1];
	s[0] = c, s[1] = d;
}

INLINE void sc2000_rr(word s[4], word mask, tables t)
{
	sc2000_l(&s[0], &s[1], sc2000_sm(t, s[2]), sc2000_sm(t, s[3]), mask);
	sc2000_second_r(s, mask, t);
}

#define SC2000_MASK(round) ((1 & (round)) ? 0x33333333u : 0x55555555u)

/* I, B and I, before the R of each round and in the end. */
INLINE void sc2000_ibi(word s[4], keys k, int round)
{
	sc2000_add_keys(s, k, 8 * round);
	sc2000_b(s);
	sc2000_add_keys(s, k, 8 * round + 4);
}

INLINE void sc2000_rounds_from(word s[4], int first, keys k, tables t)
{
	PRAGMA_UNROLL
	for (int r = first; r < ROUNDS; r++) {
		sc2000_ibi(s, k, r);
		sc2000_rr(s, SC2000_MASK(r), t);
	}
	sc2000_ibi(s, k, ROUNDS);
}

INLINE void encrypt_block(word s[4], keys k, tables t)
{
	sc2000_rounds_from(s, 0, k, t);
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
