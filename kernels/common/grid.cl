/*
 * The kernels: one work-item a block (slice.cl and ctr_cached.cl: several), tables and round keys placed by table.cl,
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

#ifdef TWEAKS
/* The first pass of XTS: the number of every data unit, encrypted under the second key. */
__kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1))) void encrypt_tweaks(
        TWEAK_ARGUMENTS(FIRST_ARGUMENT, NEXT_ARGUMENT))
{
	struct span span = { n_units, first_block, high, low, step, unit_log2, tweaks };
	PLACE_TABLE(t, table_argument);
	PLACE_KEYS(k, key_argument);

	barrier(CLK_LOCAL_MEM_FENCE);
	OPEN_TABLE(t);
	GRID_LOOP(i, n_units)
	tweak_block(tweaks, i, &span, k, t);
	CLEAR_KEYS(k);
}

#else
__kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1))) void crypt(
        CRYPT_ARGUMENTS(FIRST_ARGUMENT, NEXT_ARGUMENT))
{
	struct span span = { n_blocks, first_block, high, low, step, unit_log2, tweaks };
	PLACE_TABLE(t, table_argument);
	PLACE_KEYS(k, key_argument);

	barrier(CLK_LOCAL_MEM_FENCE);
	OPEN_TABLE(t);
	GRID_LOOP(i, GRID_BLOCKS(&span))
	crypt_block(in, out, i, &span, k, t);
	CLEAR_KEYS(k);
}

#endif
