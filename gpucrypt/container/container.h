/* The native container: write, read, authenticate (gcrypt(5)).  A detached one is read and written
 * through the source and the sink of detached.h. */
#ifndef CONTAINER_H
#define CONTAINER_H

#include "gpucrypt/container/detached.h"
#include "gpucrypt/gpucrypt.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/pipeline/report.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/pipeline/source.h"

#define CHUNK_LOG2_DEFAULT 17
#define GROUP_LOG2_DEFAULT 23

/* Complete chunk_log2 and group_log2 of a plan: what is open follows from what is given.  GPUCRYPT_USAGE for sizes the
 * format does not have. */
int container_sizes(struct gpucrypt_plan *plan);

/* Encrypt source to its end.  plan is complete or has defaults filled in here; report may be NULL.
 */
int container_encrypt(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* Decrypt; plan says only engine, device, threads, table … (the header says the rest).  sink NULL:
 * verify, which also fails when one header copy is damaged or older. */
int container_decrypt(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* The same, going on with what an earlier run left in part, a regular file that sink writes to
 * (empty: nothing): groups there that verify are kept, the others get fresh salts.  GPUCRYPT_IO if
 * the source is another file than then or was written to, GPUCRYPT_USAGE for another cipher and so
 * on, GPUCRYPT_NO_KEY for another secret; part stays as it is. */
int container_resume(struct source *source, struct source *part, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* *found: container_resume() will continue the part file, whose header is *header.  Returns the statuses of
 * container_resume(). */
int container_resumable(bool *found, struct authenticated_header *header, struct source *source, struct source *part,
        const struct gpucrypt_secret *secret);

/* New pages, with fresh salts, for the image as it is now: the whole side file goes to sink.  Whoever
 * has the key says by this that the image is right.  GPUCRYPT_CORRUPT if its size has changed. */
int container_retag(struct detached_source *container, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* Both header copies of a container, by form (no key); the first 16384 bytes are read in order. */
int container_examine(struct source *source, struct examined_header *examined);

/* The same with a secret, for whoever reads on after the header. */
int container_unlock(struct source *source, struct authenticated_header *header, struct file_keys *keys,
        const struct gpucrypt_secret *secret);

/* What the header says is to be computed. */
struct suite header_suite(const struct authenticated_header *header, enum direction direction);

/* What every reader of payload begins with: unlock, tell the report (or NULL) what the header says, make
 * its suite, and see whether source and sink (or NULL) are of its layout and content. */
int container_begin(struct source *source, const struct sink *sink, const struct gpucrypt_secret *secret,
        struct authenticated_header *header, struct file_keys *keys, struct suite *suite, struct report *report);

/* What decrypts a group with other tools (`info --show-keys`); of a detached container, the image:
 * number, offset and IV are 0. */
struct group_report {
	uint64_t group, offset, n_bytes; /* of the payload in the file */
	uint8_t key[64], iv[16];
	unsigned key_bytes; /* all keys of the mode */
};

/* Call visit for each group (only: a group's number, or UINT64_MAX for all) of a seekable
 * container (where its descriptor stands does not matter), after its page is authenticated; stops
 * at the first status that is not OK. */
int container_groups(struct source *source, const struct gpucrypt_secret *secret, uint64_t only,
        int (*visit)(void *self, const struct group_report *group), void *self);

#endif
