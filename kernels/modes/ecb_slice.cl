/* ECB, bitsliced: NIST SP 800-38A section 6.1. */
INLINE void crypt_block(
        GLOBAL const block *in, GLOBAL block *out, block_number i, const struct span *span, keys k, tables t)
{
	slice s[128];

	(void)t;
	load_slices(s, in, i, span->n_blocks);
	CRYPT_SLICES(span, s, k);
	store_slices(out, i, span->n_blocks, s);
}
