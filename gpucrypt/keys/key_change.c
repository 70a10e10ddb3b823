#include "gpucrypt/keys/header.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/status.h"

/* The number of the slot for this secret; -1: none.  A passphrase or a key file is tried on each slot, a passphrase
 * within the limits for readers. */
static int find_known(const struct header *header, const struct gpucrypt_secret *add)
{
	struct recipient recipient;
	struct key_slot *key = &recipient.key;
	uint64_t spent = 0;

	for (unsigned i = 0; recipient_read(&recipient, header->slots, i); i++)
		if (!key->incomplete && key_slot_fits(key, add) &&
		        (slot_names_key(add->type) ||
		                ((key->type != SLOT_PASSPHRASE || kdf_allowed(add, key->log2_n, key->p, &spent)) &&
		                        recipient_opens(key, add, header->file_salt, NULL))))
			return (int)recipient.slot;
	return -1;
}

/* A secret needs no second slot.  A run that was stopped between the two copies has added the slot to the newer one
 * only: writing both completes the addition.  *wanted: linked, those of the list without a slot.  A replacement has the
 * label of the old secret, unless it has one of its own. */
static int find_new(struct gpucrypt_secret wanted[MAX_RECIPIENT_SLOTS], unsigned *n_wanted,
        const struct key_change *change, const struct authenticated_header *old)
{
	bool replace = change->replace, completes = header_needs_repair(&old->copies) && !replace;

	for (const struct gpucrypt_secret *add = change->add; add != NULL; add = add->next) {
		int known = find_known(&old->header, add);

		if (known >= 0 && !completes)
			return fail(GPUCRYPT_USAGE, "slot %d is for this %s already", known,
			        slot_type_of((unsigned)add->type)->secret);
		if (known >= 0)
			continue;
		if (*n_wanted == MAX_RECIPIENT_SLOTS)
			return fail(GPUCRYPT_USAGE, "more than %d secrets", MAX_RECIPIENT_SLOTS);
		wanted[*n_wanted] = *add;
		wanted[*n_wanted].next = NULL;
		if (replace && add == change->add && add->label == NULL)
			wanted[*n_wanted].label = old->header.slots[old->slot].label;
		if (*n_wanted > 0)
			wanted[*n_wanted - 1].next = &wanted[*n_wanted];
		++*n_wanted;
	}
	return GPUCRYPT_OK;
}

static int add_slots(struct header *header, const struct key_change *change, const struct authenticated_header *old,
        const struct file_keys *keys)
{
	struct gpucrypt_secret wanted[MAX_RECIPIENT_SLOTS];
	unsigned n = 0;
	int status = find_new(wanted, &n, change, old);

	return status ?: n > 0 ? header_add_recipients(header, wanted, keys->file) : GPUCRYPT_OK;
}

static int choose_labelled(struct recipient_set *set, const struct header *header, const char *label)
{
	struct recipient recipient;
	unsigned found = 0;

	for (unsigned i = 0; label != NULL && recipient_read(&recipient, header->slots, i); i++) {
		if (strcmp(recipient.key.label, label) != 0)
			continue;
		set->has[i] = true;
		found++;
	}
	if (label != NULL && found == 0)
		return fail(GPUCRYPT_USAGE, "no key slot has the label '%s'", label);
	return found <= 1 ? GPUCRYPT_OK
	                  : fail(GPUCRYPT_USAGE, "%u key slots have the label '%s': use --slot", found, label);
}

/* A run that was stopped between the two copies has removed the slot from the newer one only: writing both completes
 * the removal. */
static int choose_numbered(
        struct recipient_set *set, const struct key_change *change, const struct authenticated_header *old)
{
	const struct key_slot *slots = old->header.slots;
	unsigned number = (unsigned)change->remove, member = change->remove_member, n_members;

	if (number >= N_KEY_SLOTS || !key_slot_used(&slots[number]))
		return number < N_KEY_SLOTS && header_needs_repair(&old->copies)
		               ? GPUCRYPT_OK
		               : fail(GPUCRYPT_USAGE, "no key slot %u", number);
	n_members = key_slot_members(&slots[number]);
	if (member == 0 && n_members > 1)
		return fail(GPUCRYPT_USAGE, "%u recipients share slot %u: name one of them, from %u.0 to %u.%u",
		        n_members, number, number, number, n_members - 1);
	if (member > n_members)
		return fail(GPUCRYPT_USAGE, "no key slot %u.%u", number, member - 1);
	set->has[recipient_number(slots, number, member > 0 ? member - 1 : 0)] = true;
	return GPUCRYPT_OK;
}

