#include "gpucrypt/keys/shared_slot.h"

#include <string.h>

#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

/* Offsets in a group */
#define TYPE      0
#define N_MEMBERS 1
#define EPHEMERAL 2

_Static_assert(MAX_MEMBERS <= 32, "a member is a bit of 32");

static size_t group_bytes(unsigned n_members)
{
	return SHARED_GROUP_BYTES + (size_t)n_members * SHARED_MEMBER_BYTES;
}

bool shared_slot_form(const uint8_t *body, size_t n_body)
{
	size_t at = 0;

	while (at + SHARED_GROUP_BYTES < n_body && slot_sharable(body[at + TYPE]) && body[at + N_MEMBERS] > 0)
		at += group_bytes(body[at + N_MEMBERS]);
	return at == n_body;
}

unsigned key_slot_members(const struct key_slot *slot)
{
	unsigned n = 0;

	if (slot->type != SLOT_SHARED)
		return 1;
	for (size_t at = 0; at < slot->body_bytes; at += group_bytes(slot->body[at + N_MEMBERS]))
		n += slot->body[at + N_MEMBERS];
	return n;
}

unsigned key_slot_recipients(const struct key_slot *slot)
{
	const struct slot_type *type = slot_type_of(slot->type);

	return type != NULL && (type->has_key_id || slot->type == SLOT_SHARED) ? key_slot_members(slot) : 0;
}

void key_slot_member(struct key_slot *member, const struct key_slot *slot, unsigned number)
{
	const uint8_t *group = slot->body, *from;

	if (slot->type != SLOT_SHARED) {
		*member = *slot;
		return;
	}
	for (; number >= group[N_MEMBERS]; group += group_bytes(group[N_MEMBERS]))
		number -= group[N_MEMBERS];
	from = group + group_bytes(number);
	*member = (struct key_slot){ .type = group[TYPE], .body_bytes = WRAPPED_BYTES };
	memcpy(member->salt, group + EPHEMERAL, SALT_BYTES);
	memcpy(member->key_id, from, KEY_ID_BYTES);
	memcpy(member->body, from + KEY_ID_BYTES, WRAPPED_BYTES);
}

static bool has_room(const struct key_slot *slot, size_t n_bytes)
{
	return slot->body_bytes + n_bytes <= SLOT_ROOM;
}

/* Another group may have been put behind this one. */
bool shared_group_has_room(const struct shared_group *group)
{
	const uint8_t *at = group->own != NULL ? group->slot->body + group->start : NULL;

	return at != NULL && group->start + group_bytes(at[N_MEMBERS]) == group->slot->body_bytes &&
	       has_room(group->slot, SHARED_MEMBER_BYTES);
}

bool shared_slot_has_room(const struct key_slot *slot)
{
	return slot->type == SLOT_SHARED && has_room(slot, group_bytes(1));
}

/* The place of a new group without members. */
static uint8_t *append_group(struct key_slot *slot, unsigned type, const uint8_t ephemeral[SALT_BYTES])
{
	uint8_t *group = slot->body + slot->body_bytes;

	slot->type = SLOT_SHARED;
	group[TYPE] = (uint8_t)type;
	group[N_MEMBERS] = 0;
	memcpy(group + EPHEMERAL, ephemeral, SALT_BYTES);
	slot->body_bytes += SHARED_GROUP_BYTES;
	return group;
}

/* To the last group of the slot. */
static void append_member(struct key_slot *slot, uint8_t *group, const struct key_slot *member)
{
	uint8_t *at = slot->body + slot->body_bytes;

	memcpy(at, member->key_id, KEY_ID_BYTES);
	memcpy(at + KEY_ID_BYTES, member->body, WRAPPED_BYTES);
	slot->body_bytes += SHARED_MEMBER_BYTES;
	group[N_MEMBERS]++;
}

int shared_group_begin(struct shared_group *group, struct key_slot *slot, enum gpucrypt_secret_type type)
{
	uint8_t ephemeral[SALT_BYTES];
	EVP_PKEY *own;
	int status = agreement_begin(&own, ephemeral, type);

	if (status != GPUCRYPT_OK)
		return status;
	EVP_PKEY_free(group->own);
	*group = (struct shared_group){ .own = own, .slot = slot, .start = slot->body_bytes };
	append_group(slot, type, ephemeral);
	return GPUCRYPT_OK;
}

int shared_group_add(struct shared_group *group, const struct gpucrypt_secret *recipient,
        const uint8_t file_key[FILE_KEY_BYTES], const uint8_t file_salt[SALT_BYTES])
{
	uint8_t *at = group->slot->body + group->start, kek[32];
	struct key_slot member = { .type = at[TYPE], .body_bytes = WRAPPED_BYTES };
	int status = recipient->anonymous ? GPUCRYPT_OK : public_key_id(member.key_id, recipient);

	if (status == GPUCRYPT_OK)
		status = agreement_send(kek, group->own, at + EPHEMERAL, recipient, file_salt);
	if (status == GPUCRYPT_OK)
		status = key_wrap(member.body, file_key, kek);
	wipe(kek, sizeof kek);
	if (status == GPUCRYPT_OK)
		append_member(group->slot, at, &member);
	return status;
}

void shared_slot_take(struct key_slot *shared, const struct key_slot *single)
{
	append_member(shared, append_group(shared, single->type, single->salt), single);
}

void shared_slot_remove(struct key_slot *slot, uint32_t members)
{
	struct key_slot rest = { .type = SLOT_UNUSED };
	unsigned number = 0;

	for (size_t at = 0; at < slot->body_bytes; at += group_bytes(slot->body[at + N_MEMBERS])) {
		const uint8_t *from = slot->body + at;
		uint8_t *group = NULL;

		for (unsigned i = 0; i < from[N_MEMBERS]; i++, number++) {
			struct key_slot member;

			if (members >> number & 1)
				continue;
			key_slot_member(&member, slot, number);
			if (group == NULL)
				group = append_group(&rest, member.type, member.salt);
			append_member(&rest, group, &member);
		}
	}
	*slot = rest;
}
