#include "gpucrypt/keys/key_change.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/keys/kdf_cost.h"
#include "gpucrypt/keys/slot_list.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/status.h"

static uint8_t *slot_at(uint8_t *copy, unsigned slot)
{
	return copy + KEY_SLOTS_START + (size_t)slot * KEY_SLOT_BYTES;
}

/* Is the slot for this secret?  A passphrase or a key file is tried on the slot, a passphrase within the limits for
 * readers. */
static bool is_for(const struct header *header, unsigned slot, const struct gpucrypt_secret *add, uint64_t *spent)
{
	const struct key_slot *of = &header->slots[slot];
	uint8_t file_key[FILE_KEY_BYTES];
	bool same;

	if (of->incomplete || !key_slot_fits(of, add))
		return false;
	if (slot_type_of(add->type)->has_key_id)
		return true;
	if (of->type == SLOT_PASSPHRASE && !kdf_allowed(add, of->log2_n, of->p, spent))
		return false;
	same = key_slot_open(file_key, of, add, header->file_salt) == GPUCRYPT_OK;
	fail_clear();
	wipe(file_key, sizeof file_key);
	return same;
}

/* The number of the slot for this secret; -1: none. */
static int find_known(const struct header *header, const struct gpucrypt_secret *add)
{
	uint64_t spent = 0;

	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		if (is_for(header, i, add, &spent))
			return (int)i;
	return -1;
}

/* The header while it is changed. */
struct edit {
	const struct key_change *change;
	const struct authenticated_header *old;
	struct slot_labels labels;
	struct key_slot slots[N_KEY_SLOTS];
	struct slot_list list;
	struct slot_choice removed;
};

/* A secret needs no second slot.  A run that was stopped between the two copies has added the slot to the newer one
 * only: writing both completes the addition.  *wanted: linked, those of the list without a slot.  A replacement has the
 * label of the old secret, unless it has one of its own. */
static int find_new(struct gpucrypt_secret wanted[MAX_RECIPIENT_SLOTS], unsigned *n_wanted, const struct edit *edit)
{
	bool replace = edit->change->replace, completes = header_needs_repair(&edit->old->copies) && !replace;
	const struct gpucrypt_secret *add = edit->change->add;

	for (; add != NULL; add = add->next) {
		int known = find_known(&edit->old->header, add);

		if (known >= 0 && !completes)
			return fail(GPUCRYPT_USAGE, "slot %d is for this %s already", known,
			        slot_type_of((unsigned)add->type)->secret);
		if (known >= 0)
			continue;
		if (*n_wanted == MAX_RECIPIENT_SLOTS)
			return fail(GPUCRYPT_USAGE, "more than %d secrets", MAX_RECIPIENT_SLOTS);
		wanted[*n_wanted] = *add;
		wanted[*n_wanted].next = NULL;
		if (replace && add == edit->change->add && add->label == NULL)
			wanted[*n_wanted].label = edit->old->header.labels.texts[edit->old->slot];
		if (*n_wanted > 0)
			wanted[*n_wanted - 1].next = &wanted[*n_wanted];
		++*n_wanted;
	}
	return GPUCRYPT_OK;
}

static int add_slots(struct edit *edit)
{
	struct gpucrypt_secret wanted[MAX_RECIPIENT_SLOTS];
	unsigned n = 0;
	int status = find_new(wanted, &n, edit);

	return status == GPUCRYPT_OK && n > 0 ? slot_list_add(&edit->list, wanted) : status;
}

static int choose_labelled(struct slot_choice *choice, const struct header *header, const char *label)
{
	unsigned found = 0;

	for (unsigned i = 0; label != NULL && i < N_KEY_SLOTS; i++) {
		if (strcmp(header->labels.texts[i], label) != 0)
			continue;
		slot_choice_add(choice, header->slots, i);
		found++;
	}
	if (label != NULL && found == 0)
		return fail(GPUCRYPT_USAGE, "no key slot has the label '%s'", label);
	return found <= 1 ? GPUCRYPT_OK
	                  : fail(GPUCRYPT_USAGE, "%u key slots have the label '%s': use --slot", found, label);
}

static int choose_member(struct slot_choice *choice, const struct key_slot *slot, unsigned number, unsigned member)
{
	if (member >= key_slot_members(slot))
		return fail(GPUCRYPT_USAGE, "no key slot %u.%u", number, member);
	choice->members[number] |= 1u << member;
	return GPUCRYPT_OK;
}

/* A run that was stopped between the two copies has removed the slot from the newer one only: writing both completes
 * the removal. */
static int choose_numbered(struct slot_choice *choice, const struct edit *edit, unsigned number)
{
	const struct authenticated_header *old = edit->old;
	bool used = number < N_KEY_SLOTS && key_slot_used(&old->header.slots[number]);

	if (used && edit->change->remove_member > 0)
		return choose_member(choice, &old->header.slots[number], number, edit->change->remove_member - 1);
	if (used && key_slot_members(&old->header.slots[number]) > 1)
		return fail(GPUCRYPT_USAGE, "%u recipients share slot %u: name one of them, from %u.0 to %u.%u",
		        key_slot_members(&old->header.slots[number]), number, number, number,
		        key_slot_members(&old->header.slots[number]) - 1);
	if (used)
		slot_choice_add(choice, old->header.slots, number);
	return used || (number < N_KEY_SLOTS && header_needs_repair(&old->copies))
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE, "no key slot %u", number);
}

