/* A slot that several recipients share (gcrypt(5), "Shared slots").  Its body is a sequence of groups, whose members
 * are of one type and have one ephemeral key.  A member reads as a slot of its type. */
#ifndef SHARED_SLOT_H
#define SHARED_SLOT_H

#include "gpucrypt/keys/key_pair.h"
#include "gpucrypt/keys/slot.h"

#define SHARED_GROUP_BYTES  34 /* before the members: type, number of members, ephemeral public key */
#define SHARED_MEMBER_BYTES (KEY_ID_BYTES + WRAPPED_BYTES)
#define MAX_MEMBERS         ((SLOT_ROOM - SHARED_GROUP_BYTES) / SHARED_MEMBER_BYTES)

/* Is the body a sequence of whole groups? */
bool shared_slot_form(const uint8_t *body, size_t n_body);

/* Can a slot with this secret be a member? */
static inline bool slot_sharable(unsigned type)
{
	return type == SLOT_X25519 || type == SLOT_P256;
}

/* Members of a slot: 1 unless it is shared. */
unsigned key_slot_members(const struct key_slot *slot);

/* One of those who can open a header: a slot, or a member of a shared one. */
struct recipient {
	unsigned slot, member;
	bool shared;         /* else member is 0 */
	struct key_slot key; /* as in a slot of its own; of a later release: only the type */
};

/* The recipient of this number, from 0 on, among those of a header's N_KEY_SLOTS slots.  False: there are fewer. */
bool recipient_read(struct recipient *recipient, const struct key_slot *slots, unsigned number);

/* The number of a member of a used slot. */
unsigned recipient_number(const struct key_slot *slots, unsigned slot, unsigned member);

/* A group under construction: members can be added while its ephemeral private key is in memory. */
struct shared_group {
	EVP_PKEY *own; /* NULL: no group; freed by the caller */
	struct key_slot *slot;
	size_t start; /* in the body */
};

/* Room for another member of the group, and for another group of one. */
bool shared_group_has_room(const struct shared_group *group);
bool shared_slot_has_room(const struct key_slot *slot);

/* Begin a group in a shared slot, or in an unused one; it becomes valid with its first member. */
int shared_group_begin(struct shared_group *group, struct key_slot *slot, enum gpucrypt_secret_type type);

/* The recipient is of the group's type. */
int shared_group_add(struct shared_group *group, const struct gpucrypt_secret *recipient,
        const uint8_t file_key[FILE_KEY_BYTES], const uint8_t file_salt[SALT_BYTES]);

/* Make a slot that is not shared a member of a shared or unused one, which has room. */
void shared_slot_take(struct key_slot *shared, const struct key_slot *single);

/* Remove a member; without any left the slot is unused. */
void shared_slot_remove(struct key_slot *slot, unsigned member);

#endif
