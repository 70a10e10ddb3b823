/*
 * SC2000 of counters that differ in the last byte only (ctr_cached.cl).  B works bit by bit: before R
 * each bit of that byte changes its own bit, as cached[4] to [7] say, and the fields above have the same
 * entries for all.  Behind sc2000.cl.
 */
#define CACHED_WORDS 8

INLINE void cache_counters(word cached[CACHED_WORDS], word s[4], keys k, tables t)
{
	for (int i = 0; i < 4; i++)
		cached[i] = s[i];
	s[3] |= 0xffu;
	sc2000_ibi(s, k, 0);
	sc2000_ibi(cached, k, 0);
	for (int i = 0; i < 4; i++)
		cached[4 + i] = cached[i] ^ s[i];
	sc2000_l(&cached[0], &cached[1], sc2000_sm_high(t, cached[2]), sc2000_sm_high(t, cached[3]), SC2000_MASK(0));
}

INLINE void encrypt_counter(word s[4], word low, const word cached[CACHED_WORDS], keys k, tables t)
{
	for (int i = 0; i < 4; i++)
		s[i] = cached[i] ^ (low & cached[4 + i]);
	sc2000_l(&s[0], &s[1], sc2000_sm_low(t, s[2]), sc2000_sm_low(t, s[3]), SC2000_MASK(0));
	sc2000_second_r(s, SC2000_MASK(0), t);
	sc2000_rounds_from(s, 1, k, t);
}
