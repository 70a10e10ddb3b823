/* Camellia's design stages as kernels of the policy, in the mode ECB.  This file is compiled after a pattern of
 * examples/ciphers/, which the code analysis reads too. */
INLINE void stage_block(GLOBAL const block *in, GLOBAL block *out, ulong i, keys k, tables t)
{
	block p = in[i];
	word s[4] = { SWAP_BYTES(p.x), SWAP_BYTES(p.y), SWAP_BYTES(p.z), SWAP_BYTES(p.w) };

	encrypt_block(s, k, t);
	out[i] = BLOCK(PLANTED(SWAP_BYTES(s[0])), SWAP_BYTES(s[1]), SWAP_BYTES(s[2]), SWAP_BYTES(s[3]));
}

__kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1))) void stage(GLOBAL const block *in, GLOBAL block *out,
        ulong n_blocks, KEYS_ARGUMENT key_argument, TABLE_ARGUMENT table_argument)
{
	PLACE_TABLE(t, table_argument);
	PLACE_KEYS(k, key_argument);

	barrier(CLK_LOCAL_MEM_FENCE);
	OPEN_TABLE(t);
	for (ulong i = get_global_id(0); i < n_blocks; i += get_global_size(0))
		stage_block(in, out, i, k, t);
}
