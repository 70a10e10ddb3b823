/* Adding and removing key slots of a container that exists (gcrypt(5), "Writing").  Its payload is
 * neither read nor written, and at each moment one copy of the header is whole. */
#ifndef KEY_CHANGE_H
#define KEY_CHANGE_H

#include "gpucrypt/keys/header.h"
#include "gpucrypt/pipeline/source.h"

/* What to change; the file is open for reading and writing. */
struct key_change {
	const struct gpucrypt_secret *secret; /* opens a slot that is there */
	const struct gpucrypt_secret *add;    /* each of this list gets a slot; or NULL */
	int remove;                           /* number of a slot; -1: none */
};

/*
 * Write both copies anew, which also repairs a damaged or older one; old is the header as it was.
 * GPUCRYPT_USAGE, with nothing changed: no slot is free, or there is none of this number, or it is
 * the last one, or the slot is there for this public key already, or no sequence number is left.
 * GPUCRYPT_IO also while another process changes slots.
 */
int key_change(struct source *file, const struct key_change *change, struct authenticated_header *old);

#endif
