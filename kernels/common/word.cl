/*
 * The dialect of this folder: sources that are OpenCL C 1.2 and C11 at once.
 *
 * A device program is word.cl + table.cl + CIPHER.cl + MODE.cl + grid.cl, where CIPHER_cached.cl and
 * ctr_cached.cl can be the mode; gpucrypt/crypto/host_core.c
 * includes the same cores and modes for the host, and the code analysis reads the cores as C.
 * Hosts and devices are little-endian.
 */
#ifndef WORD_CL
#define WORD_CL

#ifdef __OPENCL_VERSION__
typedef uint word;
typedef ulong block_number;
typedef uint4 block; /* 16 bytes as they lie in memory: x holds bytes 0 to 3 */
#define GLOBAL __global
/* Forced: PoCL 3.1 damages its memory when it optimises XTS with calls left in. */
#define INLINE            static inline __attribute__((always_inline))
#define BLOCK(x, y, z, w) ((block)(x, y, z, w))
#define ROTATE_LEFT(x, n) rotate((word)(x), (word)(n))
#define SWAP_BYTES(x)     as_uint(as_uchar4(x).wzyx)
#ifdef UNROLL /* rounds: faster on GPUs; on CPUs slower, and twice the build time */
#define PRAGMA_UNROLL _Pragma("unroll")
#else
#define PRAGMA_UNROLL _Pragma("nounroll")
#endif
#define PRAGMA_ROUNDS  _Pragma("nounroll") /* of a loop whose code is large, or rarely run */
#define DECRYPTS(span) DECRYPT
#else
#include <stdint.h>
typedef uint32_t word;
typedef uint64_t block_number;
typedef struct {
	word x, y, z, w;
} __attribute__((packed, may_alias)) block;
#define GLOBAL
#define INLINE            static inline __attribute__((unused))
#define BLOCK(x, y, z, w) ((block){ x, y, z, w })
#define ROTATE_LEFT(x, n) rotate_left(x, n)
#define SWAP_BYTES(x)     __builtin_bswap32(x)
#define PRAGMA_UNROLL
#define PRAGMA_ROUNDS
#ifdef DECRYPT
#define DECRYPTS(span) DECRYPT
#else
#define DECRYPTS(span) ((span)->decrypt)
#endif

/* A function: the code analysis takes calls by this name for rotations. */
INLINE word rotate_left(word x, int n)
{
	return x << (n & 31) | x >> (-n & 31);
}
#endif

/*
 * What one instruction of some devices does.  PTX: NVIDIA's assembly may be used.
 *
 * funnel_left: the high word of high:low << n, 0 ≤ n ≤ 31.
 * spread_byte: byte n of w in each byte of the result where the pattern has 1, elsewhere zero.
 * ALL_BITS: bit b of w in all bits.
 * hidden_zero: 0, but the compiler is not to know; another one each time.
 * LOGIC: a new slice, the function of the slices x, y and z that is written with a, b and c; NVIDIA's
 * compiler changes other circuits, which then need up to a third more instructions.
 */
#ifdef PTX
#define LOGIC(result, x, y, z, function)                                   \
	slice result;                                                      \
	{                                                                  \
		enum { a = 0xf0, b = 0xcc, c = 0xaa };                     \
		__asm__("lop3.b32 %0, %1, %2, %3, %4;"                     \
		        : "=r"(result)                                     \
		        : "r"(x), "r"(y), "r"(z), "n"(0xff & (function))); \
	}
