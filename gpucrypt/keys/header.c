#include "gpucrypt/keys/header.h"

#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/crypto/mode.h"
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

void header_encode(uint8_t copy[HEADER_COPY_BYTES], const struct header *header)
{
	memset(copy, 0, HEADER_COPY_BYTES);
	memcpy(copy, header_magic, sizeof header_magic);
	store_le16(copy + VERSION, header->version);
	copy[HEADER_P_LAYOUT] = header->layout;
	copy[CONTENT] = header->content;
	copy[CIPHER] = header->cipher_id;
	copy[KEY_BYTES] = header->key_bytes;
	copy[MODE] = header->mode_id;
	copy[TAG] = header->tag_id;
	copy[CHUNK_LOG2] = header->chunk_log2;
	copy[GROUP_LOG2] = header->group_log2;
	copy[SECTOR_LOG2] = header->sector_log2;
	store_le32(copy + FLAGS, header->flags);
	store_le64(copy + LENGTH, header->plaintext_bytes);
	memcpy(copy + HEADER_P_SALT, header->file_salt, SALT_BYTES);
	store_le64(copy + HEADER_SEQUENCE, header->sequence);
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		key_slot_encode(copy + KEY_SLOTS_START + i * KEY_SLOT_BYTES, &header->slots[i]);
}

int header_encode_slots(uint8_t copy[HEADER_COPY_BYTES], const struct header *header)
{
	uint8_t *slots = copy + KEY_SLOTS_START;

	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		unsigned type = header->slots[i].type;

		if (type == SLOT_UNUSED || type == SLOT_CONTINUED || slot_type_of(type) != NULL)
			memset(slots + i * KEY_SLOT_BYTES, 0, KEY_SLOT_BYTES);
	}
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		key_slot_encode(slots + i * KEY_SLOT_BYTES, &header->slots[i]);
	return slot_labels_write(slots, &header->labels);
}

int header_seal(uint8_t copy[HEADER_COPY_BYTES], const struct file_keys *keys)
{
	return hmac_sha256(copy + HEADER_MAC, keys->header, copy, HEADER_MAC);
}

static bool is_zero(const uint8_t *bytes, size_t from, size_t to)
{
	return all_zero(bytes + from, to - from);
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
	status = check_known(copy);
	if (status == GPUCRYPT_OK)
		status = check_ranges(copy);
	for (unsigned i = 0; i < N_KEY_SLOTS && status == GPUCRYPT_OK; i++) {
		const uint8_t *slot = copy + KEY_SLOTS_START + i * KEY_SLOT_BYTES;

		status = key_slot_decode(&header->slots[i], slot, i + 1 < N_KEY_SLOTS ? slot + KEY_SLOT_BYTES : NULL);
	}
	if (status != GPUCRYPT_OK)
		return status;
	slot_labels_read(&header->labels, copy + KEY_SLOTS_START);
	header->version = (uint8_t)load_le16(copy + VERSION);
	header->layout = copy[HEADER_P_LAYOUT];
	header->content = copy[CONTENT];
	header->cipher_id = copy[CIPHER];
	header->key_bytes = copy[KEY_BYTES];
	header->mode_id = copy[MODE];
	header->tag_id = copy[TAG];
	header->chunk_log2 = copy[CHUNK_LOG2];
	header->group_log2 = copy[GROUP_LOG2];
	header->sector_log2 = copy[SECTOR_LOG2];
	header->flags = load_le32(copy + FLAGS);
	header->plaintext_bytes = load_le64(copy + LENGTH);
	memcpy(header->file_salt, copy + HEADER_P_SALT, SALT_BYTES);
	header->sequence = load_le64(copy + HEADER_SEQUENCE);
	return GPUCRYPT_OK;
}
