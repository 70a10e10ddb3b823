/*
 * AES of counters that differ in byte 15 only (ctr_cached.cl): round 1 takes that byte into column 0
 * alone, and round 2 each byte of column 0 into another column, so of two rounds 5 look-ups differ.
 * Behind aes.cl.
 */
#define CACHED_WORDS 6

INLINE void cache_counters(word cached[CACHED_WORDS], word s[4], keys k, tables t)
{
	word a, b, c, d;

	aes_add_round_key(s, k, 0);
	a = s[0], b = s[1], c = s[2], d = s[3];
	cached[4] = d;
	cached[5] = T(t, 0, a) ^ T(t, 1, b) ^ T(t, 2, c) ^ KEY(k, 4);
	s[1] = AES_COLUMN(t, b, c, d, a) ^ KEY(k, 5);
	s[2] = AES_COLUMN(t, c, d, a, b) ^ KEY(k, 6);
	s[3] = AES_COLUMN(t, d, a, b, c) ^ KEY(k, 7);
	b = s[1], c = s[2], d = s[3];
	cached[0] = T(t, 1, b) ^ T(t, 2, c) ^ T(t, 3, d) ^ KEY(k, 8);
	cached[1] = T(t, 0, b) ^ T(t, 1, c) ^ T(t, 2, d) ^ KEY(k, 9);
	cached[2] = T(t, 0, c) ^ T(t, 1, d) ^ T(t, 3, b) ^ KEY(k, 10);
	cached[3] = T(t, 0, d) ^ T(t, 2, b) ^ T(t, 3, c) ^ KEY(k, 11);
}

INLINE void encrypt_counter(word s[4], word low, const word cached[CACHED_WORDS], keys k, tables t)
{
	word a = cached[5] ^ T(t, 3, cached[4] ^ low);

	s[0] = cached[0] ^ T(t, 0, a);
	s[1] = cached[1] ^ T(t, 3, a);
	s[2] = cached[2] ^ T(t, 2, a);
	s[3] = cached[3] ^ T(t, 1, a);
	aes_rounds_from(s, 3, k, t);
}
