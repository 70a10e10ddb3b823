/*
 * Chunk tags: Poly1305 (RFC 8439, 2.5) of each chunk of a buffer, without the number s that is added
 * at the end.  One work-group a chunk, a work-item every TAG_ITEMS-th block of it; with word.cl, a
 * program of its own.  The tag of chunk i is written to tags[first + i], which may lie behind the blocks.
 *
 * Numbers modulo p = 2^130 − 5 are five limbs of 26 bits, limb i times 2^26i.  Between operations
 * limb 1 may have a bit more: products of sums still fit into 64 bits.
 */
#define LIMBS     5
#define LIMB_BITS 26
#define LIMB_MASK 0x3ffffffu

struct number {
	uint limb[LIMBS];
};

/* Carry limbs of up to 58 bits; 2^130 = 5. */
INLINE struct number carried(ulong d0, ulong d1, ulong d2, ulong d3, ulong d4)
{
	struct number n;

	d1 += d0 >> LIMB_BITS;
	d2 += d1 >> LIMB_BITS;
	d3 += d2 >> LIMB_BITS;
	d4 += d3 >> LIMB_BITS;
	d0 = (d0 & LIMB_MASK) + 5 * (d4 >> LIMB_BITS);
	n.limb[0] = (uint)d0 & LIMB_MASK;
	n.limb[1] = ((uint)d1 & LIMB_MASK) + (uint)(d0 >> LIMB_BITS);
	n.limb[2] = (uint)d2 & LIMB_MASK;
	n.limb[3] = (uint)d3 & LIMB_MASK;
	n.limb[4] = (uint)d4 & LIMB_MASK;
	return n;
}

#define TIMES(i, j) ((ulong)a.limb[i] * b.limb[j])
#define FIVES(i, j) ((ulong)a.limb[i] * (5u * b.limb[j]))

INLINE struct number product(struct number a, struct number b)
{
	return carried(TIMES(0, 0) + FIVES(1, 4) + FIVES(2, 3) + FIVES(3, 2) + FIVES(4, 1),
	        TIMES(0, 1) + TIMES(1, 0) + FIVES(2, 4) + FIVES(3, 3) + FIVES(4, 2),
	        TIMES(0, 2) + TIMES(1, 1) + TIMES(2, 0) + FIVES(3, 4) + FIVES(4, 3),
	        TIMES(0, 3) + TIMES(1, 2) + TIMES(2, 1) + TIMES(3, 0) + FIVES(4, 4),
	        TIMES(0, 4) + TIMES(1, 3) + TIMES(2, 2) + TIMES(3, 1) + TIMES(4, 0));
}

/* a^n, n < 2^TAG_LOG2 · 2 */
INLINE struct number power(struct number a, uint n)
{
	struct number result = { { 1, 0, 0, 0, 0 } };

	for (int bit = TAG_LOG2; bit >= 0; bit--) {
		result = product(result, result);
		if ((n >> bit & 1u) != 0)
			result = product(result, a);
	}
	return result;
}

/* 128 bits, and above them top. */
INLINE struct number number_of_block(block b, uint top)
{
	struct number n;

	n.limb[0] = b.x & LIMB_MASK;
	n.limb[1] = (b.x >> 26 | b.y << 6) & LIMB_MASK;
	n.limb[2] = (b.y >> 20 | b.z << 12) & LIMB_MASK;
	n.limb[3] = (b.z >> 14 | b.w << 18) & LIMB_MASK;
	n.limb[4] = b.w >> 8 | top << 24;
	return n;
}

/* A 1 behind the n < 16 bytes that count. */
INLINE word marked(word w, word n, word i)
{
	word ones = first_bytes(n, i);

	return (w & ones) | (n >> 2 == i ? 1u << (8 * (n & 3u)) : 0u);
}

/* Block i of a chunk as a number: with 2^(8 · its length) added. */
INLINE struct number message(GLOBAL const block *chunk, uint i, uint n_bytes)
{
	uint n = n_bytes - 16 * i;
	block b = chunk[i];

	if (n >= 16)
		return number_of_block(b, 1);
	return number_of_block(BLOCK(marked(b.x, n, 0), marked(b.y, n, 1), marked(b.z, n, 2), marked(b.w, n, 3)), 0);
}

