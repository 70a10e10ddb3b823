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

/* The slot for a public or private key, or that was opened, of which a new secret takes the place; -1: none. */
static int find_slot(const struct authenticated_header *old, const struct gpucrypt_secret *secret)
{
	if (!names_key(secret->type))
		return old->slot;
	for (int i = 0; i < N_KEY_SLOTS; i++)
		if (key_slot_is_for(&old->header.slots[i], secret, old->header.file_salt))
			return i;
	return -1;
}

/* The new slot has the label of the old one, and names no key if that did not. */
static void add(
        struct rekey_secrets *secrets, const struct authenticated_header *old, const struct gpucrypt_secret *secret)
{
	struct gpucrypt_secret *last = &secrets->list[secrets->n];
	int slot = find_slot(old, secret);

	*last = *secret;
	last->label = slot >= 0 ? old->header.labels.texts[slot] : NULL;
	last->anonymous |= slot >= 0 && key_slot_anonymous(&old->header.slots[slot]);
	last->next = NULL;
	last->derived = NULL; /* of the old container */
	if (secrets->n++ > 0)
		last[-1].next = last;
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
		if (!names_key(opening->type) || (find_slot(old, opening) >= 0 && !is_recipient(opening, recipients)))
			add(secrets, old, opening);
	for (; recipients != NULL; recipients = recipients->next)
		add(secrets, old, recipients);
}

struct rekey_slots rekey_slots_find(
        const struct authenticated_header *old, const struct rekey_secrets *secrets, bool changed)
{
	struct rekey_slots slots = { .old = old };

	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		const struct key_slot *slot = &old->header.slots[i];
		bool opened = (int)i == old->slot, kept = opened && !changed;

		for (unsigned j = 0; j < secrets->n && names_key(slot->type); j++)
			kept |= key_slot_is_for(slot, &secrets->list[j], old->header.file_salt);
		if (kept)
			slots.kept |= 1u << i;
		else if (opened)
			slots.replaced |= 1u << i;
		else if (key_slot_used(slot))
			slots.dropped |= 1u << i;
	}
	return slots;
}

void rekey_slots_describe(char text[REKEY_SLOTS_TEXT], const struct authenticated_header *old, unsigned slots)
{
	size_t n = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		char slot[SLOT_TEXT];

		if (!(slots >> i & 1))
			continue;
		describe_slot(slot, i, &old->header);
		snprintf(text + n, REKEY_SLOTS_TEXT - n, "%s%s", n > 0 ? "; " : "", slot);
		n = strlen(text);
	}
}

int rekey_slots_check(const struct rekey_slots *slots, unsigned may_drop)
{
	unsigned used = slots->kept | slots->replaced | slots->dropped;
	char text[REKEY_SLOTS_TEXT];

	if (may_drop & ~used)
		return fail(GPUCRYPT_USAGE,
		        "--drop-slot %d: the container has no key slot of this number (see gcrypt key list)",
		        __builtin_ctz(may_drop & ~used));
	if (may_drop & slots->kept)
		return fail(GPUCRYPT_USAGE,
		        "--drop-slot %d: this slot stays, because its secret opens the container or its public key is a recipient",
		        __builtin_ctz(may_drop & slots->kept));
	if ((slots->dropped & ~may_drop) == 0)
		return GPUCRYPT_OK;
	rekey_slots_describe(text, slots->old, slots->dropped & ~may_drop);
	return fail(GPUCRYPT_USAGE,
	        "rekey would lose %s: name the public keys to keep with --recipient PUB.pem, "
	        "and the slots to drop with --drop-slot N",
	        text);
}

static void add_line(struct plan_lines *lines, const char *name, const struct rekey_slots *slots, unsigned which)
{
	char text[REKEY_SLOTS_TEXT];

	if (which == 0)
		return;
	rekey_slots_describe(text, slots->old, which);
	plan_add(lines, name, "%s", text);
}

void rekey_slots_plan(struct plan_lines *lines, const struct rekey_slots *slots)
{
	add_line(lines, "kept", slots, slots->kept);
	add_line(lines, "replaced", slots, slots->replaced);
	add_line(lines, "dropped", slots, slots->dropped);
}
