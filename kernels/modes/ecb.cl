/* ECB: NIST SP 800-38A section 6.1. */
INLINE void crypt_block(
        GLOBAL const block *in, GLOBAL block *out, block_number i, const struct span *span, keys k, tables t)
{
	block p = in[i];
	word s[4] = { CIPHER_ORDER(p.x), CIPHER_ORDER(p.y), CIPHER_ORDER(p.z), CIPHER_ORDER(p.w) };

	CRYPT(span, s, k, t);
	out[i] = BLOCK(CIPHER_ORDER(s[0]), CIPHER_ORDER(s[1]), CIPHER_ORDER(s[2]), CIPHER_ORDER(s[3]));
}
