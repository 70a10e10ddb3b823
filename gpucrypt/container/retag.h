/* New pages for the image of a detached container that was written to (gcrypt(5), "Detached images"). */
#ifndef GPUCRYPT_CONTAINER_RETAG_H
#define GPUCRYPT_CONTAINER_RETAG_H

#include "gpucrypt/container/container.h"

/* Make pages with fresh salts for the present image, and write the whole detached header to sink. The caller has the
 * key, and declares by this call that the image is right. Errors: GPUCRYPT_CORRUPT if the image's size has changed. */
int container_retag(struct detached_source *container, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

#endif
