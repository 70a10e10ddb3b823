/*
 * Tweaks of XTS (IEEE 1619-2007): words in memory order, w[0] holds the lowest coefficients.  The
 * first pass stores one for every 2^TWEAK_LOG2 blocks, that of the first block.
 */

/* w = w · α^32: the top word comes back times α^7 + α^2 + α + 1. */
INLINE void tweak_shift_word(word w[4])
{
	word top = w[3];

	w[3] = w[2];
	w[2] = w[1];
	w[1] = w[0] ^ (top >> 31) ^ (top >> 30) ^ (top >> 25);
	w[0] = top ^ (top << 1) ^ (top << 2) ^ (top << 7);
}

/* w = e · α^n (section 5.2), 0 ≤ n ≤ 31: top has less than 32 bits, so its α^31 is zero. */
INLINE void tweak_shift(word w[4], block e, word n)
{
	word top = funnel_left(0, e.w, n);

	w[3] = funnel_left(e.w, e.z, n);
	w[2] = funnel_left(e.z, e.y, n);
	w[1] = funnel_left(e.y, e.x, n) ^ (top >> 30) ^ (top >> 25);
	w[0] = (e.x << n) ^ top ^ (top << 1) ^ (top << 2) ^ (top << 7);
}

/* The tweak of block i of the buffer. */
INLINE void tweak_of_block(word w[4], const struct span *span, block_number i)
{
	tweak_shift(w, span->tweaks[i >> TWEAK_LOG2], (word)i & ((1u << TWEAK_LOG2) - 1u));
}

/* The number of a data unit, in memory order. */
INLINE block unit_number(const struct span *span, block_number unit)
{
	block_number n = ((span->first_block >> span->unit_log2) + unit) * span->step;
	block_number high = NUMBER_HIGH(span, n), low = NUMBER_LOW(span, n);

	return BLOCK((word)low, (word)(low >> 32), (word)high, (word)(high >> 32));
}

/* Store a data unit's encrypted number, and the tweaks of every 2^TWEAK_LOG2 further blocks. */
INLINE void store_tweaks(GLOBAL block *tweaks, block_number unit, const struct span *span, word s[4])
{
	word n = 1u << (span->unit_log2 - TWEAK_LOG2);

	for (word i = 0; i < n; i++, tweak_shift_word(s))
		tweaks[unit * n + i] = BLOCK(s[0], s[1], s[2], s[3]);
}
