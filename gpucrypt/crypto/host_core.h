/* The reference implementation: the ciphers and modes of kernels/, compiled by the C compiler. */
#ifndef HOST_CORE_H
#define HOST_CORE_H

#include "gpucrypt/crypto/cipher.h"
#include "kernels/common/word.cl"

/* One cipher in one implementation: a table form (host_core.c; not constant-time), bitsliced (host_slice.c) or by
 * instructions (x86/). */
struct host_core {
	/* One block in place, as words in the cipher's byte order in memory. */
	void (*block)(block *b, enum direction direction, const struct round_keys *keys, const uint32_t *table);
	/* All whole blocks of a span, by mode number. */
	void (*crypt[N_MODES])(const block *in, block *out, const struct span *span, const struct round_keys *keys,
	        const uint32_t *table);
	/* XTS: encrypted numbers of n_units data units. */
	void (*tweaks)(block *tweaks, uint64_t n_units, const struct span *span, const struct round_keys *keys,
	        const uint32_t *table);
	/* NULL, or of an instruction form: execute n instructions of a kind that bounds its speed, of which none waits
	 * for another.  AES: a round; byte-sliced: XOR. */
	void (*issue)(unsigned n);
};

#endif