static int choose_keys(
        struct slot_choice *choice, const struct authenticated_header *old, const struct gpucrypt_secret *keys)
{
	for (; keys != NULL; keys = keys->next) {
		struct slot_choice found = { 0 };

		slot_choice_add_key(&found, &old->header, keys, false);
		if (slot_choice_empty(&found) && !header_needs_repair(&old->copies))
			return fail(GPUCRYPT_USAGE, "no key slot is for this %s, or it is anonymous: use --slot",
			        slot_type_of(keys->type)->secret);
		for (unsigned i = 0; i < N_KEY_SLOTS; i++)
			choice->members[i] |= found.members[i];
	}
	return GPUCRYPT_OK;
}

/* Unless the change allows it, a slot that this release can open must remain. */
static int check_rest(const struct key_change *change, const struct header *header, const struct slot_choice *removed)
{
	int last = -1;

	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		struct slot_choice all = { 0 };

		slot_choice_add(&all, header->slots, i);
		if (removed->members[i] != 0)
			last = (int)i;
		if (slot_type_of(header->slots[i].type) != NULL && !header->slots[i].incomplete &&
		        removed->members[i] != all.members[i])
			return GPUCRYPT_OK;
	}
	if (last < 0 || change->add != NULL || change->allow_none)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE,
	        "slot %d is the last one: without it the file could not be decrypted (-f removes it all the same)",
	        last);
}

static int remove_slots(struct edit *edit)
{
	const struct key_change *change = edit->change;
	const struct authenticated_header *old = edit->old;
	struct slot_choice choice = { 0 };
	int status = GPUCRYPT_OK;

	if (change->replace) {
		choice.members[old->slot] = 1u << old->member;
		slot_choice_add_key(&choice, &old->header, old->opener, true);
	}
	if (change->remove >= 0)
		status = choose_numbered(&choice, edit, (unsigned)change->remove);
	if (status == GPUCRYPT_OK)
		status = choose_keys(&choice, old, change->remove_keys);
	if (status == GPUCRYPT_OK)
		status = choose_labelled(&choice, &old->header, change->remove_label);
	if (status == GPUCRYPT_OK)
		status = check_rest(change, &old->header, &choice);
	if (status != GPUCRYPT_OK)
		return status;
	slot_list_remove(&edit->list, &choice);
	edit->removed = choice;
	if (change->removed != NULL)
		*change->removed = choice;
	return GPUCRYPT_OK;
}

static void tell_shared(const struct edit *edit)
{
	unsigned shared = 0;

	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		if (slot_sharable(edit->old->header.slots[i].type) && edit->removed.members[i] == 0 &&
		        edit->list.changed >> i & 1)
			shared |= 1u << i;
	if (edit->change->shared != NULL)
		*edit->change->shared = shared;
}

/* The new header is made from the bytes of the old one: slots of later releases do not change. */
static int edit_header(uint8_t copy[HEADER_COPY_BYTES], const struct key_change *change,
        const struct authenticated_header *old, const struct file_keys *keys)
{
	struct edit edit = { .change = change, .old = old, .labels = old->header.labels };
	int status;

	memcpy(edit.slots, old->header.slots, sizeof edit.slots);
	edit.list = (struct slot_list){ edit.slots, &edit.labels, keys->file, old->header.file_salt, 0 };
	memcpy(copy, old->bytes, HEADER_COPY_BYTES);
	if (old->header.sequence == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "its key slots cannot be changed any more: the header's sequence number is "
		                            "the highest possible: make a new container with gcrypt rekey");
	store_le64(copy + HEADER_SEQUENCE, old->header.sequence + 1);
	slot_list_reclaim(&edit.list);
	status = remove_slots(&edit);
	if (status == GPUCRYPT_OK)
		status = add_slots(&edit);
	if (status != GPUCRYPT_OK)
		return status;
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		if (!(edit.list.changed >> i & 1))
			continue;
		memset(slot_at(copy, i), 0, KEY_SLOT_BYTES);
	}
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		if (edit.list.changed >> i & 1)
			key_slot_encode(slot_at(copy, i), &edit.slots[i]);
	tell_shared(&edit);
	status = slot_labels_write(slot_at(copy, 0), &edit.labels);
	return status == GPUCRYPT_OK ? header_seal(copy, keys) : status;
}

/* First the copy that is damaged or older, else B: the other copy stays whole until this one is on storage. */
static int store_copies(
        const struct source *file, const struct authenticated_header *old, const uint8_t copy[HEADER_COPY_BYTES])
{
	unsigned first = old->copies.good[0] && !old->copies.older[0];
	int status = fd_store(file->fd, file->name, copy, HEADER_COPY_BYTES, (uint64_t)first * HEADER_COPY_BYTES);

	return status == GPUCRYPT_OK ? fd_store(file->fd, file->name, copy, HEADER_COPY_BYTES,
	                                       (uint64_t)(1 - first) * HEADER_COPY_BYTES)
	                             : status;
}

int key_change(struct source *file, const struct key_change *change, struct authenticated_header *old)
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
	status = header_unlock(old, &keys, copies, change->secret);
	if (status == GPUCRYPT_OK)
		status = header_check_mixed(old, copies, change->secret);
	if (status == GPUCRYPT_OK)
		status = edit_header(copy, change, old, &keys);
	wipe(&keys, sizeof keys);
	if (status != GPUCRYPT_OK)
		return fail_named(file->name, status);
	return store_copies(file, old, copy);
}
