/*
 * ECB (NIST SP 800-38A section 6.1) and XTS, bitsliced.  XTS defines TWEAK_ROW(w, span, i, j) before: the tweaks of row
 * j of the work-item whose first block is i.
 */
#ifndef TWEAK_ROW
#define TWEAK_ROW(w, span, i, j) (w)[0] = (w)[1] = (w)[2] = (w)[3] = SPLAT(0)
#endif

INLINE void crypt_block(
        GLOBAL const block *in, GLOBAL block *out, block_number i, const struct span *span, keys k, tables t)
{
	slice s[128], v[ROWS][4], w[4];

	(void)t;
	i = NOT_KEPT(i);
	PRAGMA_UNROLL
	for (int j = 0; j < 32; j++) {
		load_row(v[0], in, i + (word)(j * ROW_BLOCKS), span->n_blocks);
		TWEAK_ROW(w, span, i, j);
		v[0][0] ^= w[0], v[0][1] ^= w[1], v[0][2] ^= w[2], v[0][3] ^= w[3];
		put_row(s, j, v[0]);
	}
	transpose(s);
	CRYPT_SLICES(span, s, k);
	transpose(s);
	i = NOT_KEPT(i);
	PRAGMA_UNROLL
	for (int j = 0; j < 32; j += ROWS) {
		PRAGMA_UNROLL
		for (int r = 0; r < ROWS; r++) {
			TWEAK_ROW(v[r], span, i, j + r);
		}
		PRAGMA_UNROLL
		for (int r = 0; r < ROWS; r++) {
			add_row(v[r], s, j + r);
			store_row(out, i + (word)((j + r) * ROW_BLOCKS), span->n_blocks, v[r]);
		}
	}
}
