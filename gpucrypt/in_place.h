/* Encrypting an image where it is, into the detached layout (gcrypt(5), "In place"). */
#ifndef IN_PLACE_H
#define IN_PLACE_H

#include "container.h"

/* Regular files that are open for reading and writing, and nobody else's meanwhile. */
struct in_place {
	struct source *image, *side, *journal; /* not owned */
	int folder_fd;                         /* of side and journal */
};

/*
 * Begin, or go on with what an earlier run began and then as it was begun, whatever the plan says.
 * Whenever it is stopped, by a power failure too, a next run goes on.  GPUCRYPT_EXISTS if the image
 * is encrypted already, GPUCRYPT_CORRUPT if side file, journal and image do not belong together:
 * then nothing has been written.  Once it returns GPUCRYPT_OK the journal is of no more use.
 */
int container_encrypt_in_place(const struct in_place *files, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress,
        struct report *report);

/* Both header copies of the side file, by form; false if there is none yet. */
bool in_place_begun(struct source *side, struct header_state *state);

#endif