/* r, with the bits that must be zero (2.5.1). */
INLINE struct number clamped(uint4 r)
{
	return number_of_block(BLOCK(r.x & 0x0fffffffu, r.y & 0x0ffffffcu, r.z & 0x0ffffffcu, r.w & 0x0ffffffcu), 0);
}

/* Modulo p, and of that the lowest 128 bits. */
INLINE block block_of_number(struct number n)
{
	uint carry = 0, g[LIMBS];

	for (int i = 0; i < 2 * LIMBS; i++) {
		carry += n.limb[i % LIMBS];
		n.limb[i % LIMBS] = carry & LIMB_MASK;
		carry >>= LIMB_BITS;
		carry *= i % LIMBS == LIMBS - 1 ? 5 : 1;
	}
	n.limb[0] += carry;
	carry = 5; /* n + 5 reaches 2^130: n ≥ p */
	for (int i = 0; i < LIMBS; i++) {
		carry += n.limb[i];
		g[i] = carry & LIMB_MASK;
		carry >>= LIMB_BITS;
	}
	for (int i = 0; i < LIMBS; i++)
		n.limb[i] = carry != 0 ? g[i] : n.limb[i];
	return BLOCK(n.limb[0] | n.limb[1] << 26, n.limb[1] >> 6 | n.limb[2] << 20, n.limb[2] >> 12 | n.limb[3] << 14,
	        n.limb[3] >> 18 | n.limb[4] << 8);
}

/* PoCL 6 compiles a kernel with these loops beside its barriers wrongly in about one build of twenty: a value that each
 * work-item has for itself is shared.  On CPUs the loops are called. */
#ifdef ON_CPU
#define CALLED static __attribute__((noinline))
#else
#define CALLED INLINE
#endif

/* Blocks item, item + TAG_ITEMS, … of the chunk, each times its power of r (Horner's rule). */
CALLED struct number share(GLOBAL const block *chunk, uint n_bytes, uint item, struct number r)
{
	struct number sum = { { 0, 0, 0, 0, 0 } }, stride;
	uint n_blocks = (n_bytes + 15) / 16, i = item;

	if (item >= n_blocks)
		return sum;
	stride = power(r, TAG_ITEMS);
	for (; i < n_blocks; i += TAG_ITEMS) {
		struct number m = message(chunk, i, n_bytes);

		sum = product(sum, stride);
		for (int j = 0; j < LIMBS; j++)
			sum.limb[j] += m.limb[j];
	}
	return product(sum, power(r, n_blocks + TAG_ITEMS - i));
}

__kernel __attribute__((reqd_work_group_size(TAG_ITEMS, 1, 1))) void tag_chunks(
        TAG_ARGUMENTS(FIRST_ARGUMENT, NEXT_ARGUMENT))
{
	__local uint shares[LIMBS][TAG_ITEMS];
	__local ulong sums[LIMBS];
	uint item = (uint)get_local_id(0);
	ulong start = (ulong)get_group_id(0) << chunk_log2, left = n_bytes - start;
	uint chunk_bytes = left >> chunk_log2 != 0 ? 1u << chunk_log2 : (uint)left;
	struct number mine = share(blocks + start / 16, chunk_bytes, item, clamped(key));

	for (int i = 0; i < LIMBS; i++)
		shares[i][item] = mine.limb[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item < LIMBS) {
		ulong sum = 0;

		for (uint i = 0; i < TAG_ITEMS; i++)
			sum += shares[item][i];
		sums[item] = sum;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item == 0)
		tags[first + get_group_id(0)] = block_of_number(carried(sums[0], sums[1], sums[2], sums[3], sums[4]));
	/* With the ciphertext they reveal r to the next program in the same local memory. */
	for (int i = 0; i < LIMBS; i++)
		((volatile __local uint *)shares[i])[item] = 0;
	if (item == 0)
		for (int i = 0; i < LIMBS; i++)
			((volatile __local ulong *)sums)[i] = 0;
}
