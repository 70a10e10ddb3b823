/* Recipients of a header: finding, adding and removing them. */
#ifndef SLOT_LIST_H
#define SLOT_LIST_H

#include "gpucrypt/keys/header.h"
#include "gpucrypt/keys/shared_slot.h"

#define MAX_RECIPIENT_SLOTS (N_KEY_SLOTS * MAX_MEMBERS) /* recipients of one header at most */

/* Recipients of one header, by their number (recipient_read()). */
struct recipient_set {
	bool has[MAX_RECIPIENT_SLOTS];
};

/* Add those that name this public or private key; with try, also the anonymous ones that a private key opens. */
void recipient_set_add_key(
        struct recipient_set *set, const struct header *header, const struct gpucrypt_secret *secret, bool try);
bool recipient_set_empty(const struct recipient_set *set);

/* Make a slot for each of the linked secrets.  If there are too few, X25519 and P-256 recipients without a label share
 * slots, and those that are in the header already may be moved into a shared one.  GPUCRYPT_USAGE: even then there are
 * too few, or a secret is malformed; then the header must not be used. */
int header_add_recipients(
        struct header *header, const struct gpucrypt_secret *secrets, const uint8_t file_key[FILE_KEY_BYTES]);

/* Free the continuations whose slot a release that does not know them has removed. */
void header_reclaim_slots(struct header *header);

/* By their numbers before. */
void header_remove_recipients(struct header *header, const struct recipient_set *removed);

#endif
