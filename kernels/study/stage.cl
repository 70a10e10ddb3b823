/*
 * Camellia's design stages as kernels of the policy, in the mode ECB: stands behind a pattern of
 * examples/ciphers/, which the code analysis reads too, and before grid.cl.
 */
INLINE void crypt_block(
        GLOBAL const block *in, GLOBAL block *out, block_number i, const struct span *span, keys k, tables t)
{
	block p = in[i];
	word s[4] = { SWAP_BYTES(p.x), SWAP_BYTES(p.y), SWAP_BYTES(p.z), SWAP_BYTES(p.w) };

	(void)span;
	encrypt_block(s, k, t);
	out[i] = BLOCK(PLANTED(SWAP_BYTES(s[0])), SWAP_BYTES(s[1]), SWAP_BYTES(s[2]), SWAP_BYTES(s[3]));
}
