/* What can still be had of a damaged container (gcrypt(5), "Salvage"). */
#ifndef SALVAGE_H
#define SALVAGE_H

#include "gpucrypt/container/container.h"

/* Something that is not as it should be. */
struct damage {
	uint64_t offset, n_bytes; /* of the plaintext that is zeros for it; 0 bytes: none is */
	bool after_end;           /* these bytes are not zeros but missing: the output ends at offset */
	const char *reason;       /* not owned, for the time of the call */
};

struct salvaged {
	uint64_t plaintext_bytes; /* that were written */
	uint64_t good_bytes;      /* of them; the others are zeros */
	uint64_t missing_bytes;   /* that should follow: the container has no payload for them */
	unsigned n_damages;       /* 0: the container is whole */
};

/*
 * Decrypt a seekable container, zeros in place of every chunk whose tag or whose group's metadata
 * page does not verify; visit is called for each piece of damage, in order.  The output never has
 * more bytes than the container.  A header that does not verify is the failure that
 * container_decrypt() has; any other damage is none.  GPUCRYPT_USAGE for a pipe.
 */
int container_salvage(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report,
        struct salvaged *salvaged, void (*visit)(void *self, const struct damage *damage), void *self);

#endif
