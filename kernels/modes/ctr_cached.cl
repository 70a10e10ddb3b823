/*
 * CTR (NIST SP 800-38A section 6.5) with the common part of neighbouring counters computed once.  The
 * 256 counters of an aligned group differ in their last byte only; a work-item encrypts COUNTERS of
 * them, a power of 2, and its neighbours those in between.
 *
 * Block numbers start at the first counter of the group in which the buffer starts: a block's index in the buffer
 * is smaller by the counters of that group before the buffer.
 */
#define GROUP_COUNTERS 256
#define GROUP_ITEMS    (GROUP_COUNTERS / COUNTERS)

#define LACKING(span)     (NUMBER_LOW(span, (span)->first_block) % GROUP_COUNTERS)
#define GRID_BLOCKS(span) ((span)->n_blocks + LACKING(span))
#define ITEM_BLOCK(item)  ((item) / GROUP_ITEMS * GROUP_COUNTERS + (item) % GROUP_ITEMS)

/* Neighbouring groups of counters go to different work-groups, so that all of them have as much work in the last pass
 * over the grid. */
#if GROUP_ITEMS > 1 && WORK_ITEMS % GROUP_ITEMS == 0
#define FIRST_ITEM                                                                             \
	((get_local_id(0) / GROUP_ITEMS * get_num_groups(0) + get_group_id(0)) * GROUP_ITEMS + \
	        get_local_id(0) % GROUP_ITEMS)
#endif

/* One block; last: the counter's last byte. */
INLINE void counter_block(
        GLOBAL const block *in, GLOBAL block *out, word last, const word cached[CACHED_WORDS], keys k, tables t)
{
	block p = *in;
	word s[4];

	encrypt_counter(s, FROM_BIG_ENDIAN(last), cached, k, t);
	*out = BLOCK(
	        p.x ^ CIPHER_ORDER(s[0]), p.y ^ CIPHER_ORDER(s[1]), p.z ^ CIPHER_ORDER(s[2]), p.w ^ CIPHER_ORDER(s[3]));
}

/* The common part of the group whose first counter is high:low. */
INLINE void cache_group(word cached[CACHED_WORDS], block_number high, block_number low, keys k, tables t)
{
	word s[4] = { FROM_BIG_ENDIAN((word)(high >> 32)), FROM_BIG_ENDIAN((word)high),
		FROM_BIG_ENDIAN((word)(low >> 32)), FROM_BIG_ENDIAN((word)low) };

	cache_counters(cached, s, k, t);
}

/* The work-item's blocks; i is the number of the first one, which may lie before the buffer. */
INLINE void crypt_block(
        GLOBAL const block *in, GLOBAL block *out, block_number i, const struct span *span, keys k, tables t)
{
	word last = (word)i % GROUP_COUNTERS, lacking = (word)LACKING(span);
	block_number first = i - last, left = GRID_BLOCKS(span) - first;
	/* From the group's last counter, since the stream may start at the buffer's first one. */
	block_number n = span->first_block + (first + GROUP_COUNTERS - 1 - lacking);
	block_number low = NUMBER_LOW(span, n) - (GROUP_COUNTERS - 1);
	word end = left < GROUP_COUNTERS ? (word)left : GROUP_COUNTERS;
	word cached[CACHED_WORDS];

	cache_group(cached, NUMBER_HIGH(span, n), low, k, t);
	while (first == 0 && last < lacking)
		last += GROUP_ITEMS;
	i = first + last - lacking;
	for (; last < end; last += GROUP_ITEMS, i += GROUP_ITEMS)
		counter_block(in + i, out + i, last, cached, k, t);
}
