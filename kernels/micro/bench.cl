/*
 * Micro-benchmarks (ppf measure): every kernel is shaped like a cipher's, a loop over the grid
 * around straight-line code, so that a compiler does with it what it does with ciphers.  The host
 * varies n and takes differences; what stands before and after the loop drops out.
 *
 * Chains survive the optimiser: each operation needs the result of an earlier one, the operands
 * come from buffers, and the end of the chain is stored.  As in a cipher with a state of 4 words, 4
 * operations of a work-item are independent.
 *
 * Built after word.cl, and carry.cl where there is one; with -DLOOKUPS after table.cl as well, with -DSLICES
 * after table.cl and slice.cl.
 */
#define GRID_LOOP(i, n) for (block_number i = get_global_id(0); i < (n); i += get_global_size(0))
#define TIMES_4(x)      x x x x
#define TIMES_16(x)     TIMES_4(TIMES_4(x))

/* Start and end of a chain kernel: random words of the buffer go in, and the state is folded into out. */
#ifdef SLICES
#define SLICE_FUNCTION(name, n) SLICE_JOIN(name, n)
#define SLICE_AT(p, i)          SLICE_FUNCTION(vload, SLICE_WORDS)(i, p)
#define PUT_SLICE(s, p, i)      SLICE_FUNCTION(vstore, SLICE_WORDS)(s, i, p)
#define LOAD_SLICES(x, in, n)                                     \
	slice x##0 = SLICE_AT(in, n), x##1 = SLICE_AT(in, n + 1); \
	slice x##2 = SLICE_AT(in, n + 2), x##3 = SLICE_AT(in, n + 3)
#define LOAD_STATE(in)         \
	LOAD_SLICES(s, in, 0); \
	LOAD_SLICES(r, in, 4); \
	LOAD_SLICES(q, in, 8)
#define STORE_STATE(out) PUT_SLICE(s0 ^ s1 ^ s2 ^ s3 ^ r0 ^ r1 ^ r2 ^ r3 ^ q0 ^ q1 ^ q2 ^ q3, out, get_global_id(0))
#else
#define LOAD_STATE(in)                                                                           \
	word s0 = (in)[get_local_id(0) & 255], s1 = (in)[256 + (get_local_id(0) & 255)],         \
	     s2 = (in)[512 + (get_local_id(0) & 255)], s3 = (in)[768 + (get_local_id(0) & 255)]; \
	word r0 = s0 >> 3 ^ s2, r1 = s1 >> 5 ^ s3, r2 = s2 + s1, r3 = s3 - s0, k = s0 * s1
#define STORE_STATE(out) (out)[get_global_id(0)] = s0 ^ s1 ^ s2 ^ s3 ^ r0 ^ r1 ^ r2 ^ r3
#endif

/*
 * 32 × 8 steps on two halves of a state; STEP works on its first operand, with two words of the
 * other half, so that 4 steps are independent.  FUSED is one instruction where the device fuses.
 */
#define FUSED(a, b, c)     a = a ^ (b & c);
#define LOGIC_ADD(a, b, c) a = (a ^ b) + c;
#define SHIFT(a, b, c)     a = (a >> 7) ^ b;
#define HALF(STEP, s, r)   STEP(s##0, r##0, r##1) STEP(s##1, r##1, r##2) STEP(s##2, r##2, r##3) STEP(s##3, r##3, r##0)
#ifdef SLICES /* thirds: vectors have longer latencies, so that 8 steps do not wait for each other */
#define ROUND(STEP) HALF(STEP, s, r) HALF(STEP, r, q) HALF(STEP, q, s)
#else
#define ROUND(STEP) HALF(STEP, s, r) HALF(STEP, r, s)
#endif
#define CHAIN(name, STEP) CHAIN_OF(name, ROUND(STEP) ROUND(STEP))
#define CHAIN_OF(name, STEPS)                                                \
	__kernel void name(GLOBAL const word *in, GLOBAL word *out, ulong n) \
	{                                                                    \
		LOAD_STATE(in);                                              \
		GRID_LOOP(i, n){ TIMES_16(STEPS) } STORE_STATE(out);         \
	}

