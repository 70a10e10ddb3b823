/*
 * ARIA of counters that differ in the last byte only (ctr_cached.cl): it selects one look-up of the first
 * round, and the other fifteen are shared.  Behind aria.cl.
 */
#define CACHED_WORDS 5

INLINE void cache_counters(word cached[CACHED_WORDS], word s[4], keys k, tables t)
{
	aria_add_round_key(s, k, 0);
	cached[0] = aria_odd(s[0], t);
	cached[1] = aria_odd(s[1], t);
	cached[2] = aria_odd(s[2], t);
	cached[3] = ARIA_S1(t, s[3], 3) ^ ARIA_S2(t, s[3], 2) ^ ARIA_X1(t, s[3], 1);
	cached[4] = s[3];
}

INLINE void encrypt_counter(word s[4], word low, const word cached[CACHED_WORDS], keys k, tables t)
{
	s[0] = cached[0];
	s[1] = cached[1];
	s[2] = cached[2];
	s[3] = cached[3] ^ ARIA_X2(t, cached[4] ^ low, 0);
	aria_finish(s, k, t);
}
