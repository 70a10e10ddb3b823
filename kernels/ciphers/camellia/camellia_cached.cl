/*
 * Camellia of counters that differ in the last byte only (ctr_cached.cl): round 1 leaves it as it is,
 * and in round 2 it selects one of eight look-ups, which SP1110 adds to both words.  Behind camellia.cl.
 */
#define CACHED_WORDS 5

INLINE void cache_counters(word cached[CACHED_WORDS], word s[4], keys k, tables t)
{
	word u;

	camellia_whiten(s, k, 0);
	camellia_round(&s[2], &s[3], s[0], s[1], k, 4, t);
	cached[2] = s[2];
	cached[3] = s[3];
	cached[4] = s[3] ^ KEY(k, 7);
	camellia_round(&s[0], &s[1], s[2], s[3], k, 6, t);
	u = SP1110(t, cached[4], 0);
	cached[0] = s[0] ^ u;
	cached[1] = s[1] ^ u;
}

INLINE void encrypt_counter(word s[4], word low, const word cached[CACHED_WORDS], keys k, tables t)
{
	word u = SP1110(t, cached[4] ^ low, 0);

	s[0] = cached[0] ^ u;
	s[1] = cached[1] ^ u;
	s[2] = cached[2];
	s[3] = cached[3] ^ low;
	camellia_rounds(s, 4, k, 8, t);
	camellia_finish(s, k, t);
}
