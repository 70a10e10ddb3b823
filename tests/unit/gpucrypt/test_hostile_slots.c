/* 10,000 headers with hostile key slots, whose makers do not have the file key: none opens, and each is refused for the
 * reason that gcrypt(5), "Key slots", gives.  Of the headers, one in GCRYPT_TEST_ONE_IN.  The sanitizers watch in `make
 * check-sanitize`. */
#include "tests/unit/cmocka_all.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/keys/public_key.h"

#define N_CASES   10000
#define N_SECRETS 5 /* a type each */

static uint8_t file_key[FILE_KEY_BYTES] = { 42 };
static uint8_t bytes[N_SECRETS][MAX_KEY_DER_BYTES];
static struct gpucrypt_secret secrets[N_SECRETS];
static struct header header;
static uint8_t good[HEADER_COPY_BYTES];
static uint32_t state = 1;

static uint32_t number(uint32_t below)
{
	state = state * 1664525u + 1013904223u; /* Numerical Recipes, "an even quicker generator" */
	return (state >> 8) % below;
}

static struct gpucrypt_secret private_key(unsigned i, enum gpucrypt_secret_type type, EVP_PKEY *key)
{
	unsigned char *at = bytes[i];
	int n = i2d_PrivateKey(key, &at);

	/* PKCS#8 of EC and RSA keys has another form than i2d_PrivateKey() writes. */
	if (type != GPUCRYPT_X25519) {
		PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key);

		at = bytes[i];
		n = i2d_PKCS8_PRIV_KEY_INFO(info, &at);
		PKCS8_PRIV_KEY_INFO_free(info);
	}
	EVP_PKEY_free(key);
	assert_true(n > 0);
	return (struct gpucrypt_secret){ .type = type, .bytes = bytes[i], .length = (size_t)n };
}

static void set_up(void)
{
	header = (struct header){ .version = 1,
		.cipher_id = 1,
		.key_bytes = 16,
		.mode_id = 1,
		.tag_id = 1,
		.chunk_log2 = 12,
		.group_log2 = 13,
		.sequence = 1 };
	secrets[0] = (struct gpucrypt_secret){ .type = GPUCRYPT_PASSPHRASE, .bytes = (uint8_t *)"secret", .length = 6 };
	secrets[1] = (struct gpucrypt_secret){ .type = GPUCRYPT_KEY_FILE, .bytes = bytes[1], .length = 32 };
	secrets[2] = private_key(2, GPUCRYPT_X25519, EVP_PKEY_Q_keygen(NULL, NULL, "X25519"));
	secrets[3] = private_key(3, GPUCRYPT_P256, EVP_EC_gen("P-256"));
	secrets[4] = private_key(4, GPUCRYPT_RSA, EVP_RSA_gen(2048));
	for (unsigned i = 0; i < N_SECRETS; i++)
		assert_ok(key_slot_make(&header.slots[i], &secrets[i], file_key, header.file_salt, 10));
	assert_ok(header_encode(good, &header));
}

static uint8_t *slot_at(uint8_t *copy, unsigned i)
{
	return copy + KEY_SLOTS_START + i * KEY_SLOT_BYTES;
}

static void fill(uint8_t *at, size_t n)
{
	while (n-- > 0)
		*at++ = (uint8_t)number(256);
}

/* Each kind changes a slot, which held secret i, and returns what a reader with this secret says. */

static int unknown_type(uint8_t *slot, unsigned i)
{
	(void)i;
	fill(slot, KEY_SLOT_BYTES);
	slot[0] = (uint8_t)(7 + number(9)); /* 16 is that of labels */
	return GPUCRYPT_NO_KEY;
}

static int wrong_length(uint8_t *slot, unsigned i)
{
	static const uint16_t lengths[] = { 0, 1, 39, 41, 255, 513, 912, 913, 960, 0x8000, 0xffff };

	(void)i;
	store_le16(slot + 4, lengths[number(N_OF(lengths))]);
	return GPUCRYPT_CORRUPT;
}

static int reserved_byte(uint8_t *slot, unsigned i)
{
	static const uint16_t places[] = { 3, 6, 7, 959, 700, 600 };

	(void)i;
	slot[places[number(N_OF(places))]] = (uint8_t)(1 + number(255));
	return GPUCRYPT_CORRUPT;
}

static int cost_out_of_range(uint8_t *slot, unsigned i)
{
	slot[1] = (uint8_t)(i == 0 ? 25 + number(231) : 1 + number(255)); /* only a passphrase has a cost */
	return GPUCRYPT_CORRUPT;
}

static int cost_too_high(uint8_t *slot, unsigned i)
{
	if (i != 0)
		return unknown_type(slot, i);
	slot[1] = (uint8_t)(21 + number(4)); /* more than 1 GiB */
	return GPUCRYPT_NO_KEY;
}

static int wrong_body(uint8_t *slot, unsigned i)
{
	fill(slot + 48, i == 4 ? 256 : 40);
	return GPUCRYPT_NO_KEY;
}

/* The points of small order of RFC 7748, section 6.1, x coordinates that are on no curve, and any others. */
static int hostile_point(uint8_t *slot, unsigned i)
{
	if (i < 2 || i == 4)
		return wrong_body(slot, i);
	memset(slot + 16, number(2) ? 0xff : 0, 32);
	if (number(2))
		fill(slot + 16, 32);
	else
		slot[16] = (uint8_t)number(2);
	return GPUCRYPT_NO_KEY;
}

static int other_key_id(uint8_t *slot, unsigned i)
{
	if (i < 2) { /* without ids the field is zero */
		slot[8 + number(8)] = 1;
		return GPUCRYPT_CORRUPT;
	}
	fill(slot + 8, 8);
	return GPUCRYPT_NO_KEY;
}

