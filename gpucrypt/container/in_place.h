/* Encrypting an image where it is, into the detached layout (gcrypt(5), "In place"). */
#ifndef IN_PLACE_H
#define IN_PLACE_H

#include "gpucrypt/container/container.h"

/* Regular files that are open for reading and writing, and that no other process uses during the run. */
struct in_place {
	struct source *image, *header_file, *journal; /* not owned */
	int folder_fd;                                /* of header_file and journal */
	bool trusted; /* continue without a start record of this secret and image (start_record.h) */
};

/* Start, or continue what an earlier run of this secret started on this image, with that run's cipher, mode and sizes
 * instead of the plan's.  If it is stopped, by a power failure too, the next run continues.  GPUCRYPT_EXISTS if the
 * image is encrypted already or the detached header has no start record of this secret and image, GPUCRYPT_CORRUPT if
 * detached header, journal and image do not belong together: then nothing has been written.  After GPUCRYPT_OK the
 * journal is no longer needed. */
int container_encrypt_in_place(const struct in_place *files, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

#endif
