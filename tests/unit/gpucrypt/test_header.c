/* Headers: layout by offset, single bits, and how often slots are tried.  Forms, copies and slots that do not fit:
 * tests/model/header_cases.py. */
#include "tests/unit/cmocka_all.h"

#include "gpucrypt/bytes.h"
#include "gpucrypt/keys/header.h"

#define COPIES_BYTES (2 * HEADER_COPY_BYTES)

static const uint8_t key_file[32] = { 3, 1, 4, 1, 5 };
static const struct gpucrypt_secret secret = { .type = GPUCRYPT_KEY_FILE, .bytes = key_file, .length = 32 };
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
