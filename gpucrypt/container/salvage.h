/* Decrypting the intact parts of a damaged container (gcrypt(5), "Salvage"). */
#ifndef GPUCRYPT_CONTAINER_SALVAGE_H
#define GPUCRYPT_CONTAINER_SALVAGE_H

#include "gpucrypt/container/container.h"

struct damage {
	uint64_t offset, n_bytes; /* plaintext range replaced by zeros; n_bytes 0: none */
	bool after_end;           /* these bytes are missing: the output ends at offset */
	const char *reason;       /* not owned; valid during the call */
};

struct salvaged {
	uint64_t plaintext_bytes; /* length of the output */
	uint64_t good_bytes;      /* number of authentic bytes in the output; all others are zeros */
	uint64_t missing_bytes; /* number of bytes missing at the end, because the container has no payload for them */
	unsigned n_damages;     /* 0: the container is intact */
};

/* Decrypt a seekable container, with zeros in place of every chunk whose tag, or whose group's page, does not verify;
 * visit is called for each damage, in order.  The output is never longer than the container.  A header that does not
 * verify fails as in container_decrypt(); other damage is no failure.  GPUCRYPT_USAGE for a pipe. */
int container_salvage(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report,
        struct salvaged *salvaged, void (*visit)(void *self, const struct damage *damage), void *self);

#endif
