#include "cli/transform/rekey_slots.h"

#include <stdio.h>
#include <string.h>

#include "cli/secrets/secret.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

/* The recipients for a public or private key, or the one that was opened, of which a new secret takes the place. */
static struct recipient_set find_old(const struct authenticated_header *old, const struct gpucrypt_secret *secret)
{
	struct recipient_set found = { 0 };

	if (slot_names_key(secret->type))
		recipient_set_add_key(&found, &old->header, secret, true);
	else
		found.has[old->opened] = true;
	return found;
}

/* The new slot has the label of the old one, and names no key if that did not. */
static void add(
        struct rekey_secrets *secrets, const struct authenticated_header *old, const struct gpucrypt_secret *secret)
{
	struct gpucrypt_secret *last = &secrets->list[secrets->n];
	const struct recipient_set found = find_old(old, secret);
	struct recipient recipient;

	*last = *secret;
	last->label = NULL;
	for (unsigned i = 0; recipient_read(&recipient, old->header.slots, i); i++) {
		if (!found.has[i])
			continue;
		if (last->label == NULL)
			last->label = old->header.slots[recipient.slot].label;
		last->anonymous |= key_slot_anonymous(&recipient.key);
	}
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
	for (; changed == NULL && opening != NULL; opening = opening->next) {
		const struct recipient_set found = find_old(old, opening);

		if (!slot_names_key(opening->type) ||
		        (!recipient_set_empty(&found) && !is_recipient(opening, recipients)))
			add(secrets, old, opening);
	}
	for (; recipients != NULL; recipients = recipients->next)
		add(secrets, old, recipients);
}

struct rekey_slots rekey_slots_find(
        const struct authenticated_header *old, const struct rekey_secrets *secrets, bool changed)
{
	struct rekey_slots slots = { .old = old };
	struct recipient recipient;

	for (unsigned j = 0; j < secrets->n; j++)
		if (slot_names_key(secrets->list[j].type))
			recipient_set_add_key(&slots.kept, &old->header, &secrets->list[j], true);
	if (changed)
		slots.replaced.has[old->opened] = !slots.kept.has[old->opened];
	else
		slots.kept.has[old->opened] = true;
	for (unsigned i = 0; recipient_read(&recipient, old->header.slots, i); i++)
		slots.dropped.has[i] = !slots.kept.has[i] && !slots.replaced.has[i];
	return slots;
}

void rekey_slots_describe(
        char text[REKEY_SLOTS_TEXT], const struct authenticated_header *old, const struct recipient_set *set)
{
	const size_t room = REKEY_SLOTS_TEXT - sizeof "; and 144 more";
	struct recipient recipient;
	char slot[SLOT_TEXT];
	unsigned more = 0;
	size_t n = 0;

	text[0] = '\0';
	for (unsigned i = 0; recipient_read(&recipient, old->header.slots, i); i++) {
		if (!set->has[i])
			continue;
		describe_recipient(slot, &recipient);
		if (more > 0 || n + strlen("; ") + strlen(slot) > room)
			more++;
		else
			n += (size_t)snprintf(text + n, REKEY_SLOTS_TEXT - n, "%s%s", n > 0 ? "; " : "", slot);
	}
	if (more > 0)
		sprintf(text + n, "; and %u more", more);
}

/* --drop-slot may only name slots that are used, and not needed any more: their recipients are not lost. */
static int drop_slot(struct recipient_set *lost, const struct rekey_slots *slots, unsigned number)
{
	bool kept = false, droppable = false;
	struct recipient recipient;

	for (unsigned i = 0; recipient_read(&recipient, slots->old->header.slots, i); i++) {
		if (recipient.slot != number)
			continue;
		kept |= slots->kept.has[i];
		droppable |= !slots->kept.has[i];
		lost->has[i] = false;
	}
	if (droppable)
		return GPUCRYPT_OK;
	return kept ? fail(GPUCRYPT_USAGE,
	                      "--drop-slot %u: this slot stays, because its secret opens the container or its public "
	                      "key is a recipient",
	                      number)
	            : fail(GPUCRYPT_USAGE,
	                      "--drop-slot %u: the container has no key slot of this number (see gcrypt key list)",
	                      number);
}

int rekey_slots_check(const struct rekey_slots *slots, unsigned may_drop)
{
	struct recipient_set lost = slots->dropped;
	char text[REKEY_SLOTS_TEXT];
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < N_KEY_SLOTS && status == GPUCRYPT_OK; i++)
		if (may_drop >> i & 1)
			status = drop_slot(&lost, slots, i);
	if (status != GPUCRYPT_OK || recipient_set_empty(&lost))
		return status;
	rekey_slots_describe(text, slots->old, &lost);
	return fail(GPUCRYPT_USAGE,
	        "rekey would lose %s: name the public keys to keep with --recipient PUB.pem, "
	        "and the slots to drop with --drop-slot N",
	        text);
}

static void add_line(
        struct plan_lines *lines, const char *name, const struct rekey_slots *slots, const struct recipient_set *which)
{
	char text[REKEY_SLOTS_TEXT];

	if (recipient_set_empty(which))
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
