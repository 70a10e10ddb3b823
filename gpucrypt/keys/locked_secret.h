/* Secrets that cost a question: a private key under a passphrase, or a passphrase once more.  header_unlock() asks when
 * no slot opens with the secrets that are there. */
#ifndef LOCKED_SECRET_H
#define LOCKED_SECRET_H

#include "gpucrypt/keys/header.h"

struct locked_secret {
	struct gpucrypt_secret public; /* its public key; of a passphrase the type alone; type 0: not known */
	const char *name;              /* of its file, for messages; not owned */
	bool asked;                    /* not asked again; set by open */
	/* Ask.  *secret: the first of the new secrets, linked by next; it stays the owner's.  GPUCRYPT_NO_KEY: a wrong
	 * answer; GPUCRYPT_USAGE: nobody to ask. */
	int (*open)(struct locked_secret *self, const struct gpucrypt_secret **secret);
	struct locked_secret *next; /* not owned */
};

/* The one to ask for next: first those whose public key a slot names, never one that fits no slot.  NULL: there is
 * none. headers: of both copies, not authenticated; NULL: malformed. */
struct locked_secret *locked_secret_next(struct locked_secret *all, const struct header *const headers[2]);

#endif
