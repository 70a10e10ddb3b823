/* A container under a new file key, in one pass (gcrypt(5), "Writing"). */
#ifndef REKEY_H
#define REKEY_H

#include "gpucrypt/container/container.h"

struct rekey {
	struct source *source; /* the container, from its start */
	struct sink *sink;
	const struct gpucrypt_plan *decrypt;      /* table, work-items …; the header says the rest */
	const struct gpucrypt_plan *encrypt;      /* and the engine of both */
	const struct gpucrypt_secret *secret;     /* opens the old container */
	const struct gpucrypt_secret *secrets;    /* each gets a slot of the new one; their derived is
	                                             not that of secret */
	const struct gpucrypt_progress *progress; /* or NULL */
};

/*
 * Each group is authenticated before what it becomes is released, and the last group, the root and the
 * length before the new container's last group is.  The new one has the old one's content, and its
 * length if that is known.  old is the header as it was, authenticated; report says what encrypted.
 */
int container_rekey(const struct rekey *rekey, struct authenticated_header *old, struct report *report);

/* Why a container with chunks and groups of these sizes is not decrypted and encrypted group by group on
 * the engine (recrypt.h), but goes as plaintext through the host's memory from one pipeline into
 * another; NULL if it does not. */
const char *rekey_detour(unsigned chunk_log2, unsigned group_log2, const struct gpucrypt_plan *encrypt);

#endif
