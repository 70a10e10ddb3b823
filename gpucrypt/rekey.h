/* A container under a new file key, in one pass (gcrypt(5), "Writing"): what is decrypted goes through
 * memory into the encrypting pipeline. */
#ifndef REKEY_H
#define REKEY_H

#include "container.h"

struct rekey {
	struct source *source; /* the container, from its start */
	struct sink *sink;
	const struct gpucrypt_plan *decrypt; /* engine, device, threads …; the header says the rest */
	const struct gpucrypt_plan *encrypt;
	const struct gpucrypt_secret *secret;  /* opens the old container */
	const struct gpucrypt_secret *secrets; /* each gets a slot of the new one; their derived is
	                                          not that of secret */
	const struct gpucrypt_progress *progress; /* or NULL */
};

/*
 * Each group is authenticated before it is encrypted, and the last group, the root and the length
 * before the new container's last group is written.  The new one has the old one's content, and its
 * length if that is known.  old is the header as it was, authenticated; report says what encrypted.
 */
int container_rekey(const struct rekey *rekey, struct header_state *old, struct report *report);

#endif
