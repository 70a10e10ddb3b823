/*
 * The kernel: one work-item a block (slice.cl and ctr_cached.cl: several), tables and round keys placed by table.cl,
 * the state in registers, and a loop over the grid, so that one launch covers any size.
 */
#ifndef ITEM_BLOCK
#define ITEM_BLOCK(item) (item)
#endif
#ifndef FIRST_ITEM
#define FIRST_ITEM get_global_id(0)
#endif
#ifndef GRID_BLOCKS
#define GRID_BLOCKS(span) ((span)->n_blocks)
#endif
#define GRID_LOOP(i, n) \
	for (block_number item = FIRST_ITEM, i; (i = ITEM_BLOCK(item)) < (n); item += get_global_size(0))

/* With -DTWEAKS the first pass of XTS, under the second key: each block of the grid is a data unit's number. */
#ifdef TWEAKS
#define CRYPT_ITEM(i) tweak_block(out, i, &span, k, t)
#else
#define CRYPT_ITEM(i) crypt_block(in, out, i, &span, k, t)
#endif

__kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1))) void crypt(
        CRYPT_ARGUMENTS(FIRST_ARGUMENT, NEXT_ARGUMENT))
{
	struct span span = { n_blocks, first_block, high, low, step, unit_log2, tweaks };
	PLACE_TABLE(t, table_argument);
	PLACE_KEYS(k, key_argument);

	barrier(CLK_LOCAL_MEM_FENCE);
	OPEN_TABLE(t);
	GRID_LOOP(i, GRID_BLOCKS(&span))
	CRYPT_ITEM(i);
	CLEAR_KEYS(k);
}
