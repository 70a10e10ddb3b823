/* Headers: layout by offset, form, and which copy and slot are used when the two disagree. */
#include "tests/unit/cmocka_all.h"

#include "gpucrypt/bytes.h"
#include "gpucrypt/keys/header.h"

#define COPIES_BYTES (2 * HEADER_COPY_BYTES)

static const uint8_t key_file[32] = { 3, 1, 4, 1, 5 }, other_file[32] = { 2, 7, 1, 8 };
static const struct gpucrypt_secret secret = { .type = GPUCRYPT_KEY_FILE, .bytes = key_file, .length = 32 };
static const struct gpucrypt_secret wrong = { .type = GPUCRYPT_KEY_FILE, .bytes = other_file, .length = 32 };
static const struct gpucrypt_secret passphrase = { .type = GPUCRYPT_PASSPHRASE, .bytes = key_file, .length = 5 };
static uint8_t file_key[FILE_KEY_BYTES] = { 42 };

static struct header make(void)
{
	struct header header = { .version = 1,
		.cipher_id = 2,
		.key_bytes = 24,
		.mode_id = 3,
		.tag_id = 1,
		.chunk_log2 = 13,
		.group_log2 = 15,
		.plaintext_bytes = 0x123456789a,
		.sequence = 1 };

	count_up(header.file_salt, SALT_BYTES, 50);
	assert_ok(key_slot_make(&header.slots[2], &secret, file_key, header.file_salt, 0));
	return header;
}

static void write_copy(uint8_t *copy, const struct header *header)
{
	struct file_keys keys;

	assert_ok(header_encode(copy, header));
	assert_ok(file_keys_derive(&keys, file_key, copy));
	assert_ok(header_seal(copy, &keys));
}

static void write_both(uint8_t copies[COPIES_BYTES], const struct header *header)
{
	write_copy(copies, header);
	memcpy(copies + HEADER_COPY_BYTES, copies, HEADER_COPY_BYTES);
}

static int unlock(
        struct authenticated_header *state, const uint8_t copies[COPIES_BYTES], const struct gpucrypt_secret *with)
{
	struct file_keys keys;

	return header_unlock(state, &keys, copies, with);
}

TEST(round_trip)
{
	struct header header = make(), decoded;
	struct authenticated_header state;
	struct file_keys keys, expected;
	uint8_t copies[COPIES_BYTES];

	write_both(copies, &header);
	/* gcrypt(5), by offset */
	assert_hex(copies, 32, "894743520d0a1a0a01000000021803010d0f0000000000009a78563412000000");
	assert_memory_equal(copies + 32, header.file_salt, 32);
	assert_hex(copies + 64, 8, "0100000000000000");
	assert_hex(copies + 480 + 2 * 960, 16, "02000000280000000000000000000000");
	assert_memory_equal(copies + 480 + 2 * 960 + 16, header.slots[2].salt, 32);
	assert_memory_equal(copies + 480 + 2 * 960 + 48, header.slots[2].body, 40);
	assert_ok(header_decode(&decoded, copies));
	assert_int_equal(decoded.plaintext_bytes, header.plaintext_bytes);
	assert_int_equal(decoded.key_bytes, 24);
	assert_memory_equal(decoded.slots, header.slots, sizeof decoded.slots);
	assert_ok(header_unlock(&state, &keys, copies, &secret));
	assert_int_equal(state.slot, 2);
	assert_string_equal(state.copies.note, "");
	assert_false(header_needs_repair(&state.copies));
	file_keys_derive(&expected, file_key, copies);
	assert_memory_equal(&keys, &expected, sizeof keys);
	assert_memory_equal(state.bytes, copies, HEADER_COPY_BYTES);
}