INLINE word funnel_left(word high, word low, word n)
{
	word result;

	__asm__("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(n));
	return result;
}

/* prmt: nibble j of the selector names the byte of 0:w that becomes byte j; the zeros are 4 to 7. */
#define SELECT_BYTE(n, pattern, j) ((((pattern) >> (8 * (j))) & 1u ? (n) : 4u) << (4 * (j)))
INLINE word spread_byte(word w, uint n, word pattern)
{
	uint selector = SELECT_BYTE(n, pattern, 0) | SELECT_BYTE(n, pattern, 1) | SELECT_BYTE(n, pattern, 2) |
	                SELECT_BYTE(n, pattern, 3);
	word result;

	__asm__("prmt.b32 %0, %1, 0, %2;" : "=r"(result) : "r"(w), "r"(selector));
	return result;
}

/* The sign of a byte: nibbles of the selector with 8 repeat it. */
INLINE word all_bits(word w, uint b)
{
	word result;

	__asm__("prmt.b32 %0, %1, 0, %2;" : "=r"(result) : "r"(w << (7 - b % 8)), "r"((8 | b / 8) * 0x1111));
	return result;
}
#define ALL_BITS(w, b) all_bits(w, b)

INLINE word hidden_zero(void)
{
	word zero;

	__asm__ volatile("mov.u32 %0, 0;" : "=r"(zero));
	return zero;
}
#else
#define LOGIC(result, x, y, z, function)   \
	slice result;                      \
	{                                  \
		slice a = x, b = y, c = z; \
		(void)c;                   \
		result = function;         \
	}

INLINE word funnel_left(word high, word low, word n)
{
	return high << n | (low >> 1) >> (31 - n);
}

INLINE word spread_byte(word w, word n, word pattern)
{
	return ((w >> (8 * n)) & 0xffu) * pattern;
}

#define ALL_BITS(w, b) (0u - (((w) >> (b)) & 1u))

INLINE word hidden_zero(void)
{
	return 0;
}
#endif

/* Ones in the first n bytes of the four words at byte 4·i. */
INLINE word first_bytes(word n, word i)
{
	return n <= 4 * i ? 0u : n >= 4 * i + 4 ? ~0u : (1u << (8 * (n - 4 * i))) - 1u;
}

/* Values that all work-items of one launch share. */
struct span {
	block_number n_blocks;      /* whole blocks */
	block_number first_block;   /* of the buffer, in the stream that number belongs to */
	block_number high, low;     /* 128-bit number of block 0 (CTR) or data unit 0 (XTS) of the stream */
	word step;                  /* XTS: from one data unit's number to the next */
	word unit_log2;             /* XTS: log2 of the blocks in a data unit */
	GLOBAL const block *tweaks; /* XTS: of every 2^TWEAK_LOG2 blocks of the buffer, the first one's */
#ifndef __OPENCL_VERSION__
	int decrypt;     /* a device program has one direction, -DDECRYPT= */
	word tail_bytes; /* XTS with ciphertext stealing: behind n_blocks are a block and 1 to 15 bytes; else 0 */
#endif
};

#define TWEAK_LOG2 5
/* Entries behind the last one that may be read: the bitsliced kernels read whole rows of tweaks. */
#define TWEAKS_SPARE 32

/*
 * The arguments of the kernels, in order, for the kernels and for those who set them: FIRST(type, name) and
 * NEXT(type, name).  The types are OpenCL C's.
 */
#define CRYPT_ARGUMENTS(FIRST, NEXT)       \
	FIRST(GLOBAL const block *, in)    \
	NEXT(GLOBAL block *, out)          \
	NEXT(ulong, n_blocks)              \
	NEXT(ulong, first_block)           \
	NEXT(ulong, high)                  \
	NEXT(ulong, low)                   \
	NEXT(uint, step)                   \
	NEXT(uint, unit_log2)              \
	NEXT(GLOBAL const block *, tweaks) \
	NEXT(KEYS_ARGUMENT, key_argument)  \
	NEXT(TABLE_ARGUMENT, table_argument)
#define TAG_ARGUMENTS(FIRST, NEXT)          \
	FIRST(GLOBAL const block *, blocks) \
	NEXT(GLOBAL block *, tags)          \
	NEXT(ulong, first)                  \
	NEXT(ulong, n_bytes)                \
	NEXT(uint, chunk_log2)              \
	NEXT(uint4, key)
#define FIRST_ARGUMENT(type, name) type name
#define NEXT_ARGUMENT(type, name)  , type name

/* The cipher in the direction of the launch. */
#define CRYPT(span, s, k, t) (DECRYPTS(span) ? decrypt_block(s, k, t) : encrypt_block(s, k, t))

/* high:low + n of a 128-bit number that wraps. */
#define NUMBER_LOW(span, n)  ((span)->low + (n))
#define NUMBER_HIGH(span, n) ((span)->high + ((span)->low + (n) < (n)))

#endif
