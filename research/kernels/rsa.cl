/*
 * RSA with a public exponent (RFC 8017, 5.1.1): one work-item a message, by Montgomery multiplication
 * in radix 2^32 (Koç, Acar, Kaliski: "Analyzing and Comparing Montgomery Multiplication Algorithms",
 * 1996, method FIOS) and left-to-right exponentiation.  Its time does not depend on the messages.
 *
 * Built after word.cl and carry.cl, with -DWORDS= of the modulus, a multiple of 8 up to 64, and of 32
 * beyond; -DCHAINS for chains of carries in place of 64-bit arithmetic; -DCOALESCED where the i-th words
 * of a work-group's messages lie side by side.
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

/* Longer numbers do not fit into registers: they are multiplied part by part. */
#if WORDS <= 64
#define PART WORDS
#else
#define PART 32
#endif
#define PARTS (WORDS / PART)
#if WORDS % 8 != 0 || WORDS % PART != 0
#error "WORDS: not whole steps, or not whole parts"
#endif

/* Unrolled, arrays of words are registers.  The loop over rows is not, which would take minutes. */
#ifdef UNROLL
#define UNROLL_WORDS _Pragma("unroll")
#else
#define UNROLL_WORDS _Pragma("nounroll")
#endif
#define NO_UNROLL _Pragma("unroll 1")
#if PARTS == 1
#define EACH_PART UNROLL_WORDS
#define EACH_WORD UNROLL_WORDS
#else
#define EACH_PART NO_UNROLL
#define EACH_WORD _Pragma("unroll 8")
#endif
/* Rows at once: the registers are put in order only after each turn; more are slow to build. */
#ifdef CHAINS
#define STEPS 8
#else
#define STEPS 2
#endif

/* p - m if p ≥ m; the highest bit of p, which is below 2m, is top. */
INLINE void subtract_once(word p[WORDS], word top, const struct rsa_modulus *m)
{
	word borrow = 0, mask;

	EACH_WORD for (int j = 0; j < WORDS; j++) borrow = (word)(((double_word)p[j] - m->words[j] - borrow) >> 63);
	mask = 0u - (top | (borrow ^ 1u));
	borrow = 0;
	EACH_WORD for (int j = 0; j < WORDS; j++)
	{
		double_word difference = (double_word)p[j] - (m->words[j] & mask) - borrow;

		p[j] = (word)difference;
		borrow = (word)(difference >> 63);
	}
}

/*
 * A row adds factor·b, b a word, and the multiple q of the modulus that makes the lowest word zero, and
 * leaves that word out.  In parts, all rows of a part come one after the other: the lowest part decides
 * on q; of the other parts, the word that is left out belongs to the sum's part below.
 */
struct rows {
	GLOBAL const word *b; /* of each row, b_step apart */
	int b_step;
	word inverse; /* of the modulus */
	word *q;      /* of each row */
	word *out;    /* the sum's part; the words that are left out belong before it */
};

INLINE word multiple(const struct rows *rows, int part, int row, word lowest)
{
	word q;

	if (PARTS == 1)
		return lowest * rows->inverse;
	q = part == 0 ? lowest * rows->inverse : rows->q[row];
	rows->q[row] = q;
	return q;
}

INLINE void leave_out(const struct rows *rows, int part, int row, word lowest)
{
	if (PARTS > 1 && part != 0)
		rows->out[row - PART] = lowest;
}

#ifndef CHAINS
/* The sum's words are top and p; the new top is returned.  part: 0 is the lowest. */
INLINE word add_rows(word p[PART], word top, const word a[PART], const word m[PART], const struct rows *rows, int part)
{
	NO_UNROLL for (int i = 0; i < PART; i += STEPS)
	{
		UNROLL_WORDS for (int step = 0; step < STEPS; step++)
		{
			word b = rows->b[(i + step) * rows->b_step];
			double_word x = multiply_add(a[0], b, p[0], 0);
			word q = multiple(rows, part, i + step, (word)x);
			double_word y = multiply_add(m[0], q, (word)x, 0);

			leave_out(rows, part, i + step, (word)y);
			UNROLL_WORDS for (int j = 1; j < PART; j++)
			{
				x = multiply_add(a[j], b, p[j], (word)(x >> 32));
				y = multiply_add(m[j], q, (word)x, (word)(y >> 32));
				p[j - 1] = (word)y;
			}
			x = (x >> 32) + (y >> 32) + top;
			p[PART - 1] = (word)x;
			top = (word)(x >> 32);
		}
	}
	return top;
}

#else
/*
 * The sum is kept as even + odd·2^32, so that the products with words of even numbers and those with
 * odd ones are two chains, each of pairs of words side by side.  Dividing by 2^32 makes odd the
 * even one; even becomes odd, shifted by two words, and even[1] is left, which the next row adds.
 */
