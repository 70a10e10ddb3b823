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

/* A public key needs no second slot.  Slots of passphrases and key files do not name their secret. */
static int check_known(const struct header *header, const struct gpucrypt_secret *add)
{
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		const struct slot_type *type = slot_type_of(header->slots[i].type);

		if (type != NULL && type->has_key_id && key_slot_fits(&header->slots[i], add))
			return fail(GPUCRYPT_USAGE, "slot %u is for this key already", i);
	}
	return GPUCRYPT_OK;
}

static int add_slots(
        uint8_t *copy, const struct header *header, const struct file_keys *keys, const struct gpucrypt_secret *add)
{
	int status = GPUCRYPT_OK;

	for (; add != NULL && status == GPUCRYPT_OK; add = add->next) {
		unsigned i = free_slot(copy), log2_n;
		struct key_slot slot;

		status = check_known(header, add);
		if (status == GPUCRYPT_OK && i == N_KEY_SLOTS)
			status = fail(GPUCRYPT_USAGE, "all %d key slots are in use", N_KEY_SLOTS);
		if (status == GPUCRYPT_OK)
			status = kdf_cost(&log2_n, add);
		if (status == GPUCRYPT_OK)
			status = key_slot_make(&slot, add, keys->file, header->file_salt, log2_n);
		if (status == GPUCRYPT_OK)
			key_slot_encode(slot_at(copy, i), &slot);
	}
	return status;
}

/* A slot that this release can open must remain.  A run that was stopped between the two copies has removed the slot
 * from the newer one only: writing both completes the removal. */
static int remove_slot(uint8_t *copy, const struct authenticated_header *old, unsigned number)
{
	const struct header *header = &old->header;
	unsigned others = 0;

	if (number < N_KEY_SLOTS && header->slots[number].type == SLOT_UNUSED && header_needs_repair(&old->copies))
		return GPUCRYPT_OK;
	if (number >= N_KEY_SLOTS || header->slots[number].type == SLOT_UNUSED)
		return fail(GPUCRYPT_USAGE, "no key slot %u", number);
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		others += i != number && slot_type_of(header->slots[i].type) != NULL;
	if (others == 0)
		return fail(
		        GPUCRYPT_USAGE, "slot %u is the last one: without it the file could not be decrypted", number);
	memset(slot_at(copy, number), 0, KEY_SLOT_BYTES);
	return GPUCRYPT_OK;
}

/* The new header is made from the bytes of the old one: slots of later releases do not change. */
static int edit_header(uint8_t copy[HEADER_COPY_BYTES], const struct key_change *change,
        const struct authenticated_header *old, const struct file_keys *keys)
{
	int status = GPUCRYPT_OK;

	memcpy(copy, old->bytes, HEADER_COPY_BYTES);
	if (old->header.sequence == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "its key slots cannot be changed any more: the header's sequence number is "
		                            "the highest possible: make a new container with gcrypt rekey");
	store_le64(copy + HEADER_SEQUENCE, old->header.sequence + 1);
	if (change->remove >= 0)
		status = remove_slot(copy, old, (unsigned)change->remove);
	if (status == GPUCRYPT_OK)
		status = add_slots(copy, &old->header, keys, change->add);
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
