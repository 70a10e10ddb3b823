/*
 * Placement: where substitution tables and round keys lie, and how an entry is found.  Cores say
 * only LOOKUP(t, base, w, shift, bits): the entry of the table at word `base` that the field of
 * `bits` bits at `shift` of word w selects; LOOKUP_ALONE where the other bits of its byte are zero.  Everything about
 * addresses is here.
 *
 * Macros of a device program: TABLE_IN_LOCAL (the policy), TABLE_IN_CONSTANT or TABLE_IN_GLOBAL;
 * COPIES, the replicas of the table, a power of two (interleaved: entry e of replica c is word e·COPIES + c, so that
 * neighbouring work-items read different banks); KEYS_IN_LOCAL or KEYS_IN_CONSTANT; TABLE_WORDS,
 * ROUND_KEY_WORDS, WORK_ITEMS; PTX where word.cl says so.
 *
 * A kernel places the table and the keys, waits at a barrier, and then opens the table; in the end it
 * clears the keys, which the next program in the same local memory could read.
 *
 * Table look-ups take data-dependent time on most devices: this is not constant-time code.  A program
 * without tables, TABLE_WORDS=0, is (slice.cl).
 */
#ifndef COPIES
#define COPIES 1
#endif
#define FIELD(w, shift, bits) (((w) >> (shift)) & ((1u << (bits)) - 1u))

#ifdef __OPENCL_VERSION__

/* Copy n words from global memory to local memory, each of them `copies` times. */
#define COPY_TO_LOCAL(to, from, n, copies)                                                 \
	for (uint copied = get_local_id(0); copied < (n) * (copies); copied += WORK_ITEMS) \
	(to)[copied] = (from)[copied / (copies)]

/* Volatile: nothing reads it again. */
#define CLEAR_LOCAL(words, n)                                                      \
	barrier(CLK_LOCAL_MEM_FENCE);                                              \
	for (uint cleared = get_local_id(0); cleared < (n); cleared += WORK_ITEMS) \
	((volatile __local word *)(words))[cleared] = 0