INLINE void add_multiple(word sum[PART + 1], const word m[PART], int first, word q)
{
	word carry = 0;

	chain_start(0, 0, &carry);
	UNROLL_WORDS for (int j = 0; j < PART; j += 2)
	        chain_multiply_add(&sum[j], &sum[j + 1], m[j + first], q, sum[j], sum[j + 1], &carry);
	sum[PART] = chain_add(sum[PART], 0, &carry);
}

/* even and odd as the last row left them, which had them the other way round. */
INLINE void add_products(word even[PART + 1], word odd[PART + 2], const word a[PART], word b)
{
	word carry = 0;

	even[0] = chain_start(even[0], odd[1], &carry);
	UNROLL_WORDS for (int j = 0; j < PART; j += 2)
	        chain_multiply_add(&odd[j], &odd[j + 1], a[j + 1], b, odd[j + 2], odd[j + 3], &carry);
	odd[PART] = chain_add(0, 0, &carry);
	chain_start(0, 0, &carry);
	UNROLL_WORDS for (int j = 0; j < PART; j += 2)
	        chain_multiply_add(&even[j], &even[j + 1], a[j], b, even[j], even[j + 1], &carry);
	even[PART] = chain_add(even[PART], 0, &carry);
}

/* The sum's words are top and p; the new top is returned.  part: 0 is the lowest. */
INLINE word add_rows(word p[PART], word top, const word a[PART], const word m[PART], const struct rows *rows, int part)
{
	word sums[2][PART + 2], carry = 0;

	UNROLL_WORDS for (int j = 0; j < PART + 2; j++)
	{
		sums[0][j] = j < PART ? p[j] : 0;
		sums[1][j] = 0;
	}
	sums[0][PART] = top;
	NO_UNROLL for (int i = 0; i < PART; i += STEPS)
	{
		UNROLL_WORDS for (int j = 0; j < STEPS; j++)
		{
			word *even = sums[j % 2], *odd = sums[1 - j % 2], q;

			add_products(even, odd, a, rows->b[(i + j) * rows->b_step]);
			q = multiple(rows, part, i + j, even[0]);
			add_multiple(odd, m, 1, q);
			add_multiple(even, m, 0, q);
			leave_out(rows, part, i + j, even[0]);
		}
	}
	p[0] = chain_start(sums[0][0], sums[1][1], &carry);
	UNROLL_WORDS for (int j = 1; j < PART; j++) p[j] = chain_add(sums[0][j], sums[1][j + 1], &carry);
	return chain_add(sums[0][PART], 0, &carry);
}
#endif

/* sum += part; the sum's highest word is top, and the new one is returned. */
INLINE word add_part(word sum[PART], word top, const word *part)
{
	word carry = 0;

	sum[0] = chain_start(sum[0], part[0], &carry);
	UNROLL_WORDS for (int j = 1; j < PART; j++) sum[j] = chain_add(sum[j], part[j], &carry);
	return chain_add(top, 0, &carry);
}

/* p = factor·b / 2^(32·WORDS) mod m, all of them below m.  The words of b are b_step apart. */
INLINE void montgomery(
        word p[WORDS], GLOBAL const word *factor, GLOBAL const word *b, int b_step, const struct rsa_modulus *m)
{
	word highest = 0;

	EACH_WORD for (int j = 0; j < WORDS; j++) p[j] = 0;
	EACH_PART for (int i = 0; i < WORDS; i += PART)
	{
		word sum[PART], q[PART], top = 0;

		UNROLL_WORDS for (int k = 0; k < PART; k++) sum[k] = 0;
		EACH_PART for (int j = 0; j < WORDS; j += PART)
		{
			const struct rows rows = { b + i * b_step, b_step, m->inverse, q, p + j };
			const word *modulus = m->words + j;
			word a[PART];

			UNROLL_WORDS for (int k = 0; k < PART; k++) a[k] = factor[(j + k) * STEP];
			if (j + PART == WORDS)
				top += highest;
			if (PARTS > 1)
				top = add_part(sum, top, p + j);
			top = add_rows(sum, top, a, modulus, &rows, j);
		}
		UNROLL_WORDS for (int k = 0; k < PART; k++) p[WORDS - PART + k] = sum[k];
		highest = top;
	}
	subtract_once(p, highest, m);
}

#ifdef __OPENCL_VERSION__
/*
 * out[i] = in[i]^exponent mod m, a number below m for each work-item.  exponent: odd, at least 3.
 * square: 2^(64·WORDS) mod m.  powers: room for as many numbers; it keeps in[i]·2^(32·WORDS) mod m.
 */
__kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1))) void rsa(GLOBAL const word *in, GLOBAL word *out,
        GLOBAL word *powers, GLOBAL const word *square, ulong exponent, struct rsa_modulus m)
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
		EACH_WORD for (int j = 0; j < WORDS; j++) out[first + j * STEP] = p[j];
		if (converts)
			EACH_WORD for (int j = 0; j < WORDS; j++) powers[first + j * STEP] = p[j];
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
