#include "gpucrypt/keys/shared_slot.h"

#include <string.h>

#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

/* Offsets in a group */
#define TYPE      0
#define N_MEMBERS 1
#define EPHEMERAL 2

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

/* The offset of the group that has this member; *member becomes its number in the group. */
static size_t find_group(const struct key_slot *slot, unsigned *member)
{
	size_t at = 0;

	for (; *member >= slot->body[at + N_MEMBERS]; at += group_bytes(slot->body[at + N_MEMBERS]))
		*member -= slot->body[at + N_MEMBERS];
	return at;
}

static struct key_slot read_member(const struct key_slot *slot, unsigned member)
{
	const uint8_t *group = slot->body + find_group(slot, &member), *from = group + group_bytes(member);
	struct key_slot read = { .type = group[TYPE], .body_bytes = WRAPPED_BYTES };

	memcpy(read.salt, group + EPHEMERAL, SALT_BYTES);
	memcpy(read.key_id, from, KEY_ID_BYTES);
	memcpy(read.body, from + KEY_ID_BYTES, WRAPPED_BYTES);
	return read;
}

static unsigned members_in_use(const struct key_slot *slot)
{
	return key_slot_used(slot) ? key_slot_members(slot) : 0;
}

bool recipient_read(struct recipient *recipient, const struct key_slot *slots, unsigned number)
{
	unsigned i = 0;

	for (; i < N_KEY_SLOTS && number >= members_in_use(&slots[i]); i++)
		number -= members_in_use(&slots[i]);
	if (i == N_KEY_SLOTS)
		return false;
	recipient->slot = i;
	recipient->member = number;
	recipient->shared = slots[i].type == SLOT_SHARED;
	recipient->key = recipient->shared ? read_member(&slots[i], number) : slots[i];
	return true;
}

unsigned recipient_number(const struct key_slot *slots, unsigned slot, unsigned member)
{
	for (unsigned i = 0; i < slot; i++)
		member += members_in_use(&slots[i]);
	return member;
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

void shared_slot_remove(struct key_slot *slot, unsigned member)
{
	size_t at = find_group(slot, &member), n = SHARED_MEMBER_BYTES;

	if (--slot->body[at + N_MEMBERS] == 0)
		n = group_bytes(1);
	else
		at += group_bytes(member);
	slot->body_bytes -= (uint16_t)n;
	memmove(slot->body + at, slot->body + at + n, slot->body_bytes - at);
	if (slot->body_bytes == 0)
		*slot = (struct key_slot){ .type = SLOT_UNUSED };
}
