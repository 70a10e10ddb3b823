/* XTS: IEEE 1619-2007; the first pass has encrypted the numbers of data units. */

/* One data unit's tweaks: a work-item of the first pass. */
INLINE void tweak_block(GLOBAL block *tweaks, block_number unit, const struct span *span, keys k, tables t)
{
	block n = unit_number(span, unit);
	word s[4] = { CIPHER_ORDER(n.x), CIPHER_ORDER(n.y), CIPHER_ORDER(n.z), CIPHER_ORDER(n.w) };

	encrypt_block(s, k, t);
	for (word q = 0; q < 4; q++)
		s[q] = CIPHER_ORDER(s[q]);
	store_tweaks(tweaks, unit, span, s);
}

/* Section 5.3.1: w is the tweak. */
INLINE block xts_crypt(block p, const word w[4], const struct span *span, keys k, tables t)
{
	word s[4] = { CIPHER_ORDER(p.x ^ w[0]), CIPHER_ORDER(p.y ^ w[1]), CIPHER_ORDER(p.z ^ w[2]),
		CIPHER_ORDER(p.w ^ w[3]) };

	CRYPT(span, s, k, t);
	return BLOCK(CIPHER_ORDER(s[0]) ^ w[0], CIPHER_ORDER(s[1]) ^ w[1], CIPHER_ORDER(s[2]) ^ w[2],
	        CIPHER_ORDER(s[3]) ^ w[3]);
}

/* A block that ciphertext stealing does not change: the loop over the grid. */
#define GRID_BLOCKS(span) ((span)->n_blocks - ((span)->tail_bytes != 0))

INLINE void crypt_block(
        GLOBAL const block *in, GLOBAL block *out, block_number i, const struct span *span, keys k, tables t)
{
	word w[4];

	tweak_of_block(w, span, i);
	out[i] = xts_crypt(in[i], w, span, k, t);
}

/* Ciphertext stealing (sections 5.3.2 and 5.4.2): block i is the last whole one, i + 1 has n bytes.
 * Decryption takes the two tweaks in the other order. */
INLINE void xts_steal(
        GLOBAL const block *in, GLOBAL block *out, block_number i, const struct span *span, keys k, tables t)
{
	word n = span->tail_bytes, w[4], m[4];
	block tail = in[i + 1], b = in[i];

	for (word q = 0; q < 4; q++)
		m[q] = first_bytes(n, q);
	PRAGMA_ROUNDS
	for (word turn = 0; turn < 2; turn++) {
		tweak_of_block(w, span, i + (turn == 0 ? DECRYPTS(span) : !DECRYPTS(span)));
		b = xts_crypt(b, w, span, k, t);
		if (turn == 0) {
			out[i + 1] = BLOCK(b.x & m[0], b.y & m[1], b.z & m[2], b.w & m[3]);
			b = BLOCK((tail.x & m[0]) | (b.x & ~m[0]), (tail.y & m[1]) | (b.y & ~m[1]),
			        (tail.z & m[2]) | (b.z & ~m[2]), (tail.w & m[3]) | (b.w & ~m[3]));
		}
	}
	out[i] = b;
}

/* After the loop, once. */
INLINE void crypt_rest(GLOBAL const block *in, GLOBAL block *out, const struct span *span, keys k, tables t)
{
	if (span->tail_bytes != 0)
		xts_steal(in, out, span->n_blocks - 1, span, k, t);
}
#define CRYPT_REST(in, out, span, k, t) crypt_rest(in, out, span, k, t)
