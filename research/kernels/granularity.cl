/*
 * AES encryption in ECB (FIPS 197) with a block divided among work-items, and its state in registers
 * or in local memory: chapter 4 of the dissertation.  Behind word.cl, table.cl and aes.cl.
 *
 * ITEM_BYTES  16, 8, 4 or 1 bytes of a block for each work-item.
 * STATE_AOS   the state in local memory, block after block (array of structures);
 * STATE_SOA   the same words (of 1 byte a work-item: bytes) of all blocks together;
 * neither     in registers, which only a work-item that has a whole block can do.
 *
 * Work-items that share a block meet at a barrier once a round: the state has two places that are
 * read and written in turn, so that nobody waits for those who still read.
 */
#define BLOCK_ITEMS  (16 / ITEM_BYTES)
#define GROUP_BLOCKS (WORK_ITEMS / BLOCK_ITEMS)

#if ITEM_BYTES == 1
typedef uchar part; /* what a work-item has of the state, and how many of them */
#define ITEM_PARTS  1
#define BLOCK_PARTS 16
#else
typedef uint part;
#define ITEM_PARTS  (ITEM_BYTES / 4)
#define BLOCK_PARTS 4
#endif

/* Always unrolled: the parts are registers. */
#define EACH_PART(i) _Pragma("unroll") for (uint i = 0; i < ITEM_PARTS; i++)

#if ITEM_BYTES == 16
/* Nobody else looks at it: without volatile it would stay in registers. */
typedef volatile __local part *state;
#define PLACES 1
#define EXCHANGE()
#else
typedef __local part *state;
#define PLACES     2
#define EXCHANGE() barrier(CLK_LOCAL_MEM_FENCE)
#endif

#ifdef STATE_SOA
#define STATE(s, b, i) ((s)[(i)*GROUP_BLOCKS + (b)])
#else
#define STATE(s, b, i) ((s)[BLOCK_PARTS * (b) + (i)])
#endif
#define PLACE(s, round) ((s) + (round) % PLACES * (BLOCK_PARTS * GROUP_BLOCKS))

#if ITEM_BYTES == 1
/* Byte r of column c: of each of the four entries one byte is used. */
#define SOURCE(s, b, i, n) ((word)STATE(s, b, (4 * ((i) / 4 + (n)) + (n)) % 16))
#define ENTRY(t, n, w)     LOOKUP(t, 256 * (n), w, 0, 8)
#define KEY_PART(k, r, i)  (part)(KEY(k, 4 * (r) + (i) / 4) >> (8 * ((i) % 4)))

INLINE part inner_part(state s, uint b, uint i, tables t)
{
	word column = ENTRY(t, 0, SOURCE(s, b, i, 0)) ^ ENTRY(t, 1, SOURCE(s, b, i, 1)) ^
	              ENTRY(t, 2, SOURCE(s, b, i, 2)) ^ ENTRY(t, 3, SOURCE(s, b, i, 3));

	return (part)(column >> (8 * (i % 4)));
}

/* S is byte 1 of an entry of table 0. */
INLINE part last_part(state s, uint b, uint i, tables t)
{
	return (part)(ENTRY(t, 0, (word)STATE(s, b, (4 * (i / 4 + i % 4) + i % 4) % 16)) >> 8);
}
#else
#define SOURCE(s, b, i, n) STATE(s, b, ((i) + (n)) % 4)
#define KEY_PART(k, r, i)  KEY(k, 4 * (r) + (i))

INLINE part inner_part(state s, uint b, uint i, tables t)
{
	return AES_COLUMN(t, SOURCE(s, b, i, 0), SOURCE(s, b, i, 1), SOURCE(s, b, i, 2), SOURCE(s, b, i, 3));
}

INLINE part last_part(state s, uint b, uint i, tables t)
{
	return aes_last_column(t, SOURCE(s, b, i, 0), SOURCE(s, b, i, 1), SOURCE(s, b, i, 2), SOURCE(s, b, i, 3));
}
#endif

/* The parts own[] of block b, from part `first` on; all work-items of the group come here. */
INLINE void encrypt_parts(part own[ITEM_PARTS], state s, uint b, uint first, keys k, tables t)
{
	EACH_PART(i)
	STATE(PLACE(s, 0), b, first + i) = own[i] ^ KEY_PART(k, 0, first + i);
	EXCHANGE();
	PRAGMA_UNROLL
	for (uint r = 1; r < ROUNDS; r++) {
		EACH_PART(i)
		own[i] = inner_part(PLACE(s, r - 1), b, first + i, t) ^ KEY_PART(k, r, first + i);
		EACH_PART(i)
		STATE(PLACE(s, r), b, first + i) = own[i];
		EXCHANGE();
	}
	EACH_PART(i)
	own[i] = last_part(PLACE(s, ROUNDS - 1), b, first + i, t) ^ KEY_PART(k, ROUNDS, first + i);
}

__kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1))) void encrypt(GLOBAL const part *in, GLOBAL part *out,
        ulong n_blocks, KEYS_ARGUMENT key_argument, TABLE_ARGUMENT table_argument)
{
	uint b = get_local_id(0) / BLOCK_ITEMS, first = get_local_id(0) % BLOCK_ITEMS * ITEM_PARTS;
#if defined STATE_AOS || defined STATE_SOA
	__local part s[PLACES * BLOCK_PARTS * GROUP_BLOCKS];
#endif
	PLACE_TABLE(t, table_argument);
	PLACE_KEYS(k, key_argument);

	barrier(CLK_LOCAL_MEM_FENCE);
	OPEN_TABLE(t);
	/* The same number of times for all work-items of the group. */
	for (ulong base = get_group_id(0) * GROUP_BLOCKS; base < n_blocks; base += get_num_groups(0) * GROUP_BLOCKS) {
		ulong at = BLOCK_PARTS * (base + b) + first;
		part own[ITEM_PARTS];

		EACH_PART(i)
		own[i] = base + b < n_blocks ? in[at + i] : 0;
#if defined STATE_AOS || defined STATE_SOA
		encrypt_parts(own, s, b, first, k, t);
#else
		encrypt_block(own, k, t);
#endif
		EACH_PART(i)
		if (base + b < n_blocks)
			out[at + i] = (part)PLANTED(own[i]);
	}
}
