/* Chunk tags: Poly1305 with AES-256-CTR masks over the ciphertext as stored (gcrypt(5), "Payload"). */
#ifndef GPUCRYPT_CRYPTO_TAG_H
#define GPUCRYPT_CRYPTO_TAG_H

#include <stddef.h>
#include <stdint.h>

#include "gpucrypt/crypto/keys.h"
#ifdef __x86_64__
#include "gpucrypt/crypto/x86/poly1305.h"
#endif

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
