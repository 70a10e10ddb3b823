/* Adding and removing key slots of an existing container (gcrypt(5), "Writing").  Its payload is neither read nor
 * written, and at each moment one copy of the header is whole. */
#ifndef GPUCRYPT_KEYS_KEY_CHANGE_H
#define GPUCRYPT_KEYS_KEY_CHANGE_H

#include "gpucrypt/keys/recipients.h"
#include "gpucrypt/pipeline/source.h"

/* A change of key slots; the file is open for reading and writing. */
struct key_change {
	const struct gpucrypt_secret *secret; /* unlocks the container */
	const struct gpucrypt_secret *add;    /* a list; a slot is added for each; or NULL */
	/* What is removed, in the same write: */
	int remove;             /* number of a slot; -1: none */
	unsigned remove_member; /* of that slot, which is shared, counted from 1; 0: the whole slot */
	const struct gpucrypt_secret *remove_keys; /* the slots of these public keys; or NULL */
	const char *remove_label;                  /* the slot with this label; or NULL */
	bool replace;                              /* the slot that `secret` opens; its label stays */
	bool allow_none;                           /* no slot may remain, which destroys the content */
	/* Set by key_change(): who was removed, and 1 << number of each slot whose recipient shares another one now. */
	struct recipient_set removed;
	unsigned shared;
};

/* Write both copies anew, which also repairs a damaged or older one; *old becomes the header before the change.
 * GPUCRYPT_USAGE, with nothing changed: no slot is free, what to remove is unused or the last slot, a secret to add has
 * a slot already, or no sequence number is left.  GPUCRYPT_IO also while another process changes slots. */
int key_change(struct source *file, struct key_change *change, struct authenticated_header *old);

#endif
