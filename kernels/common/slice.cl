/*
 * Bitslicing: a work-item has 32 · SLICE_WORDS blocks in 128 slices; slice 8·k + b holds bit b of
 * byte k of each of them.  There are no look-ups, no branches and no addresses that depend on data:
 * this is constant-time.
 *
 * A slice is a vector of SLICE_WORDS words (-DSLICE_WORDS=; one on GPUs, where the work-items next
 * to each other are the vector).  Bit j of word c of a slice belongs to the block in column c of row
 * j: row j is SLICE_WORDS neighbouring blocks, and the rows of SLICE_ITEMS work-items lie side by
 * side, so that these read and write memory together.
 */
#ifdef __OPENCL_VERSION__
#define SLICE_JOIN(type, n) type##n
#define SLICE_TYPE(n)       SLICE_JOIN(uint, n)
#if SLICE_WORDS == 1
typedef uint slice;
#define COLUMN 0u
#else
typedef SLICE_TYPE(SLICE_WORDS) slice;
#if SLICE_WORDS == 16
#define COLUMN ((slice)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#elif SLICE_WORDS == 8
#define COLUMN ((slice)(0, 1, 2, 3, 4, 5, 6, 7))
#else
#define COLUMN ((slice)(0, 1, 2, 3))
#endif
#endif
#define SPLAT(x)    ((slice)(x))
#define PRAGMA_FULL _Pragma("unroll") /* in a loop over slices */
#else
#ifndef SLICE_WORDS
#define SLICE_WORDS 1
#endif
#if SLICE_WORDS == 1
typedef word slice;
#define COLUMN   0u
#define SPLAT(x) ((slice)(x))
#else
typedef word slice __attribute__((vector_size(4 * SLICE_WORDS)));
#define SPLAT(x) ((slice){ 0 } | (word)(x))
#if SLICE_WORDS == 16
#define COLUMN ((slice){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 })
#elif SLICE_WORDS == 8
#define COLUMN ((slice){ 0, 1, 2, 3, 4, 5, 6, 7 })
#else
#define COLUMN ((slice){ 0, 1, 2, 3 })
#endif
#endif
#define PRAGMA_FULL
#endif

#if SLICE_WORDS == 1 && defined __OPENCL_VERSION__
#define SLICE_ITEMS 32
#else
#define SLICE_ITEMS 1
#endif
#define ROW_BLOCKS      (SLICE_WORDS * SLICE_ITEMS) /* from a row of a work-item to its next one: a power of 2 */
#define ROW_BLOCKS_LOG2 (ROW_BLOCKS == 32 ? 5 : ROW_BLOCKS == 16 ? 4 : ROW_BLOCKS == 8 ? 3 : ROW_BLOCKS == 4 ? 2 : 0)
#define SLICE_BLOCKS    (32 * SLICE_WORDS)

/* The first block of the work-item with this number; grid.cl goes through the numbers. */
#define ITEM_BLOCK(item) ((item) / SLICE_ITEMS * (32 * ROW_BLOCKS) + (item) % SLICE_ITEMS * SLICE_WORDS)

/* All ones where bit b of w, or of word i of the round keys, is set, else zero. */
#define BIT_SLICE(w, b)    SPLAT(ALL_BITS(w, b))
#define KEY_SLICE(k, i, b) SPLAT(KEY_MASK(k, i, b))

/* The sum of three slices, and its complement: of one instruction. */
#ifdef PTX
INLINE slice sum3(slice x, slice y, slice z)
{
	LOGIC(sum, x, y, z, a ^ b ^ c)
	return sum;
}

INLINE slice not_sum3(slice x, slice y, slice z)
{
	LOGIC(sum, x, y, z, a ^ b ^ ~c)
	return sum;
}
#define SUM3(x, y, z)     sum3(x, y, z)
#define NOT_SUM3(x, y, z) not_sum3(x, y, z)
#else
#define SUM3(x, y, z)     ((x) ^ (y) ^ (z))
#define NOT_SUM3(x, y, z) (~((x) ^ (y) ^ (z)))
#endif

/* Position of bit i of a word with big-endian bytes. */
#define BIG_ENDIAN_BIT(i) ((i) ^ 24)

/* The bits in the mask of x and y << k, or of x >> k and y, interleaved; bytes by one prmt each. */
#ifdef PTX
INLINE slice permute_bytes(slice x, slice y, word selector)
{
	slice result;

	__asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(selector));
	return result;
}
#define SELECT_LOW(x, y, k, mask)                        \
	((k) == 16         ? permute_bytes(x, y, 0x5410) \
	        : (k) == 8 ? permute_bytes(x, y, 0x6240) \
	                   : ((x) & (mask)) | (((y) << (k)) & ~(mask)))
