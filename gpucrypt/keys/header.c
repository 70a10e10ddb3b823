#include "gpucrypt/keys/header.h"

#include <string.h>

#include <openssl/evp.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"

/* gcrypt(5), "Header" */
#define VERSION     8
#define CONTENT     11
#define CIPHER      12
#define KEY_BYTES   13
#define MODE        14
#define TAG         15
#define CHUNK_LOG2  16
#define GROUP_LOG2  17
#define SECTOR_LOG2 18
#define ZERO_A      19
#define FLAGS       20
#define LENGTH      24
#define ZERO_B      72

const uint8_t header_magic[HEADER_MAGIC_BYTES] = { 0x89, 'G', 'C', 'R', '\r', '\n', 0x1a, '\n' };
static const uint8_t start_magic[HEADER_MAGIC_BYTES] = START_RECORD_MAGIC;

_Static_assert(KEY_SLOTS_START + N_KEY_SLOTS * KEY_SLOT_BYTES == HEADER_MAC, "slots end at the MAC");

bool start_record_form(const uint8_t record[HEADER_MAGIC_BYTES])
{
	return memcmp(record, start_magic, sizeof start_magic) == 0;
}

static bool is_zero(const uint8_t *bytes, size_t from, size_t to)
{
	return all_zero(bytes + from, to - from);
}

/* Key slots: offsets in a slot (gcrypt(5), "Key slots"). */
#define LOG2_N      1
#define P           2
#define ZERO_SLOT_A 3
#define BODY_BYTES  4
#define ZERO_SLOT_B 6
#define KEY_ID      8
#define SALT        16
#define BODY        48

_Static_assert(HYBRID_BODY_BYTES == MAX_SLOT_BODY && MAX_SLOT_BODY <= 2 * SLOT_ROOM, "two slots hold the largest body");

/* The part of a body in its first slot. */
static size_t in_first(size_t n_body)
{
	return n_body < SLOT_ROOM ? n_body : SLOT_ROOM;
}

void key_slot_encode(uint8_t *bytes, const struct key_slot *slot)
{
	size_t first = in_first(slot->body_bytes);

	if (slot->type == SLOT_UNUSED || slot->type == SLOT_CONTINUED)
		return;
	if (slot_type_of(slot->type) == NULL) {
		memcpy(bytes, slot->body, KEY_SLOT_BYTES);
		return;
	}
	bytes[0] = slot->type;
	bytes[LOG2_N] = slot->log2_n;
	bytes[P] = slot->p;
	store_le16(bytes + BODY_BYTES, slot->body_bytes);
	memcpy(bytes + KEY_ID, slot->key_id, KEY_ID_BYTES);
	memcpy(bytes + SALT, slot->salt, SALT_BYTES);
	memcpy(bytes + BODY, slot->body, first);
	if (slot->body_bytes == first || slot->incomplete)
		return;
	bytes[KEY_SLOT_BYTES] = SLOT_CONTINUED;
	memcpy(bytes + KEY_SLOT_BYTES + BODY, slot->body + first, slot->body_bytes - first);
}

/* Does every field have a value that the type allows? */
static bool has_form(const struct slot_type *type, const uint8_t *bytes)
{
	unsigned n = load_le16(bytes + BODY_BYTES);

	if (n < type->least_body_bytes || n > type->most_body_bytes ||
	        !is_zero(bytes, BODY + in_first(n), KEY_SLOT_BYTES))
		return false;
	if (type->has_cost ? bytes[LOG2_N] < 10 || bytes[LOG2_N] > 24 || bytes[P] < 1 || bytes[P] > 16
	                   : !is_zero(bytes, LOG2_N, ZERO_SLOT_A))
		return false;
	if (bytes[0] == SLOT_SHARED && !shared_slot_form(bytes + BODY, n))
		return false;
	return is_zero(bytes, ZERO_SLOT_A, BODY_BYTES) && is_zero(bytes, ZERO_SLOT_B, KEY_ID) &&
	       (type->has_key_id || is_zero(bytes, KEY_ID, SALT)) && (type->has_salt || is_zero(bytes, SALT, BODY));
}

/* The rest of a body, in the slot that continues the slot.  A release that does not know the types may have removed one
 * of the two. */
static void decode_rest(struct key_slot *slot, const uint8_t *next)
{
	size_t first = in_first(slot->body_bytes), rest = slot->body_bytes - first;

	slot->incomplete = rest > 0 && (next == NULL || next[0] != SLOT_CONTINUED || !is_zero(next, 1, BODY) ||
	                                       !is_zero(next, BODY + rest, KEY_SLOT_BYTES));
	if (rest > 0 && !slot->incomplete)
		memcpy(slot->body + first, next + BODY, rest);
}

