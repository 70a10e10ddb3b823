/* The key slots of a header while they are changed. */
#ifndef SLOT_LIST_H
#define SLOT_LIST_H

#include "gpucrypt/keys/header.h"
#include "gpucrypt/keys/shared_slot.h"

#define MAX_RECIPIENT_SLOTS (N_KEY_SLOTS * MAX_MEMBERS) /* recipients of one header at most */

/* members[i]: bit j is set if member j of slot i is chosen.  A slot that is not shared has member 0 only. */
struct slot_choice {
	uint32_t members[N_KEY_SLOTS];
};

/* Add all members of a slot. */
void slot_choice_add(struct slot_choice *choice, const struct key_slot *slots, unsigned slot);

/* Add what is for a public or private key by its id; with try, also the anonymous members that a private key opens. */
void slot_choice_add_key(
        struct slot_choice *choice, const struct header *header, const struct gpucrypt_secret *secret, bool try);
bool slot_choice_empty(const struct slot_choice *choice);

struct slot_list {
	struct key_slot *slots; /* N_KEY_SLOTS */
	struct slot_labels *labels;
	const uint8_t *file_key, *file_salt;
	unsigned changed; /* 1 << number of each slot */
};

/* Add a slot for each of the linked secrets.  If there are too few, X25519 and P-256 recipients without a label share
 * slots, and those that are in the header already may be moved into a shared one.  GPUCRYPT_USAGE: even then there are
 * too few, or a secret is malformed; then the list must not be used. */
int slot_list_add(struct slot_list *list, const struct gpucrypt_secret *secrets);

/* Free the continuations whose slot a release that does not know them has removed. */
void slot_list_reclaim(struct slot_list *list);

void slot_list_remove(struct slot_list *list, const struct slot_choice *choice);

#endif