/* Effect of a changed field in both header copies, without and with a new MAC. */
static const struct {
	unsigned offset;
	uint8_t value;
	int status;
} fields[] = {
	{ 0, 0x88, GPUCRYPT_CORRUPT },
	{ 7, 0x0d, GPUCRYPT_CORRUPT },
	{ 8, 2, GPUCRYPT_UNKNOWN },
	{ 9, 1, GPUCRYPT_UNKNOWN },
	{ 10, 2, GPUCRYPT_UNKNOWN },
	{ 10, 1, GPUCRYPT_CORRUPT }, /* detached, but no sector size */
	{ 11, 2, GPUCRYPT_OK },
	{ 11, 4, GPUCRYPT_OK },
	{ 11, 5, GPUCRYPT_UNKNOWN },
	{ 12, 0, GPUCRYPT_UNKNOWN },
	{ 12, 4, GPUCRYPT_UNKNOWN },
	{ 13, 17, GPUCRYPT_CORRUPT },
	{ 14, 0, GPUCRYPT_UNKNOWN },
	{ 14, 4, GPUCRYPT_UNKNOWN },
	{ 15, 2, GPUCRYPT_UNKNOWN },
	{ 16, 11, GPUCRYPT_CORRUPT },
	{ 16, 16, GPUCRYPT_CORRUPT }, /* chunk over group */
	{ 17, 12, GPUCRYPT_CORRUPT },
	{ 17, 20, GPUCRYPT_OK },
	{ 17, 21, GPUCRYPT_CORRUPT },
	{ 18, 9, GPUCRYPT_CORRUPT }, /* a sector size, but inline */
	{ 19, 1, GPUCRYPT_CORRUPT },
	{ 20, 1, GPUCRYPT_UNKNOWN },
	{ 23, 0x80, GPUCRYPT_UNKNOWN },
	{ 31, 0x80, GPUCRYPT_CORRUPT }, /* 2^63 bytes and more */
	{ 64, 0, GPUCRYPT_CORRUPT },
	{ 72, 1, GPUCRYPT_CORRUPT },
	{ 479, 1, GPUCRYPT_CORRUPT },
	{ 480, 77, GPUCRYPT_OK }, /* an unknown slot type is skipped */
	{ 480, 1, GPUCRYPT_CORRUPT },
	{ 480 + 959, 1, GPUCRYPT_CORRUPT }, /* an unused slot is all zero */
	{ 480 + 1920 + 1, 10, GPUCRYPT_CORRUPT },
	{ 480 + 1920 + 2, 1, GPUCRYPT_CORRUPT },
	{ 480 + 1920 + 3, 1, GPUCRYPT_CORRUPT },
	{ 480 + 1920 + 4, 41, GPUCRYPT_CORRUPT },
	{ 480 + 1920 + 6, 1, GPUCRYPT_CORRUPT },
	{ 480 + 1920 + 8, 1, GPUCRYPT_CORRUPT },
	{ 480 + 1920 + 88, 1, GPUCRYPT_CORRUPT },
	{ 480 + 1920 + 959, 1, GPUCRYPT_CORRUPT },
};

TEST(form)
{
	struct header header = make();
	struct examined_header examined;
	uint8_t copies[COPIES_BYTES];

	for (size_t i = 0; i < N_OF(fields); i++) {
		write_both(copies, &header);
		copies[fields[i].offset] = fields[i].value;
		assert_status(header_decode(&header, copies), fields[i].status);
		header = make();
		copies[HEADER_COPY_BYTES + fields[i].offset] = fields[i].value;
		assert_status(header_examine(&examined, copies), fields[i].status);
	}
}