int key_slot_decode(struct key_slot *slot, const uint8_t bytes[KEY_SLOT_BYTES], const uint8_t *next)
{
	const struct slot_type *type = slot_type_of(bytes[0]);

	*slot = (struct key_slot){ .type = bytes[0] };
	if (bytes[0] == SLOT_UNUSED ? !is_zero(bytes, 0, KEY_SLOT_BYTES) : type != NULL && !has_form(type, bytes))
		return fail(GPUCRYPT_CORRUPT, "the header is damaged: a malformed key slot");
	if (type == NULL) {
		memcpy(slot->body, bytes, KEY_SLOT_BYTES);
		return GPUCRYPT_OK;
	}
	slot->log2_n = bytes[LOG2_N];
	slot->p = bytes[P];
	slot->body_bytes = load_le16(bytes + BODY_BYTES);
	memcpy(slot->key_id, bytes + KEY_ID, KEY_ID_BYTES);
	memcpy(slot->salt, bytes + SALT, SALT_BYTES);
	memcpy(slot->body, bytes + BODY, in_first(slot->body_bytes));
	decode_rest(slot, next);
	return GPUCRYPT_OK;
}

/* Labels: offsets in their slot, and in an entry. */
#define ENTRIES      16
#define ENTRY_BYTES  104
#define DIGEST_BYTES 8
#define TEXT         DIGEST_BYTES

_Static_assert(TEXT + MAX_LABEL_BYTES == ENTRY_BYTES, "digest and label fill an entry");
_Static_assert(ENTRIES + N_KEY_SLOTS * ENTRY_BYTES <= KEY_SLOT_BYTES, "entries fit into a slot");

/* The slot of this type, from the last one; -1: none. */
static int find_type(const uint8_t *slots, unsigned type)
{
	int i = N_KEY_SLOTS - 1;

	while (i >= 0 && slots[(size_t)i * KEY_SLOT_BYTES] != type)
		i--;
	return i;
}

/* Offset of the entry for a slot, if the labels are in the slot `place`. */
static size_t entry_at(int place, unsigned slot)
{
	return (size_t)place * KEY_SLOT_BYTES + ENTRIES + (size_t)slot * ENTRY_BYTES;
}

/* A release that does not know labels may use the slot again: the digest shows for which content the label is. */
static bool digest_slot(uint8_t digest[DIGEST_BYTES], const uint8_t *slot)
{
	uint8_t whole[EVP_MAX_MD_SIZE];
	bool good = EVP_Digest(slot, KEY_SLOT_BYTES, whole, NULL, EVP_sha256(), NULL) == 1;

	memcpy(digest, whole, DIGEST_BYTES);
	return good;
}

/* A label whose slot has changed since is not read. */
static void read_labels(struct key_slot *read, const uint8_t *slots)
{
	int place = find_type(slots, SLOT_LABELS);
	uint8_t digest[DIGEST_BYTES];

	for (unsigned i = 0; place >= 0 && i < N_KEY_SLOTS; i++) {
		const uint8_t *slot = slots + (size_t)i * KEY_SLOT_BYTES, *entry = slots + entry_at(place, i);

		if (slot[0] != SLOT_UNUSED && slot[0] != SLOT_SHARED && entry[TEXT] != 0 && digest_slot(digest, slot) &&
		        memcmp(digest, entry, DIGEST_BYTES) == 0)
			memcpy(read[i].label, entry + TEXT, MAX_LABEL_BYTES);
	}
}

bool slot_labels_any(const struct key_slot *slots)
{
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		if (slots[i].label[0] != '\0')
			return true;
	return false;
}

/* Replace the labels; without any, their slot becomes unused. */
static int write_labels(uint8_t *slots, const struct key_slot *labelled)
{
	bool any = slot_labels_any(labelled);
	int place = find_type(slots, SLOT_LABELS);

	if (place < 0 && any && (place = find_type(slots, SLOT_UNUSED)) < 0)
		return fail(GPUCRYPT_USAGE, "all %d key slots are in use: labels need one", N_KEY_SLOTS);
	if (place < 0)
		return GPUCRYPT_OK;
	memset(slots + (size_t)place * KEY_SLOT_BYTES, 0, KEY_SLOT_BYTES);
	slots[(size_t)place * KEY_SLOT_BYTES] = any ? SLOT_LABELS : SLOT_UNUSED;
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		uint8_t *entry = slots + entry_at(place, i);

		if (labelled[i].label[0] == '\0')
			continue;
		if (!digest_slot(entry, slots + (size_t)i * KEY_SLOT_BYTES))
			return libcrypto_failed("SHA-256");
		memcpy(entry + TEXT, labelled[i].label, strlen(labelled[i].label));
	}
	return GPUCRYPT_OK;
}

/* Header copies. */

