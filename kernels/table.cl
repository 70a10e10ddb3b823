/*
 * Placement: where substitution tables and round keys lie, and how an entry is found.  Cores say
 * only LOOKUP(t, base, w, shift, bits): the entry of the table at word `base` that the field of
 * `bits` bits at `shift` of word w selects.  Everything about addresses is here.
 *
 * Macros of a device program: TABLE_IN_LOCAL (the policy), TABLE_IN_CONSTANT or TABLE_IN_GLOBAL;
 * COPIES, a power of two (interleaved: entry e of copy c is word e·COPIES + c, so that neighbouring
 * work-items meet different banks); KEYS_IN_LOCAL or KEYS_IN_CONSTANT; TABLE_WORDS,
 * ROUND_KEY_WORDS, WORK_ITEMS.
 *
 * Table look-ups take data-dependent time on most devices: this is not constant-time code.
 */
#ifndef COPIES
#define COPIES 1
#endif
#define FIELD(w, shift, bits)           (((w) >> (shift)) & ((1u << (bits)) - 1u))
#ifndef LOOKUP /* the code that traces look-ups brings its own */
#define LOOKUP(t, base, w, shift, bits) (((t) + (base) * COPIES)[FIELD(w, shift, bits) * COPIES])
#endif

#ifdef __OPENCL_VERSION__

/* Copy n words from global memory to local memory, each of them `copies` times. */
#define COPY_TO_LOCAL(to, from, n, copies)                                                       \
	for (uint copied = get_local_id(0); copied < (n) * (copies); copied += WORK_ITEMS)        \
	(to)[copied] = (from)[copied / (copies)]

#if defined TABLE_IN_LOCAL
typedef __local const word *tables;
#define TABLE_ARGUMENT __global const word *
#define PLACE_TABLE(t, argument)                                                                 \
	__local word t##_local[TABLE_WORDS * COPIES];                                             \
	COPY_TO_LOCAL(t##_local, argument, TABLE_WORDS, COPIES);                                  \
	tables t = t##_local + get_local_id(0) % COPIES
#else
#ifdef TABLE_IN_CONSTANT
typedef __constant const word *tables;
#else
typedef __global const word *tables;
#endif
#define TABLE_ARGUMENT              tables
#define PLACE_TABLE(t, argument)    tables t = argument
#endif

#if defined KEYS_IN_LOCAL
typedef __local const word *keys;
#define KEYS_ARGUMENT __global const word *
#define PLACE_KEYS(k, argument)                                                                  \
	__local word k##_local[ROUND_KEY_WORDS];                                                  \
	COPY_TO_LOCAL(k##_local, argument, ROUND_KEY_WORDS, 1);                                   \
	keys k = k##_local
#else
typedef __constant const word *keys;
#define KEYS_ARGUMENT            keys
#define PLACE_KEYS(k, argument)  keys k = argument
#endif
#define KEY(k, i) ((k)[i])

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
