#include "gpucrypt/keys/slot_labels.h"

#include <string.h>

#include <openssl/evp.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"

/* Offsets in the slot, and in an entry. */
#define ENTRIES      16
#define ENTRY_BYTES  104
#define DIGEST_BYTES 8
#define TEXT         DIGEST_BYTES

_Static_assert(TEXT + MAX_LABEL_BYTES == ENTRY_BYTES, "digest and label fill an entry");
_Static_assert(ENTRIES + N_KEY_SLOTS * ENTRY_BYTES <= KEY_SLOT_BYTES, "entries fit into a slot");

static const uint8_t *slot_at(const uint8_t *slots, unsigned slot)
{
	return slots + (size_t)slot * KEY_SLOT_BYTES;
}

/* The slot of this type, from the last one; -1: none. */
static int find_type(const uint8_t *slots, unsigned type)
{
	int i = N_KEY_SLOTS - 1;

	while (i >= 0 && slot_at(slots, (unsigned)i)[0] != type)
		i--;
	return i;
}

/* A release that does not know labels may use the slot again: the digest shows for which content the label is. */
static bool digest_slot(uint8_t digest[DIGEST_BYTES], const uint8_t *slot)
{
	uint8_t whole[EVP_MAX_MD_SIZE];
	bool good = EVP_Digest(slot, KEY_SLOT_BYTES, whole, NULL, EVP_sha256(), NULL) == 1;

	memcpy(digest, whole, DIGEST_BYTES);
	return good;
}

void slot_labels_read(struct slot_labels *labels, const uint8_t *slots)
{
	int place = find_type(slots, SLOT_LABELS);

	*labels = (struct slot_labels){ 0 };
	for (unsigned i = 0; place >= 0 && i < N_KEY_SLOTS; i++) {
		const uint8_t *entry = slot_at(slots, (unsigned)place) + ENTRIES + (size_t)i * ENTRY_BYTES;
		uint8_t digest[DIGEST_BYTES];

		if (slot_at(slots, i)[0] != SLOT_UNUSED && slot_at(slots, i)[0] != SLOT_SHARED && entry[TEXT] != 0 &&
		        digest_slot(digest, slot_at(slots, i)) && memcmp(digest, entry, DIGEST_BYTES) == 0)
			memcpy(labels->texts[i], entry + TEXT, MAX_LABEL_BYTES);
	}
}

static bool any_label(const struct slot_labels *labels)
{
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		if (labels->texts[i][0] != '\0')
			return true;
	return false;
}

int slot_labels_write(uint8_t *slots, const struct slot_labels *labels)
{
	int place = find_type(slots, SLOT_LABELS);
	uint8_t *slot;

	if (place < 0 && !any_label(labels))
		return GPUCRYPT_OK;
	if (place < 0)
		place = find_type(slots, SLOT_UNUSED);
	if (place < 0)
		return fail(GPUCRYPT_USAGE, "all %d key slots are in use: labels need one", N_KEY_SLOTS);
	slot = slots + (size_t)place * KEY_SLOT_BYTES;
	memset(slot, 0, KEY_SLOT_BYTES);
	if (any_label(labels))
		slot[0] = SLOT_LABELS;
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		uint8_t *entry = slot + ENTRIES + (size_t)i * ENTRY_BYTES;

		if (labels->texts[i][0] == '\0')
			continue;
		if (!digest_slot(entry, slot_at(slots, i)))
			return libcrypto_failed("SHA-256");
		memcpy(entry + TEXT, labels->texts[i], strlen(labels->texts[i]));
	}
	return GPUCRYPT_OK;
}

int slot_label_set(struct slot_labels *labels, unsigned slot, const char *text)
{
	size_t n = text != NULL ? strlen(text) : 0;

	if (n > MAX_LABEL_BYTES)
		return fail(GPUCRYPT_USAGE, "a label of %zu bytes: it can have %d", n, MAX_LABEL_BYTES);
	memset(labels->texts[slot], 0, sizeof labels->texts[slot]);
	memcpy(labels->texts[slot], text != NULL ? text : "", n);
	return GPUCRYPT_OK;
}
