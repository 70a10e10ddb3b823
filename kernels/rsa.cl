/*
 * RSA with a public exponent (RFC 8017, 5.1.1): one work-item a message, by Montgomery multiplication
 * in radix 2^32 (Koç, Acar, Kaliski: "Analyzing and Comparing Montgomery Multiplication Algorithms",
 * 1996, method FIOS) and left-to-right exponentiation.  Its time does not depend on the messages.
 *
 * Built after word.cl and carry.cl, with -DWORDS= of the modulus, a multiple of 8; -DCHAINS for chains
 * of carries in place of 64-bit arithmetic; -DCOALESCED where the i-th words of a work-group's
 * messages lie side by side.
 */

/* From one word of a message to the next. */
#ifdef COALESCED
#define STEP WORK_ITEMS
#else
#define STEP 1
#endif

struct rsa_modulus {
	word words[WORDS], inverse; /* inverse: -modulus^-1 mod 2^32 */
};

/* Unrolled, arrays of words are registers.  The other loop is not, which would take minutes. */
#ifdef UNROLL
#define UNROLL_WORDS _Pragma("unroll")
#else
#define UNROLL_WORDS _Pragma("nounroll")
#endif
#define NO_UNROLL    _Pragma("unroll 1")
/* Of it at once: the registers are put in order only after each turn; more are slow to build. */
#if defined CHAINS && WORDS <= 64
#define STEPS        8
#else
#define STEPS        2
#endif

/* One of the factors is in registers too, if they reach. */
#if WORDS <= 64 || !defined UNROLL
#define LOAD_FACTOR(a, number)                                                                   \
	word a[WORDS];                                                                            \
	UNROLL_WORDS for (int load = 0; load < WORDS; load++) a[load] = (number)[load * STEP]
#define FACTOR            const word *
#define FACTOR_WORD(a, j) a[j]
#else
#define LOAD_FACTOR(a, number) GLOBAL const word *a = number
#define FACTOR            GLOBAL const word *
#define FACTOR_WORD(a, j) a[(j) * STEP]
#endif

/* p - m if p ≥ m; the highest bit of p, which is below 2m, is top. */
INLINE void subtract_once(word p[WORDS], word top, const struct rsa_modulus *m)
{
	word borrow = 0, mask;

	UNROLL_WORDS for (int j = 0; j < WORDS; j++)
		borrow = (word)(((double_word)p[j] - m->words[j] - borrow) >> 63);
	mask = 0u - (top | (borrow ^ 1u));
	borrow = 0;
	UNROLL_WORDS for (int j = 0; j < WORDS; j++) {
		double_word difference = (double_word)p[j] - (m->words[j] & mask) - borrow;

		p[j] = (word)difference;
		borrow = (word)(difference >> 63);
	}
}

#ifndef CHAINS
/* p = factor·b / 2^(32·WORDS) mod m, all of them below m.  The words of b are b_step apart. */
INLINE void montgomery(word p[WORDS], GLOBAL const word *factor, GLOBAL const word *b, int b_step,
	const struct rsa_modulus *m)
{
	word top = 0;
	LOAD_FACTOR(a, factor);

	UNROLL_WORDS for (int j = 0; j < WORDS; j++)
		p[j] = 0;
	NO_UNROLL for (int i = 0; i < WORDS; i += STEPS) {
		UNROLL_WORDS for (int step = 0; step < STEPS; step++) {
			word b_word = b[(i + step) * b_step];
			double_word x = multiply_add(FACTOR_WORD(a, 0), b_word, p[0], 0);
			word q = (word)x * m->inverse;
			double_word y = multiply_add(m->words[0], q, (word)x, 0);

			UNROLL_WORDS for (int j = 1; j < WORDS; j++) {
				x = multiply_add(FACTOR_WORD(a, j), b_word, p[j], (word)(x >> 32));
				y = multiply_add(m->words[j], q, (word)x, (word)(y >> 32));
				p[j - 1] = (word)y;
			}
			x = (x >> 32) + (y >> 32) + top;
			p[WORDS - 1] = (word)x;
			top = (word)(x >> 32);
		}
	}
	subtract_once(p, top, m);
}

#else
/*
 * The sum is kept as even + odd·2^32, so that the products with words of even numbers and those with
 * odd ones are two chains, each of pairs of words side by side.  Dividing by 2^32 makes odd the
 * even one; even becomes odd, shifted by two words, and even[1] is left, which the next step adds.
 */