/* Of nobody, with a body that nobody made. */
static int anonymous(uint8_t *slot, unsigned i)
{
	if (i >= 2)
		memset(slot + 8, 0, 8);
	return wrong_body(slot, i);
}

static int other_type(uint8_t *slot, unsigned i)
{
	static const uint8_t types[] = { SLOT_PASSPHRASE, SLOT_KEY_FILE, SLOT_X25519, SLOT_P256, SLOT_RSA_OAEP };
	unsigned other = (i + 1 + number(N_SECRETS - 1)) % N_SECRETS;

	slot[0] = types[other];
	/* X25519 and P-256 slots, and where there are no ids those of key files, have the same form. */
	return (i == 2 && other == 3) || (i == 3 && other == 2) || (i == 1 && (other == 2 || other == 3))
	               ? GPUCRYPT_NO_KEY
	               : GPUCRYPT_CORRUPT;
}

/* The slot becomes a shared one, of a group of one member. */
static void share(uint8_t *slot)
{
	uint8_t kind = slot[0], id[8], ephemeral[32], body[40];

	memcpy(id, slot + 8, 8);
	memcpy(ephemeral, slot + 16, 32);
	memcpy(body, slot + 48, 40);
	memset(slot, 0, KEY_SLOT_BYTES);
	slot[0] = 17;
	store_le16(slot + 4, 82);
	slot[48] = kind;
	slot[49] = 1;
	memcpy(slot + 50, ephemeral, 32);
	memcpy(slot + 82, id, 8);
	memcpy(slot + 90, body, 40);
}

static int shared_form(uint8_t *slot, unsigned i)
{
	if (i != 2 && i != 3)
		return wrong_body(slot, i);
	share(slot);
	switch (number(6)) {
	case 0: /* a type that is not shared */
		slot[48] = (uint8_t)(6 + number(250));
		break;
	case 1: /* no members, or members behind the end */
		slot[49] = (uint8_t)(number(2) ? 0 : 2 + number(254));
		break;
	case 2: /* half a group behind the first */
		store_le16(slot + 4, (uint16_t)(83 + number(81)));
		break;
	case 3: /* groups up to the last byte of the slot, and behind it */
		store_le16(slot + 4, (uint16_t)(912 + number(100)));
		fill(slot + 130, KEY_SLOT_BYTES - 130);
		break;
	case 4:
		slot[1 + number(3)] = 1;
		break;
	default:
		slot[8 + number(40)] = 1;
		break;
	}
	return GPUCRYPT_CORRUPT;
}

/* As many members as there can be, all with the reader's id, which nobody can open. */
static int shared_members(uint8_t *slot, unsigned i)
{
	if (i != 2 && i != 3)
		return wrong_body(slot, i);
	share(slot);
	store_le16(slot + 4, 34 + 18 * 48);
	slot[49] = 18;
	for (unsigned j = 0; j < 18; j++) {
		memcpy(slot + 82 + j * 48, slot + 82, 8);
		fill(slot + 90 + j * 48, 40);
	}
	if (number(2))
		memset(slot + 50, number(2) ? 0xff : 0, 32);
	return GPUCRYPT_NO_KEY;
}

/* The slot opens, but the header's MAC is of another header. */
static int good_slot(uint8_t *slot, unsigned i)
{
	(void)slot;
	(void)i;
	return GPUCRYPT_CORRUPT;
}

static int (*const kinds[])(uint8_t *slot, unsigned i) = { unknown_type, wrong_length, reserved_byte, cost_out_of_range,
	cost_too_high, wrong_body, hostile_point, other_key_id, anonymous, other_type, shared_form, shared_members,
	good_slot };

TEST(hostile_slots)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];

	set_up();
	for (unsigned n = 0; n < N_CASES / test_one_in(); n++) {
		unsigned kind = number(N_OF(kinds)), i = kind == N_OF(kinds) - 1 && number(20) ? 1 : number(N_SECRETS);
		struct authenticated_header opened;
		struct file_keys keys;
		int expected, status;

		memcpy(copies, good, HEADER_COPY_BYTES);
		for (unsigned j = 0; j < N_SECRETS; j++)
			if (j != i)
				memset(slot_at(copies, j), 0, KEY_SLOT_BYTES);
		expected = kinds[kind](slot_at(copies, i), i);
		memcpy(copies + HEADER_COPY_BYTES, copies, HEADER_COPY_BYTES);
		status = header_unlock(&opened, &keys, copies, &secrets[i]);
		if (status != expected)
			fail_msg("case %u: kind %u, secret %u: %d instead of %d: %s", n, kind, i, status, expected,
			        gpucrypt_error());
	}
}

/* Eight copies of one slot, and slots of all types at once: each is tried once, and each limit holds. */
TEST(full_headers)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];

	for (unsigned n = 0; n < 200 / test_one_in(); n++) {
		struct authenticated_header opened;
		struct file_keys keys;

		memcpy(copies, good, HEADER_COPY_BYTES);
		for (unsigned j = 0; j < N_KEY_SLOTS; j++) {
			unsigned from = n % 2 ? number(N_SECRETS - 1) + 1 : 1 + n / 2 % (N_SECRETS - 1);

			memcpy(slot_at(copies, j), slot_at(good, from), KEY_SLOT_BYTES);
			wrong_body(slot_at(copies, j), from);
		}
		memcpy(copies + HEADER_COPY_BYTES, copies, HEADER_COPY_BYTES);
		for (unsigned i = 1; i < N_SECRETS; i++) {
			assert_status(header_unlock(&opened, &keys, copies, &secrets[i]), GPUCRYPT_NO_KEY);
		}
	}
}
