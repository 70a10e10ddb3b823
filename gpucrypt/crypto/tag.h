/* Chunk tags: Poly1305 with AES-256-CTR masks over the ciphertext as stored (gcrypt(5), "Payload"). */
#ifndef GPUCRYPT_CRYPTO_TAG_H
#define GPUCRYPT_CRYPTO_TAG_H

#include <stddef.h>
#include <stdint.h>

#include "gpucrypt/crypto/keys.h"

#define MAX_CHUNKS 128
#define TAG_BYTES  16

/* tags[i] of chunk i = bytes [i·2^chunk_log2, …) of the payload; the last may be short.  Writes
 * ⌈n_bytes / chunk⌉ tags. */
int tags_compute(uint8_t tags[][TAG_BYTES], const struct group_keys *keys, const uint8_t *payload, size_t n_bytes,
        unsigned chunk_log2);

/* The same with r and s = 0, for tags_finish(). */
int chunk_tags(
        uint8_t tags[][TAG_BYTES], const uint8_t r[16], const uint8_t *payload, size_t n_bytes, unsigned chunk_log2);

/* Complete tags with s = 0, as engines compute them: add s, modulo 2^128. */
int tags_finish(uint8_t tags[][TAG_BYTES], const struct group_keys *keys, size_t n_chunks);

/* Poly1305 of many chunks under one r: by AVX-512 IFMA where the processor has it, else by libcrypto. */

#ifdef __x86_64__
/* RFC 8439, section 2.5, eight blocks at a time, in limbs of 44, 44 and 42 bits.  For processors with CPU_IFMA. */

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

/* Holds secrets; one thread at a time.  Zeroed is closed. */
struct tagger {
	uint8_t key[32];                /* r, and s = 0 */
	struct evp_mac_ctx_st *context; /* owned; NULL with IFMA */
#ifdef __x86_64__
	bool by_ifma;
	struct poly1305_key powers;
	struct poly1305_sum sum;
#endif
};

int tagger_open(struct tagger *tagger, const uint8_t r[16]);

/* Free what libcrypto has looked up for all taggers; none is open. */
void tagger_release(void);
void tagger_close(struct tagger *tagger); /* secrets are wiped */

/* One chunk: start, bytes in pieces that are multiples of 16 but for the last one, then its tag with s = 0. */
int tagger_start(struct tagger *tagger);
int tagger_add(struct tagger *tagger, const uint8_t *bytes, size_t n_bytes);
int tagger_finish(struct tagger *tagger, uint8_t tag[16]);

#endif
