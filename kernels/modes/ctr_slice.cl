/* CTR, bitsliced: NIST SP 800-38A section 6.5; the counter is a 128-bit big-endian number that wraps. */

/* The slice of bit b of the counter. */
#define COUNTER(s, b) (s)[8 * (15 - (b) / 8) + (b) % 8]

/* Bit b of a block's distance from the first block of the work-item: its column, then its row. */
INLINE void distance_bit(slice *d, int b)
{
	const word rows[5] = { 0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u, 0xffff0000u };

	if (1 << b < SLICE_WORDS)
		*d = SPLAT(0) - ((SPLAT(0) + COLUMN) >> b & 1u);
	else
		*d = SPLAT(1 << b < ROW_BLOCKS ? 0 : rows[b - ROW_BLOCKS_LOG2]);
}

/* Counters from high:low on, added bit by bit; what lies above the lowest word rarely changes. */
INLINE void count(slice s[128], block_number high, block_number low)
{
	slice carry = SPLAT(0);

	PRAGMA_FULL
	for (int b = 0; b < 32; b++) {
		slice n = BIT_SLICE((word)low, b), d = SPLAT(0), sum;

		if (b < ROW_BLOCKS_LOG2 + 5)
			distance_bit(&d, b);
		sum = n ^ d;
		COUNTER(s, b) = sum ^ carry;
		carry = (n & d) | (sum & carry);
	}
	PRAGMA_FULL
	for (int b = 32; b < 128; b++)
		COUNTER(s, b) = BIT_SLICE((word)((b < 64 ? low : high) >> (b & 32)), b & 31);
	if ((word)low < ~0u - SLICE_BLOCKS * SLICE_ITEMS)
		return;
	PRAGMA_FULL
	for (int b = 32; b < 128; b++) {
		slice n = COUNTER(s, b);

		COUNTER(s, b) = n ^ carry;
		carry &= n;
	}
}

INLINE void crypt_block(
        GLOBAL const block *in, GLOBAL block *out, block_number i, const struct span *span, keys k, tables t)
{
	block_number n = span->first_block + i;
	slice s[128], v[ROWS][4];

	(void)t;
	count(s, NUMBER_HIGH(span, n), NUMBER_LOW(span, n));
	CRYPT_SLICES(span, s, k);
	transpose(s);
	PRAGMA_UNROLL
	for (int j = 0; j < 32; j += ROWS) {
		PRAGMA_UNROLL
		for (int r = 0; r < ROWS; r++)
			load_row(v[r], in, i + (word)((j + r) * ROW_BLOCKS), span->n_blocks);
		PRAGMA_UNROLL
		for (int r = 0; r < ROWS; r++) {
			add_row(v[r], s, j + r);
			store_row(out, i + (word)((j + r) * ROW_BLOCKS), span->n_blocks, v[r]);
		}
	}
}
