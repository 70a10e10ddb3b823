/*
 * Arithmetic with numbers of several words, after word.cl.
 *
 * A product and two summands fit into a double word: that is how numbers are multiplied with 64-bit
 * arithmetic.  The other way is a chain: each step takes the carry of the step before it.  NVIDIA's
 * assembly keeps the carry in a flag, which only these steps change, so a chain must not be
 * interrupted by another one; elsewhere it is the variable.
 */
#ifndef CARRY_CL
#define CARRY_CL

#ifdef __OPENCL_VERSION__
typedef ulong double_word;
#else
typedef uint64_t double_word;
#endif

/* In this order of additions NVIDIA's compiler emits a product and three additions; in its own order it moves words
 * into pairs of registers, on the multiplier's pipe. */
#ifdef PTX
INLINE double_word multiply_add(word a, word b, word c, word d)
{
	double_word sum;

	__asm__("mad.wide.u32 %0, %1, %2, %3;" : "=l"(sum) : "r"(a), "r"(b), "l"((double_word)c + d));
	return sum;
}
#else
INLINE double_word multiply_add(word a, word b, word c, word d)
{
	return (double_word)a * b + c + d;
}
#endif

/*
 * chain_start: x + y, the first step of a chain.
 * chain_add: x + y + carry.
 * chain_multiply_add: the two words of a·b + (high:low) + carry.
 */
#ifdef PTX
INLINE word chain_start(word x, word y, word *carry)
{
	word sum;

	__asm__ volatile("add.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(x), "r"(y));
	return sum;
}

INLINE word chain_add(word x, word y, word *carry)
{
	word sum;

	__asm__ volatile("addc.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(x), "r"(y));
	return sum;
}

INLINE void chain_multiply_add(word *to_low, word *to_high, word a, word b, word low, word high, word *carry)
{
	word sum_low, sum_high;

	__asm__ volatile("madc.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.cc.u32 %1, %2, %3, %5;"
	                 : "=&r"(sum_low), "=r"(sum_high)
	                 : "r"(a), "r"(b), "r"(low), "r"(high));
	*to_low = sum_low;
	*to_high = sum_high;
}
#else
INLINE word chain_start(word x, word y, word *carry)
{
	word sum = x + y;

	*carry = sum < x;
	return sum;
}

INLINE word chain_add(word x, word y, word *carry)
{
	double_word sum = (double_word)x + y + *carry;

	*carry = (word)(sum >> 32);
	return (word)sum;
}

INLINE void chain_multiply_add(word *to_low, word *to_high, word a, word b, word low, word high, word *carry)
{
	double_word first = multiply_add(a, b, low, *carry);
	double_word second = (first >> 32) + high;

	*to_low = (word)first;
	*to_high = (word)second;
	*carry = (word)(second >> 32);
}
#endif

#endif
