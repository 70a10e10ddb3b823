/* Continuing a container that an earlier run started (gcrypt(5), "Start records"). */
#ifndef RESUME_H
#define RESUME_H

#include "gpucrypt/container/container.h"

/* container_encrypt(), continuing what an earlier run left in part, a regular file that sink writes to (empty:
 * nothing). Groups there that verify are kept, the others get fresh salts.  GPUCRYPT_IO if the source has changed since
 * or is another file, GPUCRYPT_USAGE for other options, GPUCRYPT_NO_KEY for another secret; part then stays as it is.
 */
int container_resume(struct source *source, struct source *part, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* *found: container_resume() will continue the part file, whose header is *header.  Returns the statuses of
 * container_resume(). */
int container_resumable(bool *found, struct authenticated_header *header, struct source *source, struct source *part,
        const struct gpucrypt_secret *secret);

#endif
