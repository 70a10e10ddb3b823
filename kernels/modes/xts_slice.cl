/* XTS, bitsliced: IEEE 1619-2007; the first pass has encrypted the numbers of data units.  Before ecb_slice.cl. */

/* Index of a data unit's encrypted number, which its further tweaks follow. */
#define UNIT_TWEAKS(span, u) ((u) << ((span)->unit_log2 - TWEAK_LOG2))

/* Data unit b of a work-item, in the order of rows and columns. */
#define UNIT_OF(unit, b) ((unit) + (word)((b) / SLICE_WORDS * ROW_BLOCKS + (b) % SLICE_WORDS))

/* The first pass, whose n_blocks counts data units.  Data units are taken one after the other in memory, by a loop: in
 * registers the compiler would unroll it, which takes most of the time to build. */
INLINE void tweak_block(GLOBAL block *tweaks, block_number unit, const struct span *span, keys k, tables t)
{
	block_number n = span->n_blocks;
	slice s[128], v[4];

	(void)t;
	PRAGMA_ROUNDS
	for (int b = 0; b < SLICE_BLOCKS && UNIT_OF(unit, b) < n; b++)
		tweaks[UNIT_TWEAKS(span, UNIT_OF(unit, b))] = unit_number(span, UNIT_OF(unit, b));
	PRAGMA_UNROLL
	for (int j = 0; j < 32; j++) {
		for (int c = 0; c < SLICE_WORDS; c++) {
			block_number u = UNIT_OF(unit, j * SLICE_WORDS + c);

			set_column(v, c, tweaks[UNIT_TWEAKS(span, u < n ? u : unit)]);
		}
		put_row(s, j, v);
	}
	transpose(s);
	encrypt_slices(s, NOT_KEPT(k));
	transpose(s);
	unit = NOT_KEPT(unit);
	PRAGMA_UNROLL
	for (int j = 0; j < 32; j++) {
		get_row(v, s, j);
		for (int c = 0; c < SLICE_WORDS; c++)
			if (UNIT_OF(unit, j * SLICE_WORDS + c) < n)
				tweaks[UNIT_TWEAKS(span, UNIT_OF(unit, j * SLICE_WORDS + c))] = get_column(v, c);
	}
	PRAGMA_ROUNDS
	for (int b = 0; b < SLICE_BLOCKS && UNIT_OF(unit, b) < n; b++) {
		block e = tweaks[UNIT_TWEAKS(span, UNIT_OF(unit, b))];
		word w[4] = { e.x, e.y, e.z, e.w };

		store_tweaks(tweaks, UNIT_OF(unit, b), span, w);
	}
}

/* The tweaks of row j of the work-item whose first block is i, as tweak_shift() in all columns.  Rows may lie
 * beyond the last block: there is memory for their tweaks, with anything in it (TWEAKS_SPARE). */
INLINE void tweak_row(slice w[4], const struct span *span, block_number i, int j)
{
	block e = span->tweaks[(i >> TWEAK_LOG2) + (word)(j * ROW_BLOCKS >> TWEAK_LOG2)];
	word first = ((word)i + (word)(j * ROW_BLOCKS)) & ((1u << TWEAK_LOG2) - 1u);
#if SLICE_WORDS == 1
	tweak_shift(w, e, first);
#else
	slice n = SPLAT(first) + COLUMN, m = 31u - n;
	slice top = SPLAT(e.w >> 1) >> m;

	w[3] = SPLAT(e.w) << n | SPLAT(e.z >> 1) >> m;
	w[2] = SPLAT(e.z) << n | SPLAT(e.y >> 1) >> m;
	w[1] = (SPLAT(e.y) << n | SPLAT(e.x >> 1) >> m) ^ (top >> 30) ^ (top >> 25);
	w[0] = SPLAT(e.x) << n ^ top ^ (top << 1) ^ (top << 2) ^ (top << 7);
#endif
}
#define TWEAK_ROW(w, span, i, j) tweak_row(w, span, i, j)