static int choose_keys(
        struct recipient_set *set, const struct authenticated_header *old, const struct gpucrypt_secret *keys)
{
	for (; keys != NULL; keys = keys->next) {
		struct recipient_set found = { 0 };

		recipient_set_add_key(&found, &old->header, keys, false);
		if (recipient_set_empty(&found) && !header_needs_repair(&old->copies))
			return fail(GPUCRYPT_USAGE, "no key slot is for this %s, or it is anonymous: use --slot",
			        slot_type_of(keys->type)->secret);
		for (unsigned i = 0; i < MAX_RECIPIENT_SLOTS; i++)
			set->has[i] |= found.has[i];
	}
	return GPUCRYPT_OK;
}

/* Unless the change allows it, a recipient that this release can open must remain. */
static int check_rest(const struct key_change *change, const struct header *header)
{
	struct recipient recipient;
	int last = -1;

	for (unsigned i = 0; recipient_read(&recipient, header->slots, i); i++) {
		if (change->removed.has[i])
			last = (int)recipient.slot;
		else if (slot_type_of(recipient.key.type) != NULL && !recipient.key.incomplete)
			return GPUCRYPT_OK;
	}
	if (last < 0 || change->add != NULL || change->allow_none)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE,
	        "slot %d is the last one: without it the file could not be decrypted (-f removes it all the same)",
	        last);
}

static int choose_removed(struct key_change *change, const struct authenticated_header *old)
{
	struct recipient_set *removed = &change->removed;
	int status = GPUCRYPT_OK;

	*removed = (struct recipient_set){ 0 };
	if (change->replace) {
		removed->has[old->opened] = true;
		recipient_set_add_key(removed, &old->header, old->opener, true);
	}
	if (change->remove >= 0)
		status = choose_numbered(removed, change, old);
	return status ?: choose_keys(removed, old, change->remove_keys)
	                         ?: choose_labelled(removed, &old->header, change->remove_label)
	                         ?: check_rest(change, &old->header);
}

/* A recipient that was moved is no longer in its slot. */
static unsigned find_shared(const struct header *now, const struct header *old, const struct recipient_set *removed)
{
	struct recipient recipient;
	unsigned shared = 0;

	for (unsigned i = 0; recipient_read(&recipient, old->slots, i); i++) {
		const struct key_slot *slot = &now->slots[recipient.slot];

		if (!removed->has[i] && !recipient.shared && slot_sharable(recipient.key.type) &&
		        (slot->type != recipient.key.type || memcmp(slot->salt, recipient.key.salt, SALT_BYTES) != 0))
			shared |= 1u << recipient.slot;
	}
	return shared;
}

static int edit_header(uint8_t copy[HEADER_COPY_BYTES], struct key_change *change,
        const struct authenticated_header *old, const struct file_keys *keys)
{
	struct header header = old->header;
	int status;

	if (header.sequence++ == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "its key slots cannot be changed any more: the header's sequence number is "
		                            "the highest possible: make a new container with gcrypt rekey");
	status = choose_removed(change, old);
	if (status != GPUCRYPT_OK)
		return status;
	header_remove_recipients(&header, &change->removed);
	status = add_slots(&header, change, old, keys);
	change->shared = find_shared(&header, &old->header, &change->removed);
	return status ?: header_encode(copy, &header) ?: header_seal(copy, keys);
}

/* First the copy that is damaged or older, else B: the other copy stays whole until this one is on storage. */
static int store_copies(
        const struct source *file, const struct authenticated_header *old, const uint8_t copy[HEADER_COPY_BYTES])
{
	uint64_t first = old->copies.good[0] && !old->copies.older[0] ? HEADER_COPY_BYTES : 0;

	return fd_store(file->fd, file->name, copy, HEADER_COPY_BYTES, first)
	               ?: fd_store(file->fd, file->name, copy, HEADER_COPY_BYTES, HEADER_COPY_BYTES - first);
}

int key_change(struct source *file, struct key_change *change, struct authenticated_header *old)
{
	uint8_t copies[2 * HEADER_COPY_BYTES], copy[HEADER_COPY_BYTES];
	struct file_keys keys = { 0 };
	int status;

	if (flock(file->fd, LOCK_EX | LOCK_NB) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot be locked: %s", file->name,
		        errno == EWOULDBLOCK ? "its key slots are being changed" : strerror(errno));
	if (file->size_bytes < sizeof copies)
		return fail(GPUCRYPT_CORRUPT, "%s: not a gcrypt container: too short for its header", file->name);
	status = source_read_at(file, copies, sizeof copies, 0);
	if (status == GPUCRYPT_OK && start_record_form(copies + HEADER_COPY_BYTES))
		status = fail(GPUCRYPT_EXISTS, "%s: not changed: gcrypt enc has not completed it", file->name);
	if (status != GPUCRYPT_OK)
		return status;
	status = header_unlock(old, &keys, copies, change->secret)
	                 ?: header_check_mixed(old, copies, change->secret)
	                 ?: edit_header(copy, change, old, &keys);
	wipe(&keys, sizeof keys);
	if (status != GPUCRYPT_OK)
		return fail_named(file->name, status);
	return store_copies(file, old, copy);
}
