#include "cli/transform/rekey_slots.h"

#include <stdio.h>
#include <string.h>

#include "cli/secrets/describe.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

static bool names_key(unsigned type)
{
	return slot_type_of(type) != NULL && slot_type_of(type)->has_key_id;
}

/* The slot for a public or private key, or that was opened, of which a new secret takes the place. */
static struct slot_choice find_slot(const struct authenticated_header *old, const struct gpucrypt_secret *secret)
{
	struct slot_choice found = { 0 };

	if (names_key(secret->type))
		slot_choice_add_key(&found, &old->header, secret, true);
	else
		found.members[old->slot] = 1u << old->member;
	return found;
}

/* The new slot has the label of the old one, and names no key if that did not. */
static void add(
        struct rekey_secrets *secrets, const struct authenticated_header *old, const struct gpucrypt_secret *secret)
{
	struct gpucrypt_secret *last = &secrets->list[secrets->n];
	const struct slot_choice found = find_slot(old, secret);
	struct key_slot member;

	*last = *secret;
	last->label = NULL;
	for (int i = N_KEY_SLOTS - 1; i >= 0; i--) {
		if (found.members[i] == 0)
			continue;
		key_slot_member(&member, &old->header.slots[i], (unsigned)__builtin_ctz(found.members[i]));
		last->label = old->header.labels.texts[i];
		last->anonymous |= key_slot_anonymous(&member);
	}
	last->next = NULL;
	last->derived = NULL; /* of the old container */
	if (secrets->n++ > 0)
		last[-1].next = last;
}

/* Has the private key a slot? */
static bool has_slot(const struct authenticated_header *old, const struct gpucrypt_secret *secret)
{
	const struct slot_choice found = find_slot(old, secret);

	return !slot_choice_empty(&found);
}

static bool is_recipient(const struct gpucrypt_secret *identity, const struct gpucrypt_secret *recipients)
{
	uint8_t a[KEY_ID_BYTES], b[KEY_ID_BYTES];

	for (; recipients != NULL; recipients = recipients->next)
		if (public_key_id(a, identity) == GPUCRYPT_OK && public_key_id(b, recipients) == GPUCRYPT_OK &&
		        memcmp(a, b, sizeof a) == 0)
			return true;
	return false;
}

void rekey_secrets_choose(struct rekey_secrets *secrets, const struct authenticated_header *old,
        const struct gpucrypt_secret *opening, const struct gpucrypt_secret *changed,
        const struct gpucrypt_secret *recipients)
{
	secrets->n = 0;
	if (changed != NULL)
		add(secrets, old, changed);
	for (; changed == NULL && opening != NULL; opening = opening->next)
		if (!names_key(opening->type) || (has_slot(old, opening) && !is_recipient(opening, recipients)))
			add(secrets, old, opening);
	for (; recipients != NULL; recipients = recipients->next)
		add(secrets, old, recipients);
}

struct rekey_slots rekey_slots_find(
        const struct authenticated_header *old, const struct rekey_secrets *secrets, bool changed)
{
	struct rekey_slots slots = { .old = old };
	uint32_t opened = 1u << old->member;

	for (unsigned j = 0; j < secrets->n; j++)
		if (names_key(secrets->list[j].type))
			slot_choice_add_key(&slots.kept, &old->header, &secrets->list[j], true);
	if (!changed)
		slots.kept.members[old->slot] |= opened;
	else
		slots.replaced.members[old->slot] = opened & ~slots.kept.members[old->slot];
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		if (key_slot_used(&old->header.slots[i]))
			slot_choice_add(&slots.dropped, old->header.slots, i);
		slots.dropped.members[i] &= ~(slots.kept.members[i] | slots.replaced.members[i]);
	}
	return slots;
}

void rekey_slots_describe(
        char text[REKEY_SLOTS_TEXT], const struct authenticated_header *old, const struct slot_choice *slots)
{
	const size_t room = REKEY_SLOTS_TEXT - sizeof "; and 144 more";
	unsigned more = 0;
	size_t n = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		for (unsigned j = 0; slots->members[i] >> j != 0; j++) {
			char slot[SLOT_TEXT];

			if (!(slots->members[i] >> j & 1))
				continue;
			describe_slot(slot, i, j, &old->header);
			if (more > 0 || n + strlen("; ") + strlen(slot) > room)
				more++;
			else
				n += (size_t)sprintf(text + n, "%s%s", n > 0 ? "; " : "", slot);
		}
	}
	if (more > 0)
		sprintf(text + n, "; and %u more", more);
}

/* --drop-slot may only name slots that are used, and not needed any more. */
static int check_droppable(const struct rekey_slots *slots, unsigned number)
{
	if (slots->kept.members[number] | slots->replaced.members[number] | slots->dropped.members[number])
		return slots->kept.members[number] == 0 || slots->dropped.members[number] != 0
		               ? GPUCRYPT_OK
		               : fail(GPUCRYPT_USAGE,
		                         "--drop-slot %u: this slot stays, because its secret opens the container or "
		                         "its public key is a recipient",
		                         number);
	return fail(GPUCRYPT_USAGE,
	        "--drop-slot %u: the container has no key slot of this number (see gcrypt key list)", number);
}

int rekey_slots_check(const struct rekey_slots *slots, unsigned may_drop)
{
	struct slot_choice lost = slots->dropped;
	char text[REKEY_SLOTS_TEXT];
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < N_KEY_SLOTS && status == GPUCRYPT_OK; i++) {
		if (!(may_drop >> i & 1))
			continue;
		status = check_droppable(slots, i);
		lost.members[i] = 0;
	}
	if (status != GPUCRYPT_OK || slot_choice_empty(&lost))
		return status;
	rekey_slots_describe(text, slots->old, &lost);
	return fail(GPUCRYPT_USAGE,
	        "rekey would lose %s: name the public keys to keep with --recipient PUB.pem, "
	        "and the slots to drop with --drop-slot N",
	        text);
}

static void add_line(
        struct plan_lines *lines, const char *name, const struct rekey_slots *slots, const struct slot_choice *which)
{
	char text[REKEY_SLOTS_TEXT];

	if (slot_choice_empty(which))
		return;
	rekey_slots_describe(text, slots->old, which);
	plan_add(lines, name, "%s", text);
}

void rekey_slots_plan(struct plan_lines *lines, const struct rekey_slots *slots)
{
	add_line(lines, "kept", slots, &slots->kept);
	add_line(lines, "replaced", slots, &slots->replaced);
	add_line(lines, "dropped", slots, &slots->dropped);
}