/* A slot of a type in the form that gcrypt(5) gives it, with one byte changed (0: none, the type as it is). */
static const struct {
	uint8_t type;
	uint16_t body_bytes, offset;
	uint8_t value;
	int status;
} slot_fields[] = {
	{ 1, 40, 1, 24, GPUCRYPT_OK },
	{ 1, 40, 1, 25, GPUCRYPT_CORRUPT },
	{ 1, 40, 1, 9, GPUCRYPT_CORRUPT },
	{ 1, 40, 2, 16, GPUCRYPT_OK },
	{ 1, 40, 2, 0, GPUCRYPT_CORRUPT },
	{ 1, 40, 2, 17, GPUCRYPT_CORRUPT },
	{ 1, 40, 8, 1, GPUCRYPT_CORRUPT },
	{ 1, 41, 1, 10, GPUCRYPT_CORRUPT },
	{ 2, 39, 0, 2, GPUCRYPT_CORRUPT },
	{ 3, 40, 0, 3, GPUCRYPT_OK },
	{ 3, 40, 0, 4, GPUCRYPT_CORRUPT }, /* another type with another form */
	{ 3, 40, 0, 5, GPUCRYPT_OK },
	{ 3, 40, 1, 1, GPUCRYPT_CORRUPT },
	{ 3, 40, 7, 1, GPUCRYPT_CORRUPT },
	{ 3, 40, 959, 1, GPUCRYPT_CORRUPT },
	{ 3, 0, 0, 3, GPUCRYPT_CORRUPT },
	{ 3, 0xffff, 0, 3, GPUCRYPT_CORRUPT },
	{ 5, 40, 15, 1, GPUCRYPT_OK },
	{ 5, 40, 88, 1, GPUCRYPT_CORRUPT },
	{ 5, 255, 0, 5, GPUCRYPT_CORRUPT },
	{ 4, 255, 0, 4, GPUCRYPT_CORRUPT },
	{ 4, 256, 0, 4, GPUCRYPT_OK },
	{ 4, 512, 0, 4, GPUCRYPT_OK },
	{ 4, 513, 0, 4, GPUCRYPT_CORRUPT },
	{ 17, 82, 0, 17, GPUCRYPT_OK },
	{ 17, 82, 8, 1, GPUCRYPT_CORRUPT },
	{ 17, 82, 47, 1, GPUCRYPT_CORRUPT },
	{ 17, 82, 48, 4, GPUCRYPT_CORRUPT }, /* a type that is not shared */
	{ 17, 82, 49, 0, GPUCRYPT_CORRUPT },
	{ 17, 82, 49, 2, GPUCRYPT_CORRUPT }, /* a member behind the end */
	{ 17, 83, 0, 17, GPUCRYPT_CORRUPT },
	{ 17, 116, 49, 0, GPUCRYPT_CORRUPT }, /* a group without members, and one behind it */
	{ 17, 913, 0, 17, GPUCRYPT_CORRUPT },
};

TEST(slot_forms)
{
	struct header header = make(), decoded;
	uint8_t copy[HEADER_COPY_BYTES], *slot = copy + KEY_SLOTS_START;

	for (size_t i = 0; i < N_OF(slot_fields); i++) {
		uint8_t type = slot_fields[i].type;
		size_t n = slot_fields[i].body_bytes;

		assert_ok(header_encode(copy, &header));
		slot[0] = type;
		slot[1] = type == 1 ? 10 : 0;
		slot[2] = type == 1;
		store_le16(slot + 4, (uint16_t)n);
		if (type >= 3 && type <= 5)
			count_up(slot + 8, 8, 1);
		if (type != 4 && type != 17)
			count_up(slot + 16, 32, 1);
		for (size_t at = 0; at < n && at < 912; at++) /* groups of X25519 with one member */
			slot[48 + at] = at % 34 == 0 ? 3 : at % 34 == 1;
		slot[slot_fields[i].offset] = slot_fields[i].value;
		assert_status(header_decode(&decoded, copy), slot_fields[i].status);
	}
}

/* Types 3 and 4 and detached containers are part of version 1. */
TEST(other_forms)
{
	struct header header = make(), decoded;
	uint8_t copy[HEADER_COPY_BYTES], *slot = copy + KEY_SLOTS_START;

	header.layout = LAYOUT_DETACHED;
	header.sector_log2 = 12;
	assert_ok(header_encode(copy, &header));
	slot[0] = SLOT_X25519;
	slot[4] = 40;
	count_up(slot + 8, 8 + 32 + 40, 1);
	assert_ok(header_decode(&decoded, copy));
	assert_int_equal(decoded.slots[0].key_id[7], 8);
	slot[0] = SLOT_RSA_OAEP;
	store_le16(slot + 4, 384);
	assert_status(header_decode(&decoded, copy), GPUCRYPT_CORRUPT); /* type 4: salt zero */
	memset(slot + 16, 0, 32);
	slot[48 + 383] = 1;
	assert_ok(header_decode(&decoded, copy));
	slot[48 + 384] = 1;
	assert_status(header_decode(&decoded, copy), GPUCRYPT_CORRUPT);
	slot[48 + 384] = 0;
	copy[14] = 2; /* CTR: detached is XTS only */
	assert_status(header_decode(&decoded, copy), GPUCRYPT_CORRUPT);
}

TEST(not_a_container)
{
	struct authenticated_header state;
	uint8_t copies[COPIES_BYTES] = { 'P', 'K' };
	struct header header = make();

	assert_fails(unlock(&state, copies, &secret), GPUCRYPT_CORRUPT, "not a gcrypt container");
	/* One copy is destroyed, the other of a later version: later version. */
	write_both(copies, &header);
	memset(copies, 0, HEADER_COPY_BYTES);
	copies[HEADER_COPY_BYTES + 8] = 9;
	assert_fails_about(unlock(&state, copies, &secret), GPUCRYPT_UNKNOWN, "version 9");
}

