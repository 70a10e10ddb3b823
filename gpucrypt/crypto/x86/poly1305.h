/* Poly1305 (RFC 8439, section 2.5) by AVX-512 IFMA: eight blocks at a time, in limbs of 44, 44 and 42 bits.
 * For processors with CPU_IFMA (gpucrypt/crypto/cpu.h). */
#ifndef GPUCRYPT_CRYPTO_X86_POLY1305_H
#define GPUCRYPT_CRYPTO_X86_POLY1305_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* r and its powers: secret, wiped by the caller. */
struct poly1305_key {
	uint64_t r[3];
	uint64_t power_8[3], power_16[3];
	uint64_t powers[3][8]; /* limb, lane: r^1 to r^8, in the order of the lanes */
};

/* A tag in the making: zeroed at the start, secret. */
struct poly1305_sum {
	uint64_t lanes[3][8];
	uint64_t h[3];
	bool folded; /* the lanes were added to h */
};

/* r is clamped. */
void poly1305_ifma_set_key(struct poly1305_key *key, const uint8_t r[16]);

/* Every call but the last one of a message adds a multiple of 16 bytes; multiples of 256 are the fast ones. */
void poly1305_ifma_add(struct poly1305_sum *sum, const struct poly1305_key *key, const uint8_t *bytes, size_t n_bytes);

/* The tag with s = 0. */
void poly1305_ifma_finish(struct poly1305_sum *sum, const struct poly1305_key *key, uint8_t tag[16]);

#endif