INLINE void add_multiple(word sum[WORDS + 1], const struct rsa_modulus *m, int first, word q)
{
	word carry = 0;

	chain_start(0, 0, &carry);
	UNROLL_WORDS for (int j = 0; j < WORDS; j += 2)
		chain_multiply_add(
			&sum[j], &sum[j + 1], m->words[j + first], q, sum[j], sum[j + 1], &carry);
	sum[WORDS] = chain_add(sum[WORDS], 0, &carry);
}

/* even and odd as the last step left them, which had them the other way round. */
INLINE void add_products(word even[WORDS + 1], word odd[WORDS + 2], FACTOR a, word b)
{
	word carry = 0;

	even[0] = chain_start(even[0], odd[1], &carry);
	UNROLL_WORDS for (int j = 0; j < WORDS; j += 2)
		chain_multiply_add(&odd[j], &odd[j + 1], FACTOR_WORD(a, j + 1), b, odd[j + 2],
			odd[j + 3], &carry);
	odd[WORDS] = chain_add(0, 0, &carry);
	chain_start(0, 0, &carry);
	UNROLL_WORDS for (int j = 0; j < WORDS; j += 2)
		chain_multiply_add(
			&even[j], &even[j + 1], FACTOR_WORD(a, j), b, even[j], even[j + 1], &carry);
	even[WORDS] = chain_add(even[WORDS], 0, &carry);
}

/* p = factor·b / 2^(32·WORDS) mod m, all of them below m.  The words of b are b_step apart. */
INLINE void montgomery(word p[WORDS], GLOBAL const word *factor, GLOBAL const word *b, int b_step,
	const struct rsa_modulus *m)
{
	word sums[2][WORDS + 2], carry = 0, top;
	LOAD_FACTOR(a, factor);

	UNROLL_WORDS for (int j = 0; j < WORDS + 2; j++)
		sums[0][j] = sums[1][j] = 0;
	NO_UNROLL for (int i = 0; i < WORDS; i += STEPS) {
		UNROLL_WORDS for (int j = 0; j < STEPS; j++) {
			word *even = sums[j % 2], *odd = sums[1 - j % 2], q;

			add_products(even, odd, a, b[(i + j) * b_step]);
			q = even[0] * m->inverse;
			add_multiple(odd, m, 1, q);
			add_multiple(even, m, 0, q);
		}
	}
	p[0] = chain_start(sums[0][0], sums[1][1], &carry);
	UNROLL_WORDS for (int j = 1; j < WORDS; j++)
		p[j] = chain_add(sums[0][j], sums[1][j + 1], &carry);
	top = chain_add(sums[0][WORDS], 0, &carry);
	subtract_once(p, top, m);
}
#endif

#ifdef __OPENCL_VERSION__
/*
 * out[i] = in[i]^exponent mod m, a number below m for each work-item.  exponent: odd, at least 3.
 * square: 2^(64·WORDS) mod m.  powers: room for as many numbers; it keeps in[i]·2^(32·WORDS) mod m.
 */
__kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1))) void rsa(GLOBAL const word *in,
	GLOBAL word *out, GLOBAL word *powers, GLOBAL const word *square, ulong exponent,
	struct rsa_modulus m)
{
#ifdef COALESCED
	size_t first = get_group_id(0) * (WORDS * WORK_ITEMS) + get_local_id(0);
#else
	size_t first = get_global_id(0) * WORDS;
#endif
	GLOBAL const word *a = in + first, *b = square;
	int bit = 63 - (int)clz(exponent), b_step = 1;
	bool multiply = false;
	word p[WORDS];

	/* Bit by bit a square, and the message where the bit is 1; as it is for the last one, which also
	 * takes 2^(32·WORDS) away. */
	for (bool converts = true;; converts = false) {
		montgomery(p, a, b, b_step, &m);
		UNROLL_WORDS for (int j = 0; j < WORDS; j++)
			out[first + j * STEP] = p[j];
		if (converts)
			UNROLL_WORDS for (int j = 0; j < WORDS; j++)
				powers[first + j * STEP] = p[j];
		a = out + first;
		b_step = STEP;
		if (multiply) {
			b = bit == 0 ? in + first : powers + first;
			multiply = false;
		} else if (bit-- > 0) {
			b = out + first;
			multiply = exponent >> bit & 1;
		} else {
			break;
		}
	}
}
#endif
