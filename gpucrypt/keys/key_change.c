#include "gpucrypt/keys/key_change.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/keys/kdf_cost.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/status.h"

static uint8_t *slot_at(uint8_t *copy, unsigned slot)
{
	return copy + KEY_SLOTS_START + (size_t)slot * KEY_SLOT_BYTES;
}

/* The number of an unused slot, or N_KEY_SLOTS. */
static unsigned free_slot(const uint8_t *copy)
{
	unsigned i = 0;

	while (i < N_KEY_SLOTS && copy[KEY_SLOTS_START + i * KEY_SLOT_BYTES] != SLOT_UNUSED)
		i++;
	return i;
}

/* Is the slot for this secret?  A passphrase or a key file is tried on the slot, a passphrase within the limits for
 * readers. */
static bool is_for(const struct header *header, unsigned slot, const struct gpucrypt_secret *add, uint64_t *spent)
{
	const struct key_slot *of = &header->slots[slot];
	uint8_t file_key[FILE_KEY_BYTES];
	bool same;

	if (!key_slot_fits(of, add))
		return false;
	if (slot_type_of(of->type)->has_key_id)
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
	const struct file_keys *keys;
	uint8_t *copy;
	struct slot_labels labels;
};

/* A replacement has the label of the old secret, unless it has one of its own. */
static const char *label_of(const struct edit *edit, const struct gpucrypt_secret *add)
{
	return add->label != NULL || !edit->change->replace ? add->label
	                                                    : edit->old->header.labels.texts[edit->old->slot];
}

static int add_slot(struct edit *edit, const struct gpucrypt_secret *add)
{
	unsigned i = free_slot(edit->copy), log2_n;
	struct key_slot slot;
	int status = GPUCRYPT_OK;

	if (i == N_KEY_SLOTS)
		status = fail(GPUCRYPT_USAGE, "all %d key slots are in use", N_KEY_SLOTS);
	if (status == GPUCRYPT_OK)
		status = kdf_cost(&log2_n, add);
	if (status == GPUCRYPT_OK)
		status = key_slot_make(&slot, add, edit->keys->file, edit->old->header.file_salt, log2_n);
	if (status == GPUCRYPT_OK)
		status = slot_label_set(&edit->labels, i, label_of(edit, add));
	if (status == GPUCRYPT_OK)
		key_slot_encode(slot_at(edit->copy, i), &slot);
	return status;
}

/* A secret needs no second slot.  A run that was stopped between the two copies has added the slot to the newer one
 * only: writing both completes the addition. */
static int add_slots(struct edit *edit)
{
	bool completes = header_needs_repair(&edit->old->copies) && !edit->change->replace;
	const struct gpucrypt_secret *add = edit->change->add;
	int status = GPUCRYPT_OK;

	for (; add != NULL && status == GPUCRYPT_OK; add = add->next) {
		int known = find_known(&edit->old->header, add);

		if (known < 0)
			status = add_slot(edit, add);
		else if (!completes)
			status = fail(GPUCRYPT_USAGE, "slot %d is for this %s already", known,
			        slot_type_of((unsigned)add->type)->secret);
	}
	return status;
}

static int find_labelled(unsigned *slots, const struct header *header, const char *label)
{
	unsigned found = 0;

	for (unsigned i = 0; label != NULL && i < N_KEY_SLOTS; i++)
		if (strcmp(header->labels.texts[i], label) == 0)
			found |= 1u << i;
	if (label != NULL && found == 0)
		return fail(GPUCRYPT_USAGE, "no key slot has the label '%s'", label);
	if (found & (found - 1))
		return fail(GPUCRYPT_USAGE, "%d key slots have the label '%s': use --slot", __builtin_popcount(found),
		        label);
	*slots |= found;
	return GPUCRYPT_OK;
}

/* A run that was stopped between the two copies has removed the slot from the newer one only: writing both completes
 * the removal. */
static int find_numbered(unsigned *slots, const struct authenticated_header *old, unsigned number)
{
	bool used = number < N_KEY_SLOTS && key_slot_used(&old->header.slots[number]);

	if (used)
		*slots |= 1u << number;
	return used || (number < N_KEY_SLOTS && header_needs_repair(&old->copies))
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE, "no key slot %u", number);
}

static int find_keys(unsigned *slots, const struct header *header, const struct gpucrypt_secret *keys)
{
	for (; keys != NULL; keys = keys->next) {
		unsigned found = 0;

		for (unsigned i = 0; i < N_KEY_SLOTS; i++)
			if (key_slot_fits(&header->slots[i], keys))
				found |= 1u << i;
		if (found == 0)
			return fail(GPUCRYPT_USAGE, "no key slot is for this %s", slot_type_of(keys->type)->secret);
		*slots |= found;
	}
	return GPUCRYPT_OK;
}

/* Unless the change allows it, a slot that this release can open must remain. */
static int check_rest(const struct key_change *change, const struct header *header, unsigned removed)
{
	unsigned rest = 0;

	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		rest += !(removed >> i & 1) && slot_type_of(header->slots[i].type) != NULL;
	if (removed == 0 || rest > 0 || change->add != NULL || change->allow_none)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE,
	        "slot %d is the last one: without it the file could not be decrypted (-f removes it all the same)",
	        __builtin_ctz(removed));
}

static int remove_slots(struct edit *edit)
{
	const struct key_change *change = edit->change;
	const struct authenticated_header *old = edit->old;
	unsigned slots = change->replace ? 1u << old->slot : 0;
	int status = change->remove >= 0 ? find_numbered(&slots, old, (unsigned)change->remove) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK)
		status = find_keys(&slots, &old->header, change->remove_keys);
	if (status == GPUCRYPT_OK)
		status = find_labelled(&slots, &old->header, change->remove_label);
	if (status == GPUCRYPT_OK)
		status = check_rest(change, &old->header, slots);
	if (status != GPUCRYPT_OK)
		return status;
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		if (!(slots >> i & 1))
			continue;
		memset(slot_at(edit->copy, i), 0, KEY_SLOT_BYTES);
		slot_label_set(&edit->labels, i, NULL);
	}
	if (change->removed != NULL)
		*change->removed = slots;
	return GPUCRYPT_OK;
}

/* The new header is made from the bytes of the old one: slots of later releases do not change. */
static int edit_header(uint8_t copy[HEADER_COPY_BYTES], const struct key_change *change,
        const struct authenticated_header *old, const struct file_keys *keys)
{
	struct edit edit = { .change = change, .old = old, .keys = keys, .copy = copy, .labels = old->header.labels };
	int status;

	memcpy(copy, old->bytes, HEADER_COPY_BYTES);
	if (old->header.sequence == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "its key slots cannot be changed any more: the header's sequence number is "
		                            "the highest possible: make a new container with gcrypt rekey");
	store_le64(copy + HEADER_SEQUENCE, old->header.sequence + 1);
	status = remove_slots(&edit);
	if (status == GPUCRYPT_OK)
		status = add_slots(&edit);
	if (status == GPUCRYPT_OK)
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
