/* CTR: NIST SP 800-38A section 6.5; the counter is a 128-bit big-endian number that wraps. */
INLINE void crypt_block(
        GLOBAL const block *in, GLOBAL block *out, block_number i, const struct span *span, keys k, tables t)
{
	block_number n = span->first_block + i;
	block_number high = NUMBER_HIGH(span, n), low = NUMBER_LOW(span, n);
	word s[4] = { FROM_BIG_ENDIAN((word)(high >> 32)), FROM_BIG_ENDIAN((word)high),
		FROM_BIG_ENDIAN((word)(low >> 32)), FROM_BIG_ENDIAN((word)low) };
	block p = in[i];

	CRYPT(span, s, k, t);
	out[i] = BLOCK(
	        p.x ^ CIPHER_ORDER(s[0]), p.y ^ CIPHER_ORDER(s[1]), p.z ^ CIPHER_ORDER(s[2]), p.w ^ CIPHER_ORDER(s[3]));
}