#if TABLE_WORDS == 0 /* bitsliced: no table */
typedef __global const word *tables;
#define TABLE_ARGUMENT           tables
#define PLACE_TABLE(t, argument) tables t = argument
#define OPEN_TABLE(t)
#elif defined TABLE_IN_LOCAL
#define TABLE_ARGUMENT __global const word *
#define PLACE_TABLE(t, argument)                      \
	__local word t##_local[TABLE_WORDS * COPIES]; \
	COPY_TO_LOCAL(t##_local, argument, TABLE_WORDS, COPIES)
#ifdef PTX
/*
 * The 32-bit address of the work-item's copy: pointers have 64 bits, and their arithmetic would cost
 * more than the look-up.  An entry is ENTRY_BYTES from the next one.  A field that lies within one
 * byte of the word becomes an address by one dp4a, the sum of the four products of bytes.
 */
typedef uint tables;
#define ENTRY_BYTES               (4u * COPIES)
#define MASK(shift, bits)         (((1u << (bits)) - 1u) << (shift))
#define IN_BYTE(shift, bits)      ((7 & (shift)) + (bits) <= 8 && ENTRY_BYTES <= 128 && ENTRY_BYTES >> (7 & (shift)) != 0)

/* Behind the barrier: volatile, so that no look-up comes before the table is complete. */
INLINE tables open_table(__local const word *t)
{
	tables address = (uint)(size_t)t + 4 * (get_local_id(0) % COPIES);

	__asm__ volatile("mov.u32 %0, %0;" : "+r"(address) : : "memory");
	return address;
}
#define OPEN_TABLE(t)             tables t = open_table(t##_local)

INLINE uint dp4a(word a, word b, uint sum)
{
	__asm__("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
	return sum;
}

/* Mask for the field, whatever the other bits of w are. Constant except for t and w, so that the compiler removes
 * unused cases. */
INLINE uint entry_address(tables t, word w, uint shift, uint bits)
{
	if (ENTRY_BYTES >> shift != 0)
		return (w & MASK(shift, bits)) * (ENTRY_BYTES >> shift) + t;
	return (w / ((1u << shift) / ENTRY_BYTES) & MASK(0, bits) * ENTRY_BYTES) + t;
}

/* The byte that contains the field. */
#define BYTE_ADDRESS(t, w, shift) dp4a(w, ENTRY_BYTES >> (7 & (shift)) << ((shift) & ~7u), t)

#define LOAD_ENTRY(base, address)                                                                              \
	({                                                                                                     \
		word entry;                                                                                    \
		__asm__("ld.shared.u32 %0, [%1+%2];" : "=r"(entry) : "r"(address), "n"(ENTRY_BYTES * (base))); \
		entry;                                                                                         \
	})
#define LOOKUP(t, base, w, shift, bits)                                           \
	LOAD_ENTRY(base, !IN_BYTE(shift, bits) ? entry_address(t, w, shift, bits) \
	                 : (bits) == 8         ? BYTE_ADDRESS(t, w, shift)        \
	                                       : BYTE_ADDRESS(t, MASK(shift, bits) & (w), shift))
#define LOOKUP_ALONE(t, base, w, shift, bits) \
	LOAD_ENTRY(base, IN_BYTE(shift, bits) ? BYTE_ADDRESS(t, w, shift) : entry_address(t, w, shift, bits))
#else
typedef __local const word *tables;
#define OPEN_TABLE(t) tables t = t##_local + get_local_id(0) % COPIES
#endif
#else
#ifdef TABLE_IN_CONSTANT
typedef __constant const word *tables;
#else
typedef __global const word *tables;
#endif
#define TABLE_ARGUMENT           tables
#define PLACE_TABLE(t, argument) tables t##_argument = argument
#define OPEN_TABLE(t)            tables t = t##_argument
#endif

#if defined KEYS_IN_LOCAL && TABLE_WORDS == 0
/* Bitsliced: each bit of the round keys becomes a separate word of ones or zeros. */
typedef __local const word *keys;
#define KEYS_ARGUMENT __global const word *
#define PLACE_KEYS(k, argument)                                                                  \
	__local word k##_local[32 * ROUND_KEY_WORDS];                                            \
	for (uint copied = get_local_id(0); copied < 32 * ROUND_KEY_WORDS; copied += WORK_ITEMS) \
		k##_local[copied] = 0u - ((argument[copied / 32] >> (copied % 32)) & 1u);        \
	keys k = k##_local
#define CLEAR_KEYS(k)     CLEAR_LOCAL(k##_local, 32 * ROUND_KEY_WORDS)
#define KEY_MASK(k, i, b) ((k)[32 * (i) + (b)])
#elif defined KEYS_IN_LOCAL
typedef __local const word *keys;
#define KEYS_ARGUMENT __global const word *
#define PLACE_KEYS(k, argument)                                 \
	__local word k##_local[ROUND_KEY_WORDS];                \
	COPY_TO_LOCAL(k##_local, argument, ROUND_KEY_WORDS, 1); \
	keys k = k##_local
#define CLEAR_KEYS(k) CLEAR_LOCAL(k##_local, ROUND_KEY_WORDS)
#elif defined KEYS_IN_ARGUMENT
typedef struct {
	word word[ROUND_KEY_WORDS];
} key_words;
typedef const key_words *keys;
#define KEYS_ARGUMENT           const key_words
#define PLACE_KEYS(k, argument) keys k = &argument
#define KEY(k, i)               ((k)->word[i])
#else
typedef __constant const word *keys;
#define KEYS_ARGUMENT           keys
#define PLACE_KEYS(k, argument) keys k = argument
#endif
#ifndef KEY
#define KEY(k, i) ((k)[i])
#endif
#ifndef CLEAR_KEYS
#define CLEAR_KEYS(k)
#endif

#else /* C11: the rounds come with the key, unless -DROUNDS fixes them as on a device */

typedef const word *tables;
#ifdef ROUNDS
typedef const word *keys;
#define KEY(k, i) ((k)[i])
#else
typedef const struct round_keys *keys;
#define KEY(k, i) ((k)->word[i])
#define ROUNDS    (k->rounds)
#endif

#endif

/* Bit b of word i of the round keys, in all bits of a word. */
#ifndef KEY_MASK
#define KEY_MASK(k, i, b) ALL_BITS(KEY(k, i), b)
#endif

#ifndef LOOKUP /* PTX, and the code that traces look-ups, bring their own */
#define LOOKUP(t, base, w, shift, bits) (((t) + COPIES * (base))[FIELD(w, shift, bits) * COPIES])
#endif
#ifndef LOOKUP_ALONE
#define LOOKUP_ALONE(t, base, w, shift, bits) LOOKUP(t, base, w, shift, bits)
#endif
