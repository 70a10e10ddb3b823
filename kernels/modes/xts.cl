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

/* Section 5.3.1; the host steals ciphertext: gpucrypt/crypto/cipher.c. */
INLINE void crypt_block(
        GLOBAL const block *in, GLOBAL block *out, block_number i, const struct span *span, keys k, tables t)
{
	word w[4];
	block p = in[i];

	tweak_of_block(w, span, i);
	word s[4] = { CIPHER_ORDER(p.x ^ w[0]), CIPHER_ORDER(p.y ^ w[1]), CIPHER_ORDER(p.z ^ w[2]),
		CIPHER_ORDER(p.w ^ w[3]) };
	CRYPT(span, s, k, t);
	out[i] = BLOCK(CIPHER_ORDER(s[0]) ^ w[0], CIPHER_ORDER(s[1]) ^ w[1], CIPHER_ORDER(s[2]) ^ w[2],
	        CIPHER_ORDER(s[3]) ^ w[3]);
}