#ifdef SLICES
/* A CPU's vectors, as bitsliced kernels use them (slice.cl): what each operator costs.  Circuits have functions
 * of two inputs among those of three; those here take what the others made, or they would fold. */
#define FUNCTIONS(s, r)                       \
	FUSED(s##0, r##0, r##1) s##1 ^= r##2; \
	FUSED(s##2, r##2, r##3) s##3 ^= r##0;
#define FUNCTION_ROUND FUNCTIONS(s, r) FUNCTIONS(r, q) FUNCTIONS(q, s)
CHAIN_OF(slice_function, FUNCTION_ROUND FUNCTION_ROUND)
CHAIN(slice_logic_add, LOGIC_ADD)
CHAIN(slice_shift, SHIFT)

/* Bits of round keys, each spread over all words of a slice; other bits in each iteration, or the compiler would keep
 * them. In local memory each bit is a word already; elsewhere it is extracted from a round key's word. */
#define KEYED(a, b, bit) a = (a ^ SPLAT(bit)) + b;
#define KEYED_HALF(s, r, BIT, n)  \
	KEYED(s##0, r##0, BIT(n)) \
	KEYED(s##1, r##1, BIT(n + 1)) KEYED(s##2, r##2, BIT(n + 2)) KEYED(s##3, r##3, BIT(n + 3))
#define KEYED_ROUND(BIT) KEYED_HALF(s, r, BIT, 0) KEYED_HALF(r, q, BIT, 4) KEYED_HALF(q, s, BIT, 8)
#define KEY_CHAIN(name, KEYS, all_keys, BIT, round)                          \
	__kernel void name(GLOBAL const word *in, GLOBAL word *out, ulong n) \
	{                                                                    \
		LOAD_STATE(in);                                              \
		PLACE_KEYS(k, in);                                           \
		barrier(CLK_LOCAL_MEM_FENCE);                                \
		GRID_LOOP(i, n)                                              \
		{                                                            \
			KEYS key = all_keys + round * ((word)i & 15u);       \
			TIMES_16(KEYED_ROUND(BIT) key += round;)             \
		}                                                            \
		STORE_STATE(out);                                            \
	}
#define PLACED_BIT(n) KEY_MASK(key, 0, n)
#define MADE_BIT(n)   ALL_BITS(*key, n)
KEY_CHAIN(slice_key, keys, k, PLACED_BIT, 12)
KEY_CHAIN(slice_key_made, GLOBAL const word *, in, MADE_BIT, 1)

/* Slices that registers cannot hold: all go from one array to another, 8 at a time as through an S-box. */
#define PASS(to, from)                                                                                          \
	PRAGMA_ROUNDS                                                                                           \
	for (int j = 0; j < 128; j += 8) {                                                                      \
		slice s0 = from[j], s1 = from[j + 1], s2 = from[j + 2], s3 = from[j + 3];                       \
		slice r0 = from[j + 4], r1 = from[j + 5], r2 = from[j + 6], r3 = from[j + 7];                   \
		HALF(FUSED, s, r) HALF(FUSED, r, s) to[j] = s0, to[j + 1] = s1, to[j + 2] = s2, to[j + 3] = s3; \
		to[j + 4] = r0, to[j + 5] = r1, to[j + 6] = r2, to[j + 7] = r3;                                 \
	}
__kernel void slice_move(GLOBAL const word *in, GLOBAL word *out, ulong n)
{
	slice a[128], b[128], sum = SPLAT(0);

	PRAGMA_ROUNDS
	for (int j = 0; j < 128; j++)
		a[j] = SLICE_AT(in, j % 32) + SPLAT((word)j);
	GRID_LOOP(i, n){ PASS(b, a) PASS(a, b) } PRAGMA_ROUNDS for (int j = 0; j < 128; j++) sum ^= a[j];
	PUT_SLICE(sum, out, get_global_id(0));
}

/* Rows of blocks from the device's memory and back, as a work-item processes them in sequence. Each launch continues in
 * the buffer where the last one stopped, so that it returns to data that caches no longer hold. */
__kernel void slice_row(GLOBAL block *in, GLOBAL word *out, ulong n)
{
	word item = get_global_id(0), at = out[item];
	slice v[4], k = SPLAT(at);

	GRID_LOOP(i, n)
	{
		block_number first = at++ * (word)get_global_size(0) + item;

		first = first % (ALL_BLOCKS / SLICE_BLOCKS) * SLICE_BLOCKS;
		PRAGMA_UNROLL
		for (int j = 0; j < 32; j++, first += ROW_BLOCKS) {
			load_row(v, in, first, ALL_BLOCKS);
			v[0] ^= k, v[1] ^= k, v[2] ^= k, v[3] ^= k;
			store_row(in, first, ALL_BLOCKS, v);
		}
	}
	out[item] = at;
}

#elif !defined LOOKUPS
/*
 * A sum of three is one instruction too, where the device fuses operations. An operator next to one of another class
 * cannot fuse: this measures its cost alone.
 */
#define ADD(a, b, c)         a = a + b + c;
#define XOR_FUSED(a, b, c)   a = (a + b + c) ^ k;
#define SHIFT_FUSED(a, b, c) a = (a >> 7) ^ (b & c);
#define ROTATE(a, b, c)      a = ROTATE_LEFT(a, 9) ^ b;
#define MUL(a, b, c)         a = a * b;
#define COMPARE(a, b, c)     a = a < b ? c : k;
#define PERMUTE(a, b, c)     a = spread_byte(a, 1, 0x01000101u) ^ b;
#define LOGIC_MUL(a, b, c)   a = (a ^ b) * c;
/* Rotations by data as sources write them, the second one with masks of type unsigned long. */
#define TURN(a, n)           ((a) << ((n)&31u) | (a) >> (32u - (n)&31u))
#define TURN_LONG(a, n)      ((word)((a) << ((n)&31u) | ((a)&0xffffffffUL) >> (32u - ((n)&31u) & 31u)))
#define TURN_WORD(a, b, c)   a = TURN(a, b) ^ c;
#define TURN_BY(a, b, c)     a = TURN_LONG(a, b) ^ c;
CHAIN(turn_word, TURN_WORD)
CHAIN(turn_long, TURN_BY)
CHAIN(logic, FUSED)
CHAIN(add, ADD)
CHAIN(logic_add, LOGIC_ADD)
CHAIN(xor_fused, XOR_FUSED)
CHAIN(shift, SHIFT)
CHAIN(shift_fused, SHIFT_FUSED)
CHAIN(rotate_chain, ROTATE)
CHAIN(mul, MUL)
CHAIN(compare, COMPARE)
CHAIN(permute, PERMUTE)
CHAIN(logic_mul, LOGIC_MUL)

#ifdef CARRY_CL
/*
 * Multi-word numbers, one step per product: two sums side by side, one of which takes the low words of the other, as in
 * Montgomery multiplication. k changes, so that no product can be reused.
 */
#define WIDE(p, a, b, c)                                  \
	x = multiply_add(a, k, p, (word)(x >> 32));       \
	y = multiply_add(b, c, (word)x, (word)(y >> 32)); \
	p = (word)y;
#define WIDE_ROUND       WIDE(s0, r0, r1, s3) WIDE(s1, r1, r2, s3) WIDE(s2, r2, r3, s3) WIDE(s3, r3, r0, s0) k ^= s0;
__kernel void wide(GLOBAL const word *in, GLOBAL word *out, ulong n)
{
	double_word x = 0, y = 0;
	LOAD_STATE(in);

	GRID_LOOP(i, n){ TIMES_16(WIDE_ROUND WIDE_ROUND) } s0 ^= (word)(x >> 32) ^ (word)(y >> 32);
	STORE_STATE(out);
}

/* A chain of 16 products, whose carry goes into a word as at the end of a number. */
#define CHAINED(p, q, a) chain_multiply_add(&p, &q, a, k, p, q, &carry);
#define CHAINED_4        CHAINED(s0, s1, in0) CHAINED(s2, s3, in1) CHAINED(r0, r1, in2) CHAINED(r2, r3, in3)
#define CHAIN_ROUND                \
	chain_start(0, 0, &carry); \
	TIMES_4(CHAINED_4)         \
	k ^= s0 + chain_add(0, 0, &carry);
__kernel void wide_chain(GLOBAL const word *in, GLOBAL word *out, ulong n)
{
	word carry = 0;
	LOAD_STATE(in);
	word in0 = s0, in1 = s1, in2 = s2, in3 = s3;

	GRID_LOOP(i, n){ TIMES_16(CHAIN_ROUND) } STORE_STATE(out);
}
#endif

/* Chains on 64 bits.  A step is an addition and a logic operator. */
#define LOAD_LONG(in)   \
	LOAD_STATE(in); \
	ulong d0 = (ulong)s0 << 32 | r0, d1 = (ulong)s1 << 32 | r1, d2 = (ulong)s2 << 32 | r2, d3 = (ulong)s3 << 32 | r3
#define STORE_LONG(out) (out)[get_global_id(0)] = (word)((d0 ^ d1 ^ d2 ^ d3) >> 32) ^ (word)(d0 ^ d1 ^ d2 ^ d3)
#define CARRY(a, b, c)  a = (a + b) ^ c;
#define CARRY_ROUND     CARRY(d0, d1, d2) CARRY(d1, d2, d3) CARRY(d2, d3, d0) CARRY(d3, d0, d1)
#define LONG_CHAIN(name, STEPS)                                              \
	__kernel void name(GLOBAL const word *in, GLOBAL word *out, ulong n) \
	{                                                                    \
		LOAD_LONG(in);                                               \
		GRID_LOOP(i, n){ TIMES_16(STEPS) } STORE_LONG(out);          \
	}
LONG_CHAIN(carry, TIMES_4(CARRY_ROUND))
LONG_CHAIN(dependent_carry, TIMES_16(CARRY(d0, d1, d2)))

/* Chains in which each operator needs the result of the one before: 2 operators a step. */
CHAIN_OF(dependent, TIMES_16(s0 = ROTATE_LEFT(s0, 9) ^ r0;))
CHAIN_OF(dependent_add, TIMES_16(LOGIC_ADD(s0, r0, r1)))
CHAIN_OF(dependent_mul, TIMES_16(LOGIC_MUL(s0, r0, r1)))
CHAIN_OF(dependent_turn, TIMES_16(TURN_WORD(s0, s0, r0)))

/*
 * Pointer chasing: an entry holds the offset in bytes of the next one, so that no address
 * arithmetic is left to measure.  stride 0 makes all work-items read the same word.
 */
#define ENTRY(space, t, offset) (*(space const word *)((space const uchar *)(t) + (offset)))
#define NEXT(space, t, j)       j = ENTRY(space, t, j);
#define START(number) \
	(4 * (((get_local_id(0) * stride + (number)*words / 4) & (words - 1)) * copies + get_local_id(0) % copies))
#define CHASE(space, t)                                                                    \
	word j0 = START(0), j1 = START(1), j2 = START(2), j3 = START(3);                   \
	GRID_LOOP(i, n){ TIMES_16(NEXT(space, t, j0) NEXT(space, t, j1) NEXT(space, t, j2) \
		        NEXT(space, t, j3)) } out[get_global_id(0)] = j0 ^ j1 ^ j2 ^ j3

/* The table in local memory, `copies` of it interleaved. */
__kernel void chase_local(
        GLOBAL const word *in, GLOBAL word *out, ulong n, __local word *t, uint words, uint copies, uint stride)
{
	for (uint w = get_local_id(0); w < words * copies; w += get_local_size(0))
		t[w] = in[w / copies] * copies + 4 * (w % copies);
	barrier(CLK_LOCAL_MEM_FENCE);
	CHASE(__local, t);
}

__kernel void chase_constant(__constant const word *in, GLOBAL word *out, ulong n, uint words, uint copies, uint stride)
{
	CHASE(__constant, in);
}

__kernel void chase_global(GLOBAL const word *in, GLOBAL word *out, ulong n, uint words, uint copies, uint stride)
{
	CHASE(GLOBAL, in);
}

/* Coalesced loads of 16 bytes; the buffer is zero, so each load's result leads to the same place. */
#define LOAD_16(v, at) v = in[at + (v.x | v.y | v.z | v.w)];
__kernel void load_coalesced(GLOBAL const block *in, GLOBAL word *out, ulong n)
{
	uint x0 = get_local_id(0), x1 = x0 + get_local_size(0);
	block v0 = in[x0], v1 = in[x1];

	GRID_LOOP(i, n){ TIMES_16(LOAD_16(v0, x0) LOAD_16(v1, x1)) } out[get_global_id(0)] = v0.x ^ v1.y;
}

/* Every byte of the device's memory once: what a cipher reads and writes. */
__kernel void stream(GLOBAL const block *in, GLOBAL block *out, ulong n)
{
	GRID_LOOP(i, n)
	out[i] = in[i] ^ (block)(1);
}

/* A group fills its local memory, and no more; as table.cl does it. */
__kernel void load_table(GLOBAL const word *in, GLOBAL word *out, ulong n, __local word *t)
{
	for (uint w = get_local_id(0); w < n; w += get_local_size(0))
		t[w] = in[w];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0 && n != 0)
		out[get_group_id(0)] = t[n - 1];
}

/* Has no effect: n is 0 at run time. */
__kernel void nothing(GLOBAL const word *in, GLOBAL word *out, ulong n)
{
	if (n != 0)
		out[get_global_id(0)] = in[0];
}

#else
/*
 * Look-ups as ciphers make them, one layer at a time: every byte of the state selects an entry, and each entry is added
 * to a word by XOR. Among operators of one kind, which hide the latency of the load, the cost of a look-up is its use
 * of that kind's pipe: logic, multiplication, or (with both in turn) instruction issue. FIELD_KIND as in
 * ppf/analysis/profile.h: a byte, a part of one, or bits of two bytes.
 */
#if FIELD_KIND == 0
#define ENTRY(n, w) LOOKUP(t, 0, w, 8 * n, 8)
#elif FIELD_KIND == 1
#define ENTRY(n, w) LOOKUP(t, 0, w, (8 * n + 1), 6)
#else
#define ENTRY(n, w) LOOKUP(t, 0, w, (6 * n + 5), 8)
#endif
#define LAYER                                                                             \
	{                                                                                 \
		word n0 = s0 ^ ENTRY(0, s0) ^ ENTRY(1, s1) ^ ENTRY(2, s2) ^ ENTRY(3, s3); \
		word n1 = s1 ^ ENTRY(0, s1) ^ ENTRY(1, s2) ^ ENTRY(2, s3) ^ ENTRY(3, s0); \
		word n2 = s2 ^ ENTRY(0, s2) ^ ENTRY(1, s3) ^ ENTRY(2, s0) ^ ENTRY(3, s1); \
		word n3 = s3 ^ ENTRY(0, s3) ^ ENTRY(1, s0) ^ ENTRY(2, s1) ^ ENTRY(3, s2); \
		s0 = n0, s1 = n1, s2 = n2, s3 = n3;                                       \
	}
#define MUL_ADD(a, b, c)   a = a * b + c; /* products alone keep compilers busy for minutes */
#define LOGIC_MUL(a, b, c) a = (a ^ b) * c;

#define LOOKUP_CHAIN(name, STEPS)                                                   \
	__kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1))) void name( \
	        GLOBAL const word *in, GLOBAL word *out, ulong n)                   \
	{                                                                           \
		LOAD_STATE(in);                                                     \
		PLACE_TABLE(t, in);                                                 \
		barrier(CLK_LOCAL_MEM_FENCE);                                       \
		OPEN_TABLE(t);                                                      \
		GRID_LOOP(i, n){ STEPS } STORE_STATE(out);                          \
	}
LOOKUP_CHAIN(look_up, TIMES_4(LAYER))
LOOKUP_CHAIN(look_up_in_logic, TIMES_16(ROUND(FUSED) ROUND(FUSED)) LAYER)
LOOKUP_CHAIN(look_up_in_mul, TIMES_16(ROUND(MUL_ADD) ROUND(MUL_ADD)) LAYER)
LOOKUP_CHAIN(look_up_in_both, TIMES_16(ROUND(LOGIC_MUL) ROUND(LOGIC_MUL)) LAYER)
/* 16 look-ups and 24 logic operations, in turn: several pipes are filled alike. */
LOOKUP_CHAIN(look_up_balanced, TIMES_4(LAYER ROUND(FUSED) ROUND(FUSED) ROUND(FUSED)))
#endif
