/* Modes of operation over any cipher. */
#ifndef GPUCRYPT_CRYPTO_MODE_H
#define GPUCRYPT_CRYPTO_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X(NAME, ...) MODE_##NAME,
enum mode_number {
#include "kernels/modes.inc"
	N_MODES
};
#undef X

struct mode {
	enum mode_number number; /* index into host_core.crypt */
	const char *name;
	const char *reference;
	const char *sources;        /* file names in kernels/, separated by spaces */
	const char *slice_sources;  /* the same for the bitsliced form */
	const char *cached_sources; /* for several blocks per work-item that share rounds; NULL: none */
	uint8_t id;                 /* in the container */
	unsigned n_keys;            /* XTS has two, one after the other */
	bool encrypts_only;         /* decryption is the same operation (CTR) */
	bool whole_blocks;          /* the container pads the last block with zeros */
	bool takes_iv;              /* 16 bytes, the first counter block (CTR) */
	bool pads;                  /* whole blocks only: raw mode pads by PKCS#7 (ECB) */
	bool has_tweaks;            /* one encrypted number per data unit, computed in a first pass */
};

extern const struct mode modes[N_MODES];

/* The mode of this number in a header; NULL: unknown. */
const struct mode *mode_by_id(unsigned id);

#endif
