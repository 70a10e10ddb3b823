/* Tweaks of XTS (IEEE 1619-2007): words in memory order, w[0] holds the lowest coefficients. */

/* w = w · α^32: the top word comes back times α^7 + α^2 + α + 1. */
INLINE void tweak_shift_word(word w[4])
{
	word top = w[3];

	w[3] = w[2];
	w[2] = w[1];
	w[1] = w[0] ^ (top >> 31) ^ (top >> 30) ^ (top >> 25);
	w[0] = top ^ (top << 1) ^ (top << 2) ^ (top << 7);
}

/* w = w · α^j (section 5.2), 0 ≤ j ≤ 256. */
INLINE void tweak_advance(word w[4], word j)
{
	word n = j & 31, top;

	for (word q = j >> 5; q > 0; q--)
		tweak_shift_word(w);
	top = (w[3] >> 1) >> (31 - n);
	w[3] = (w[3] << n) | ((w[2] >> 1) >> (31 - n));
	w[2] = (w[2] << n) | ((w[1] >> 1) >> (31 - n));
	w[1] = (w[1] << n) | ((w[0] >> 1) >> (31 - n));
	w[0] <<= n;
	w[1] ^= (top >> 31) ^ (top >> 30) ^ (top >> 25);
	w[0] ^= top ^ (top << 1) ^ (top << 2) ^ (top << 7);
}

/* The tweak of block j of a unit whose encrypted number is e. */
INLINE void tweak_of_block(word w[4], block e, word j)
{
	w[0] = e.x, w[1] = e.y, w[2] = e.z, w[3] = e.w;
	tweak_advance(w, j);
}

/* Ones in the first n bytes of the four words at byte 4·i. */
INLINE word first_bytes(word n, word i)
{
	return n <= 4 * i ? 0u : n >= 4 * i + 4 ? ~0u : (1u << (8 * (n - 4 * i))) - 1u;
}