/* A bit of one copy: the other is used.  The same bit of both: never opened. */
TEST(one_bit)
{
	struct header header = make();
	struct authenticated_header state;
	uint8_t good[COPIES_BYTES], copies[COPIES_BYTES];

	write_both(good, &header);
	for (unsigned bit = 0; bit < 8 * HEADER_COPY_BYTES; bit += bit < 8 * 64 ? 1 : 61) {
		for (unsigned damaged = 0; damaged < 2; damaged++) {
			memcpy(copies, good, sizeof copies);
			copies[damaged * HEADER_COPY_BYTES + bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_ok(unlock(&state, copies, &secret));
			assert_memory_equal(state.bytes, good, HEADER_COPY_BYTES);
			assert_false(state.copies.good[damaged]);
			assert_true(state.copies.good[1 - damaged]);
			assert_true(header_needs_repair(&state.copies));
			assert_string_equal(state.copies.note,
			        damaged == 0 ? "header copy A is damaged" : "header copy B is damaged");
		}
		copies[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_in_range(unlock(&state, copies, &secret), GPUCRYPT_CORRUPT, GPUCRYPT_UNKNOWN);
		assert_int_not_equal(unlock(&state, copies, &secret), GPUCRYPT_EXISTS);
	}
}

TEST(wrong_secrets)
{
	const struct gpucrypt_secret brief = { .type = GPUCRYPT_KEY_FILE, .bytes = key_file, .length = 31 };
	struct header header = make();
	struct authenticated_header state;
	uint8_t copies[COPIES_BYTES];

	write_both(copies, &header);
	assert_fails(unlock(&state, copies, &wrong), GPUCRYPT_NO_KEY,
	        "cannot unlock: no key slot matches this key file (key slots: key file)");
	assert_fails(unlock(&state, copies, &passphrase), GPUCRYPT_NO_KEY,
	        "cannot unlock: no key slot matches this passphrase (key slots: key file)");
	assert_status(unlock(&state, copies, &brief), GPUCRYPT_USAGE);
}

/* A slot that was removed from the newer copy opens nothing, one that was added is used. */
TEST(older_copy)
{
	struct authenticated_header state;
	uint8_t copies[COPIES_BYTES];

	for (unsigned newer = 0; newer < 2; newer++) {
		struct header header = make();

		write_both(copies, &header);
		header.sequence = 2;
		header.slots[2] = (struct key_slot){ 0 };
		assert_ok(key_slot_make(&header.slots[0], &wrong, file_key, header.file_salt, 0));
		write_copy(copies + newer * HEADER_COPY_BYTES, &header);
		assert_status(unlock(&state, copies, &secret), GPUCRYPT_NO_KEY);
		assert_ok(unlock(&state, copies, &wrong));
		assert_int_equal(state.slot, 0);
		assert_int_equal(state.header.sequence, 2);
		assert_true(state.copies.older[1 - newer] && !state.copies.older[newer]);
		assert_true(header_needs_repair(&state.copies));
		assert_non_null(strstr(state.copies.note, "older"));
		/* The newer one is damaged after all: the older one counts, and its slot. */
		copies[newer * HEADER_COPY_BYTES + 4000] ^= 1;
		assert_ok(unlock(&state, copies, &secret));
		assert_int_equal(state.header.sequence, 1);
	}
}

/* A slot from another container with the same secret opens, but proves nothing, and is skipped.
 */
TEST(slot_from_elsewhere)
{
	struct header header = make();
	struct authenticated_header state;
	uint8_t copies[COPIES_BYTES], elsewhere[FILE_KEY_BYTES] = { 43 };

	assert_ok(key_slot_make(&header.slots[0], &secret, elsewhere, header.file_salt, 0));
	write_both(copies, &header);
	assert_ok(unlock(&state, copies, &secret));
	assert_int_equal(state.slot, 2);
	memset(copies + KEY_SLOTS_START + 2 * KEY_SLOT_BYTES, 0, KEY_SLOT_BYTES);
	memset(copies + HEADER_COPY_BYTES + KEY_SLOTS_START + 2 * KEY_SLOT_BYTES, 0, KEY_SLOT_BYTES);
	assert_status(unlock(&state, copies, &secret), GPUCRYPT_CORRUPT);
}

/* A KDF bomb is not run: by memory, and by time. */
TEST(dear_slots)
{
	struct header header = make();
	struct authenticated_header state;
	uint8_t copies[COPIES_BYTES];

	header.slots[0] = (struct key_slot){ .type = SLOT_PASSPHRASE, .log2_n = 21, .p = 1, .body_bytes = 40 };
	header.slots[1] = (struct key_slot){ .type = SLOT_PASSPHRASE, .log2_n = 20, .p = 3, .body_bytes = 40 };
	header.slots[3] = (struct key_slot){ .type = SLOT_PASSPHRASE, .log2_n = 24, .p = 16, .body_bytes = 40 };
	write_both(copies, &header);
	assert_fails_about(unlock(&state, copies, &passphrase), GPUCRYPT_NO_KEY, "3 skipped");
	assert_status(key_slot_make(&header.slots[4], &passphrase, file_key, header.file_salt, 9), GPUCRYPT_USAGE);
	assert_status(key_slot_make(&header.slots[4], &passphrase, file_key, header.file_salt, 21), GPUCRYPT_USAGE);
	assert_ok(key_slot_make(&header.slots[4], &passphrase, file_key, header.file_salt, 10));
	write_both(copies, &header);
	assert_ok(unlock(&state, copies, &passphrase));
	assert_int_equal(state.slot, 4);
	assert_non_null(strstr(state.copies.note, "skipped"));
	assert_false(header_needs_repair(&state.copies));
}

/* The limit of 1 MiB allows two derivations with N = 2^10 (gcrypt(5): the sum of N * p is at most M / 512): a slot that
 * is in a header copy twice, or in both copies, is tried once. */
TEST(slot_tried_once)
{
	struct gpucrypt_secret limited = passphrase;
	struct authenticated_header state;
	uint8_t copies[COPIES_BYTES];

	limited.max_kdf_bytes = 1 << 20;
	for (unsigned twice = 0; twice < 2; twice++) {
		struct header header = make();

		header.slots[0] = (struct key_slot){ .type = SLOT_PASSPHRASE, .log2_n = 10, .p = 1, .body_bytes = 40 };
		if (twice)
			header.slots[1] = header.slots[0];
		write_copy(copies, &header);
		header.sequence = 2;
		assert_ok(key_slot_make(&header.slots[3], &passphrase, file_key, header.file_salt, 10));
		write_copy(copies + HEADER_COPY_BYTES, &header);
		if (twice)
			memcpy(copies, copies + HEADER_COPY_BYTES, HEADER_COPY_BYTES);
		assert_ok(unlock(&state, copies, &limited));
		assert_int_equal(state.slot, 3);
	}
}

/* gcrypt(5), KEYS: at most 18432 tries of private keys on anonymous recipients, which are 128 keys on 8 slots of 18. */
TEST(anonymous_limit)
{
	struct header header = make();
	struct authenticated_header state;
	uint8_t copies[COPIES_BYTES], der[129][48];
	struct gpucrypt_secret keys[129];

	write_both(copies, &header);
	for (unsigned i = 0; i < 8; i++) {
		uint8_t *slot = copies + KEY_SLOTS_START + i * KEY_SLOT_BYTES;

		memset(slot, 0, KEY_SLOT_BYTES);
		slot[0] = SLOT_SHARED;
		store_le16(slot + 4, 34 + 18 * 48);
		slot[48] = SLOT_X25519;
		slot[49] = 18;
		count_up(slot + 50, 32, (uint8_t)i);
	}
	memcpy(copies + HEADER_COPY_BYTES, copies, HEADER_COPY_BYTES);
	for (unsigned i = 0; i < N_OF(keys); i++) {
		from_hex(der[i], 16, "302e020100300506032b656e04220420"); /* PKCS#8 of X25519 (RFC 8410) */
		count_up(der[i] + 16, 32, (uint8_t)i);
		keys[i] = (struct gpucrypt_secret){
			.type = GPUCRYPT_X25519, .bytes = der[i], .length = 48, .next = i > 0 ? &keys[i - 1] : NULL
		};
	}
	assert_fails_about(
	        unlock(&state, copies, &keys[127]), GPUCRYPT_NO_KEY, "matches any of these 128 private keys");
	assert_fails_about(unlock(&state, copies, &keys[128]), GPUCRYPT_NO_KEY,
	        "too many anonymous key slots for 129 private keys");
}
