/*
 * Camellia for one block (RFC 3713), state in big-endian words: s[0] s[1] is the left half D1.
 * Table look-ups: not constant-time.
 *
 * TABLE_FORM 4: four tables of S-box outputs spread to the bytes that P sends them to.
 * TABLE_FORM 1: one table of s1 | s2 << 8 | s3 << 16 | s4 << 24, spread after the look-up.
 *
 * Round keys in order of use: kw, then six rounds, then ke for FL and FL⁻¹, six rounds, …, kw.
 */
#define CIPHER_ORDER(x)    SWAP_BYTES(x)
#define FROM_BIG_ENDIAN(x) (x)

#if TABLE_FORM == 4
#define SP1110(t, w, n) LOOKUP(t, 0, w, 8 * n, 8)
#define SP0222(t, w, n) LOOKUP(t, 256, w, 8 * n, 8)
#define SP3033(t, w, n) LOOKUP(t, 512, w, 8 * n, 8)
#define SP4404(t, w, n) LOOKUP(t, 768, w, 8 * n, 8)
#else
#define SP1110(t, w, n) spread_byte(LOOKUP(t, 0, w, 8 * n, 8), 0, 0x01010100u)
#define SP0222(t, w, n) spread_byte(LOOKUP(t, 0, w, 8 * n, 8), 1, 0x00010101u)
#define SP3033(t, w, n) spread_byte(LOOKUP(t, 0, w, 8 * n, 8), 2, 0x01000101u)
#define SP4404(t, w, n) spread_byte(LOOKUP(t, 0, w, 8 * n, 8), 3, 0x01010001u)
#endif

/* (y0, y1) ^= F((x0, x1), k[i], k[i + 1]): section 2.4.1. */
INLINE void camellia_round(word *y0, word *y1, word x0, word x1, keys k, int i, tables t)
{
	word l = x0 ^ KEY(k, i), r = x1 ^ KEY(k, i + 1);
	word u = SP1110(t, r, 0) ^ SP0222(t, r, 3) ^ SP3033(t, r, 2) ^ SP4404(t, r, 1);
	word v = SP1110(t, l, 3) ^ SP0222(t, l, 2) ^ SP3033(t, l, 1) ^ SP4404(t, l, 0);

	u ^= v;
	v = ROTATE_LEFT(v, 24) ^ u;
	*y0 ^= u;
	*y1 ^= v;
}

/* An even number of rounds. */
INLINE void camellia_rounds(word s[4], int rounds, keys k, int i, tables t)
{
	PRAGMA_UNROLL
	for (int r = 0; r < 2 * rounds; r += 4) {
		camellia_round(&s[2], &s[3], s[0], s[1], k, i + r, t);
		camellia_round(&s[0], &s[1], s[2], s[3], k, i + r + 2, t);
	}
}

/* FL on the left half, FL⁻¹ on the right one: sections 2.4.2 and 2.4.3. */
INLINE void camellia_fl(word s[4], keys k, int i)
{
	word a = s[0] & KEY(k, i), d;

	s[1] ^= ROTATE_LEFT(a, 1);
	s[0] ^= s[1] | KEY(k, i + 1);
	s[2] ^= s[3] | KEY(k, i + 3);
	d = s[2] & KEY(k, i + 2);
	s[3] ^= ROTATE_LEFT(d, 1);
}

INLINE void camellia_whiten(word s[4], keys k, int i)
{
	s[0] ^= KEY(k, i);
	s[1] ^= KEY(k, i + 1);
	s[2] ^= KEY(k, i + 2);
	s[3] ^= KEY(k, i + 3);
}

/* The rounds after the first six. */
INLINE void camellia_finish(word s[4], keys k, tables t)
{
	word l0, l1;

	PRAGMA_UNROLL
	for (int r = 1; r < ROUNDS / 6; r++) {
		camellia_fl(s, k, 16 * r);
		camellia_rounds(s, 6, k, 16 * r + 4, t);
	}
	l0 = s[0], l1 = s[1];
	s[0] = s[2], s[1] = s[3];
	s[2] = l0, s[3] = l1;
	camellia_whiten(s, k, 16 * (ROUNDS / 6));
}

INLINE void encrypt_block(word s[4], keys k, tables t)
{
	camellia_whiten(s, k, 0);
	camellia_rounds(s, 6, k, 4, t);
	camellia_finish(s, k, t);
}

/* The same with the round keys in reverse order (section 2.3.3). */
INLINE void decrypt_block(word s[4], keys k, tables t)
{
	encrypt_block(s, k, t);
}
