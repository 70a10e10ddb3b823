/* XTS: IEEE 1619-2007; the tweaks' pass has encrypted the unit numbers. */

/* One unit's tweaks: the work-item of the pre-pass. */
INLINE void tweak_block(GLOBAL block *tweaks, block_number unit, const struct span *span, keys k,
	tables t)
{
	block n = unit_number(span, unit);
	word s[4] = { CIPHER_ORDER(n.x), CIPHER_ORDER(n.y), CIPHER_ORDER(n.z), CIPHER_ORDER(n.w) };

	encrypt_block(s, k, t);
	for (word q = 0; q < 4; q++)
		s[q] = CIPHER_ORDER(s[q]);
	store_tweaks(tweaks, unit, span, s);
}

/* Section 5.3.1: w is the tweak. */
INLINE block xts_crypt(block p, const word w[4], const struct span *span, keys k,
	tables t)
{
	word s[4] = { CIPHER_ORDER(p.x ^ w[0]), CIPHER_ORDER(p.y ^ w[1]), CIPHER_ORDER(p.z ^ w[2]),
		CIPHER_ORDER(p.w ^ w[3]) };

	CRYPT(span, s, k, t);
	return BLOCK(CIPHER_ORDER(s[0]) ^ w[0], CIPHER_ORDER(s[1]) ^ w[1], CIPHER_ORDER(s[2]) ^ w[2],
		CIPHER_ORDER(s[3]) ^ w[3]);
}

/* A block of a unit whose length is a multiple of 16, or one that stealing leaves alone. */
INLINE void whole_block(GLOBAL const block *in, GLOBAL block *out, block_number i,
	const struct span *span, keys k, tables t)
{
	word w[4];

	tweak_of_block(w, span, i);
	out[i] = xts_crypt(in[i], w, span, k, t);
}

/* Ciphertext stealing (section 5.3.2, 5.4.2): block i is the last whole one, i + 1 has n bytes.
 * Decryption takes the two tweaks in the other order. */
INLINE void xts_steal(GLOBAL const block *in, GLOBAL block *out, block_number i,
	const struct span *span, keys k, tables t)
{
	word n = span->tail_bytes, w[4], m[4];
	block tail = in[i + 1], full;

	tweak_of_block(w, span, i + DECRYPTS(span));
	full = xts_crypt(in[i], w, span, k, t);
	for (word q = 0; q < 4; q++)
		m[q] = first_bytes(n, q);
	out[i + 1] = BLOCK(full.x & m[0], full.y & m[1], full.z & m[2], full.w & m[3]);
	full = BLOCK((tail.x & m[0]) | (full.x & ~m[0]), (tail.y & m[1]) | (full.y & ~m[1]),
		(tail.z & m[2]) | (full.z & ~m[2]), (tail.w & m[3]) | (full.w & ~m[3]));
	tweak_of_block(w, span, i + !DECRYPTS(span));
	out[i] = xts_crypt(full, w, span, k, t);
}

INLINE void crypt_block(GLOBAL const block *in, GLOBAL block *out, block_number i,
	const struct span *span, keys k, tables t)
{
	if (span->tail_bytes != 0 && i + 1 == span->n_blocks) {
		xts_steal(in, out, i, span, k, t);
		return;
	}
	whole_block(in, out, i, span, k, t);
}
