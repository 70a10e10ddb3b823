/* Secrets that need a question to the user: a protected private key, or another try of a passphrase.  header_unlock()
 * asks only if no slot opens with the secrets that are known. */
#ifndef LOCKED_SECRET_H
#define LOCKED_SECRET_H

#include "gpucrypt/keys/header.h"

struct locked_secret {
	struct gpucrypt_secret public; /* the public key; for a passphrase only the type; type 0: not known */
	const char *name;              /* of its file, for messages; not owned */
	bool asked;                    /* do not ask again; set by open() */
	/* Ask.  *secret: the first of the new secrets, which are linked by next and stay owned by the callee.
	 * GPUCRYPT_NO_KEY: a wrong answer; GPUCRYPT_USAGE: there is no terminal. */
	int (*open)(struct locked_secret *self, const struct gpucrypt_secret **secret);
	struct locked_secret *next; /* not owned */
};

/* The locked secret to ask for next: first the secrets whose public key a slot names, never a secret that fits no slot.
 * NULL: there is none.  headers: of both copies, not authenticated; NULL: malformed. */
struct locked_secret *locked_secret_next(struct locked_secret *all, const struct header *const headers[2]);

#endif