#define SELECT_HIGH(x, y, k, mask)                       \
	((k) == 16         ? permute_bytes(x, y, 0x7632) \
	        : (k) == 8 ? permute_bytes(x, y, 0x7351) \
	                   : (((x) >> (k)) & (mask)) | ((y) & ~(mask)))
#else
#define SELECT_LOW(x, y, k, mask)  (((x) & (mask)) | (((y) << (k)) & ~(mask)))
#define SELECT_HIGH(x, y, k, mask) ((((x) >> (k)) & (mask)) | ((y) & ~(mask)))
#endif

/* Bit j of a[b] and bit b of a[j] change places (H. S. Warren, "Hacker's Delight", section 7-3). */
INLINE void swap_bits(slice a[32], int k, word mask)
{
	PRAGMA_FULL
	for (int i = 0; i < 16; i++) {
		int low = (i & -k) * 2 + (i & (k - 1)), high = low + k;
		slice t = SELECT_LOW(a[low], a[high], k, mask);

		a[high] = SELECT_HIGH(a[low], a[high], k, mask);
		a[low] = t;
	}
}

/*
 * Keep the compiler from moving loop-invariant values out of the loop: the bits of the first and last round key, or the
 * addresses of 32 rows, would take the registers that slices need.
 */
#define NOT_KEPT(x) ((x) + hidden_zero())

/* From rows, s[32·q + j] being word q of row j, to slices and back. */
INLINE void transpose(slice s[128])
{
	PRAGMA_UNROLL
	for (int q = 0; q < 128; q += 32) {
		swap_bits(s + q, 16, 0x0000ffffu);
		swap_bits(s + q, 8, 0x00ff00ffu);
		swap_bits(s + q, 4, 0x0f0f0f0fu);
		swap_bits(s + q, 2, 0x33333333u);
		swap_bits(s + q, 1, 0x55555555u);
	}
}

/* Block c of a row that is not all in the buffer. */
INLINE void set_column(slice v[4], int c, block b)
{
	((word *)&v[0])[c] = b.x;
	((word *)&v[1])[c] = b.y;
	((word *)&v[2])[c] = b.z;
	((word *)&v[3])[c] = b.w;
}

INLINE block get_column(const slice v[4], int c)
{
	return BLOCK(
	        ((const word *)&v[0])[c], ((const word *)&v[1])[c], ((const word *)&v[2])[c], ((const word *)&v[3])[c]);
}

#if defined __OPENCL_VERSION__ && SLICE_WORDS > 1
/* Four blocks of a row from memory or to it; part: their columns. */
#define LOAD_QUAD(n, part)                                               \
	{                                                                \
		uint16 quad = vload16(n, (GLOBAL const word *)(in + i)); \
		v[0].part = quad.s048c, v[1].part = quad.s159d;          \
		v[2].part = quad.s26ae, v[3].part = quad.s37bf;          \
	}
#define STORE_QUAD(n, part) \
	vstore16(((uint16)(v[0].part, v[1].part, v[2].part, v[3].part)).s048c159d26ae37bf, n, (GLOBAL word *)(out + i));
#if SLICE_WORDS == 16
#define EACH_QUAD(F) F(0, s0123) F(1, s4567) F(2, s89ab) F(3, scdef)
#elif SLICE_WORDS == 8
#define EACH_QUAD(F) F(0, s0123) F(1, s4567)
#else
#define EACH_QUAD(F) F(0, s0123)
#endif
#endif

#if !defined __OPENCL_VERSION__ && SLICE_WORDS > 1
/*
 * A whole row on the host: SLICE_WORDS blocks are four slices in memory; two steps of shuffles make
 * word q of all blocks slice q, and back.
 */
#if SLICE_WORDS == 16
#define SHUFFLE_PAIRS(a, b, q)                                                                                      \
	__builtin_shufflevector(a, b, q, q + 4, q + 8, q + 12, q + 16, q + 20, q + 24, q + 28, q + 1, q + 5, q + 9, \
	        q + 13, q + 17, q + 21, q + 25, q + 29)
#define SHUFFLE_HALVES(a, b, h)                                                                                   \
	__builtin_shufflevector(a, b, h, h + 1, h + 2, h + 3, h + 4, h + 5, h + 6, h + 7, h + 16, h + 17, h + 18, \
	        h + 19, h + 20, h + 21, h + 22, h + 23)
#define SHUFFLE_BLOCKS(a, b, h)                                                                                      \
	__builtin_shufflevector(a, b, h, h + 8, h + 16, h + 24, h + 1, h + 9, h + 17, h + 25, h + 2, h + 10, h + 18, \
	        h + 26, h + 3, h + 11, h + 19, h + 27)
