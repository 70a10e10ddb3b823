/* Recipients, who can open a header: each has a slot of its own, or is a member of a shared slot. */
#ifndef GPUCRYPT_KEYS_RECIPIENTS_H
#define GPUCRYPT_KEYS_RECIPIENTS_H

#include "gpucrypt/keys/header.h"

/* A shared slot (gcrypt(5), "Shared slots"): its body is a sequence of groups, whose members are of one type and have
 * one ephemeral key. */
#define SHARED_GROUP_BYTES  34 /* before the members: type, number of members, ephemeral public key */
#define SHARED_MEMBER_BYTES (KEY_ID_BYTES + WRAPPED_BYTES)
#define MAX_MEMBERS         ((SLOT_ROOM - SHARED_GROUP_BYTES) / SHARED_MEMBER_BYTES)
#define MAX_RECIPIENT_SLOTS (N_KEY_SLOTS * MAX_MEMBERS) /* recipients of one header at most */

/* Is the body a sequence of whole groups? */
bool shared_slot_form(const uint8_t *body, size_t n_body);

/* Can a slot with this secret be a member? */
static inline bool slot_sharable(unsigned type)
{
	return type == SLOT_X25519 || type == SLOT_P256;
}

/* Make a slot of a sharable type a member of a shared or unused slot, which has room. */
void shared_slot_append(struct key_slot *shared, const struct key_slot *member);

/* Recipients of a slot: 0 of an unused one, and 1 unless it is shared. */
unsigned key_slot_members(const struct key_slot *slot);

struct recipient {
	unsigned slot, member;
	bool shared;         /* else member is 0 */
	struct key_slot key; /* as in a slot of its own; of a later release: only the type */
};

/* The recipient of this number, from 0 on, among those of a header's N_KEY_SLOTS slots.  False: there are fewer. */
bool recipient_read(struct recipient *recipient, const struct key_slot *slots, unsigned number);

/* The number of a member of a used slot. */
unsigned recipient_number(const struct key_slot *slots, unsigned slot, unsigned member);

/* Does the secret open the recipient's slot, which may be for it?  last: as of key_slot_open(). */
bool recipient_opens(const struct key_slot *key, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES], struct last_kek *last);

/* Recipients of one header, by their number. */
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

/* Remove recipients by their numbers before.  Continuations whose slot a release that does not know them has removed
 * become unused. */
void header_remove_recipients(struct header *header, const struct recipient_set *removed);

#endif
