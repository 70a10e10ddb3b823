/* Reads of any part of a seekable container, by any number of threads, each chunk authenticated before its plaintext is
 * given out (gcrypt(5), "A part of the plaintext").  The CPU decrypts. */
#ifndef GPUCRYPT_CONTAINER_RANDOM_ACCESS_H
#define GPUCRYPT_CONTAINER_RANDOM_ACCESS_H

#include "gpucrypt/container/container.h"

struct random_access;

/* Authenticate the header, all pages, the root and the length.  The source is used until closing.  Errors: those of
 * container_decrypt(), and GPUCRYPT_USAGE for a pipe. */
int random_access_open(struct random_access **access, struct source *source, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret);

/* Length of the plaintext. */
uint64_t random_access_size(const struct random_access *access);

/* n_bytes of the plaintext from offset on.  Thread-safe.  GPUCRYPT_USAGE if the plaintext does not have them;
 * GPUCRYPT_CORRUPT if a chunk is damaged, or if its page is not the one that opening saw: other reads are not
 * concerned, and a later read tries again. */
int random_access_read(struct random_access *access, uint8_t *bytes, size_t n_bytes, uint64_t offset);

/* Wipes all plaintext and keys; NULL: nothing. */
void random_access_close(struct random_access *access);

#endif