#else
#define SHUFFLE_PAIRS(a, b, q)  __builtin_shufflevector(a, b, q, q + 4, q + 8, q + 12, q + 1, q + 5, q + 9, q + 13)
#define SHUFFLE_HALVES(a, b, h) __builtin_shufflevector(a, b, h, h + 1, h + 2, h + 3, h + 8, h + 9, h + 10, h + 11)
#define SHUFFLE_BLOCKS(a, b, h) __builtin_shufflevector(a, b, h, h + 4, h + 8, h + 12, h + 1, h + 5, h + 9, h + 13)
#endif
#define HALF (SLICE_WORDS / 2)

INLINE void load_whole_row(slice v[4], const block *in)
{
	slice r[4];

	__builtin_memcpy(r, in, sizeof(r));
	for (int q = 0; q < 4; q += 2) {
		slice a = q == 0 ? SHUFFLE_PAIRS(r[0], r[1], 0) : SHUFFLE_PAIRS(r[0], r[1], 2);
		slice b = q == 0 ? SHUFFLE_PAIRS(r[2], r[3], 0) : SHUFFLE_PAIRS(r[2], r[3], 2);

		v[q] = SHUFFLE_HALVES(a, b, 0);
		v[q + 1] = SHUFFLE_HALVES(a, b, HALF);
	}
}

INLINE void store_whole_row(block *out, const slice v[4])
{
	slice r[4];
	slice a = SHUFFLE_HALVES(v[0], v[1], 0), b = SHUFFLE_HALVES(v[2], v[3], 0);
	slice c = SHUFFLE_HALVES(v[0], v[1], HALF), d = SHUFFLE_HALVES(v[2], v[3], HALF);

	r[0] = SHUFFLE_BLOCKS(a, b, 0);
	r[1] = SHUFFLE_BLOCKS(a, b, HALF / 2);
	r[2] = SHUFFLE_BLOCKS(c, d, 0);
	r[3] = SHUFFLE_BLOCKS(c, d, HALF / 2);
	__builtin_memcpy(out, r, sizeof(r));
}
#endif

/* Rows that are loaded at the same time, so that a work-item waits for memory fewer than 32 times.  A CPU does
 * not wait. */
#ifndef ROWS
#define ROWS (SLICE_WORDS == 1 ? 8 : 1)
#endif

/* Row i, or the first one if i is not below n: no branch delays the next load. */
#define ROW_THERE(i, n) ((i) < (n) ? (i) : 0)

/* The four words of the row whose first block is i, of n blocks; beyond them, whatever. */
INLINE void load_row(slice v[4], GLOBAL const block *in, block_number i, block_number n)
{
#if SLICE_WORDS == 1
	set_column(v, 0, in[ROW_THERE(i, n)]);
#else
	v[0] = v[1] = v[2] = v[3] = SPLAT(0);
#ifdef HALF
	if (i + SLICE_WORDS <= n) {
		load_whole_row(v, in + i);
		return;
	}
#endif
#ifdef EACH_QUAD
	if (i + SLICE_WORDS <= n) {
		EACH_QUAD(LOAD_QUAD)
		return;
	}
#endif
	for (int c = 0; c < SLICE_WORDS && i + (word)c < n; c++)
		set_column(v, c, in[i + (word)c]);
#endif
}

INLINE void store_row(GLOBAL block *out, block_number i, block_number n, const slice v[4])
{
#ifdef HALF
	if (i + SLICE_WORDS <= n) {
		store_whole_row(out + i, v);
		return;
	}
#endif
#ifdef EACH_QUAD
	if (i + SLICE_WORDS <= n) {
		EACH_QUAD(STORE_QUAD)
		return;
	}
#endif
	for (int c = 0; c < SLICE_WORDS && i + (word)c < n; c++)
		out[i + (word)c] = get_column(v, c);
}

/* Row j's words among those of all rows, before they are transposed. */
INLINE void put_row(slice s[128], int j, const slice v[4])
{
	s[j] = v[0], s[32 + j] = v[1], s[64 + j] = v[2], s[96 + j] = v[3];
}

INLINE void get_row(slice v[4], const slice s[128], int j)
{
	v[0] = s[j], v[1] = s[32 + j], v[2] = s[64 + j], v[3] = s[96 + j];
}

INLINE void add_row(slice v[4], const slice s[128], int j)
{
	v[0] ^= s[j], v[1] ^= s[32 + j], v[2] ^= s[64 + j], v[3] ^= s[96 + j];
}

/* The cipher in the direction of the launch. */
#define CRYPT_SLICES(span, s, k) (DECRYPTS(span) ? decrypt_slices(s, NOT_KEPT(k)) : encrypt_slices(s, NOT_KEPT(k)))