int header_encode(uint8_t copy[HEADER_COPY_BYTES], const struct header *header)
{
	uint8_t *slots = copy + KEY_SLOTS_START;

	memset(copy, 0, HEADER_COPY_BYTES);
	memcpy(copy, header_magic, sizeof header_magic);
	store_le16(copy + VERSION, header->version);
	memcpy(copy + HEADER_P_LAYOUT, header->parameters, sizeof header->parameters);
	store_le32(copy + FLAGS, header->flags);
	store_le64(copy + LENGTH, header->plaintext_bytes);
	memcpy(copy + HEADER_P_SALT, header->file_salt, SALT_BYTES);
	store_le64(copy + HEADER_SEQUENCE, header->sequence);
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		key_slot_encode(slots + i * KEY_SLOT_BYTES, &header->slots[i]);
	return write_labels(slots, header->slots);
}

int header_seal(uint8_t copy[HEADER_COPY_BYTES], const struct file_keys *keys)
{
	return hmac_sha256(copy + HEADER_MAC, keys->header, copy, HEADER_MAC);
}

static int fail_unknown(const char *field, unsigned long number)
{
	return fail(GPUCRYPT_UNKNOWN, "unknown %s %lu in the header: made by a later release?", field, number);
}

/* Numbers to which a later release may add. */
static int check_known(const uint8_t *copy)
{
	if (load_le16(copy + VERSION) != 1)
		return fail_unknown("version", load_le16(copy + VERSION));
	if (copy[HEADER_P_LAYOUT] > LAYOUT_DETACHED)
		return fail_unknown("layout", copy[HEADER_P_LAYOUT]);
	if (copy[CONTENT] > CONTENT_MANIFEST)
		return fail_unknown("content", copy[CONTENT]);
	if (cipher_by_id(copy[CIPHER]) == NULL)
		return fail_unknown("cipher", copy[CIPHER]);
	if (mode_by_id(copy[MODE]) == NULL)
		return fail_unknown("mode", copy[MODE]);
	if (copy[TAG] != TAG_POLY1305_AES)
		return fail_unknown("tag", copy[TAG]);
	if (load_le32(copy + FLAGS) != 0)
		return fail_unknown("flags", load_le32(copy + FLAGS));
	return GPUCRYPT_OK;
}

/* Ranges and zero fields; offsets in a file stay below 2^63. */
static int check_ranges(const uint8_t *copy)
{
	uint8_t chunk = copy[CHUNK_LOG2], group = copy[GROUP_LOG2], sector = copy[SECTOR_LOG2];
	uint8_t k = copy[KEY_BYTES];
	uint64_t length = load_le64(copy + LENGTH);
	bool detached = copy[HEADER_P_LAYOUT] == LAYOUT_DETACHED;

	if (k != 16 && k != 24 && k != 32)
		return fail(GPUCRYPT_CORRUPT, "the header is damaged: key of %u bytes", k);
	if (chunk < 12 || chunk > 20 || group < chunk || group > chunk + 7 || group > 26)
		return fail(GPUCRYPT_CORRUPT, "the header is damaged: chunks of 2^%u, groups of 2^%u", chunk, group);
	if (detached ? sector < 9 || sector > 12 || !mode_by_id(copy[MODE])->has_tweaks : sector != 0)
		return fail(GPUCRYPT_CORRUPT, "the header is damaged: impossible sector size");
	if (length != LENGTH_UNKNOWN && length > INT64_MAX)
		return fail(GPUCRYPT_CORRUPT, "the header is damaged: impossible length");
	if (load_le64(copy + HEADER_SEQUENCE) == 0 || !is_zero(copy, ZERO_A, FLAGS) ||
	        !is_zero(copy, ZERO_B, KEY_SLOTS_START))
		return fail(GPUCRYPT_CORRUPT, "the header is damaged: a reserved field is not zero");
	return GPUCRYPT_OK;
}

int header_decode(struct header *header, const uint8_t copy[HEADER_COPY_BYTES])
{
	int status;

	if (memcmp(copy, header_magic, sizeof header_magic) != 0)
		return fail(GPUCRYPT_CORRUPT, "not a gcrypt container");
	status = check_known(copy) ?: check_ranges(copy);
	for (unsigned i = 0; i < N_KEY_SLOTS && status == GPUCRYPT_OK; i++) {
		const uint8_t *slot = copy + KEY_SLOTS_START + i * KEY_SLOT_BYTES;

		status = key_slot_decode(&header->slots[i], slot, i + 1 < N_KEY_SLOTS ? slot + KEY_SLOT_BYTES : NULL);
	}
	if (status != GPUCRYPT_OK)
		return status;
	read_labels(header->slots, copy + KEY_SLOTS_START);
	header->version = (uint8_t)load_le16(copy + VERSION);
	memcpy(header->parameters, copy + HEADER_P_LAYOUT, sizeof header->parameters);
	header->flags = load_le32(copy + FLAGS);
	header->plaintext_bytes = load_le64(copy + LENGTH);
	memcpy(header->file_salt, copy + HEADER_P_SALT, SALT_BYTES);
	header->sequence = load_le64(copy + HEADER_SEQUENCE);
	return GPUCRYPT_OK;
}
