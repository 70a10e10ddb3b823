/* A container under a new file key, in one pass (gcrypt(5), "Writing"). */
#ifndef REKEY_H
#define REKEY_H

#include "gpucrypt/container/container.h"

struct rekey {
	struct source *source; /* the old container, at its start */
	struct sink *sink;
	const struct gpucrypt_plan *decrypt;      /* table, work-items …: the header says the rest */
	const struct gpucrypt_plan *encrypt;      /* also the engine of both */
	const struct gpucrypt_secret *secret;     /* unlocks the old container */
	const struct gpucrypt_secret *secrets;    /* each gets a slot of the new container; none has the same `derived`
	                                             as secret */
	const struct gpucrypt_progress *progress; /* or NULL */
};

/* Each group is authenticated before its new group is written; before the last one is, root and length are checked too.
 * The new container has the old one's content, and its length if that is known.  *old becomes the old header,
 * authenticated; the report is that of the encryption. */
int container_rekey(const struct rekey *rekey, struct authenticated_header *old, struct report *report);

/* Why a container with chunks and groups of these sizes cannot be decrypted and encrypted group by group on the engine
 * (recrypt.h), so that its plaintext passes through the host's memory from one pipeline to another; NULL: it can. */
const char *rekey_detour(unsigned chunk_log2, unsigned group_log2, const struct gpucrypt_plan *encrypt);

#endif
