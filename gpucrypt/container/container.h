/* The native container as a whole: encrypt, decrypt, authenticate (gcrypt(5)).  A detached container is read and
 * written through the source and the sink of detached.h. */
#ifndef GPUCRYPT_CONTAINER_CONTAINER_H
#define GPUCRYPT_CONTAINER_CONTAINER_H

#include "gpucrypt/container/detached.h"
#include "gpucrypt/container/layout.h"
#include "gpucrypt/gpucrypt.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/pipeline/source.h"

/* Encrypt source to its end, by a plan that may leave sizes open; progress and report may be NULL. */
int container_encrypt(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* Decrypt, with the plan's engine, device, threads, table …: the header says the rest.  sink NULL: verify, which also
 * fails when one header copy is damaged or older. */
int container_decrypt(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* Both header copies, by form only (no key), from the source's next 16384 bytes. */
int container_examine(struct source *source, struct examined_header *examined);

/* Read both header copies and authenticate them with a secret, unless source->unlocked has the result for the same
 * copies and the same secret; the caller wipes keys. */
int container_unlock(struct source *source, struct authenticated_header *header, struct file_keys *keys,
        const struct gpucrypt_secret *secret);

/* The same, of copies that were read from the source. */
int container_unlock_copies(const struct source *source, struct authenticated_header *header, struct file_keys *keys,
        const uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret);

struct suite header_suite(const struct authenticated_header *header, enum direction direction);

/* Parameters for decrypting a group with other tools (`info --show-keys`).  The whole image of a detached container is
 * reported as one group with number, offset and IV 0. */
struct group_report {
	uint64_t group, offset, n_bytes; /* position and length of the payload in the file */
	uint8_t key[64], iv[16];
	unsigned key_bytes; /* total length of all keys of the mode */
};

/* Call visit for each group (only: a group's number, or UINT64_MAX for all) of a seekable container, wherever its
 * descriptor is positioned, after its page is authenticated; stop at the first status that is not OK. */
int container_groups(struct source *source, const struct gpucrypt_secret *secret, uint64_t only,
        int (*visit)(void *self, const struct group_report *group), void *self);

#endif
