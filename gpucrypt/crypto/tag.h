/* Chunk tags: Poly1305 with AES-256-CTR masks over the ciphertext as stored (gcrypt(5), "Payload").
 */
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

#endif
