/* More recipients than slots (gcrypt(5), "Shared slots").  Which container opens with which key is also checked by the
 * independent reader: tests/cli/keys/many-recipients.sh. */
#include "tests/unit/cmocka_all.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/header.h"

#define N_PAIRS (MAX_RECIPIENT_SLOTS + 1)

static uint8_t file_key[FILE_KEY_BYTES] = { 42 }, file_salt[SALT_BYTES] = { 43 };
static uint8_t public_der[N_PAIRS][128], private_der[N_PAIRS][256];
static struct gpucrypt_secret public[N_PAIRS], private[N_PAIRS];
static uint8_t ids[N_PAIRS][KEY_ID_BYTES];
static struct header header;
static struct key_slot *const slots = header.slots;

/* Pair i is of P-256 if i modulo 8 is 7. */
static void make_pair(unsigned i)
{
	EVP_PKEY *key = i % 8 == 7 ? EVP_EC_gen("P-256") : EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
	enum gpucrypt_secret_type type = i % 8 == 7 ? GPUCRYPT_P256 : GPUCRYPT_X25519;
	unsigned char *at = public_der[i];
	int n = i2d_PUBKEY(key, &at);

	assert_true(n > 0);
	public[i] = (struct gpucrypt_secret){ .type = type, .bytes = public_der[i], .length = (size_t)n };
	at = private_der[i];
	n = i2d_PrivateKey(key, &at);
	assert_true(n > 0);
	private[i] = (struct gpucrypt_secret){ .type = type, .bytes = private_der[i], .length = (size_t)n };
	assert_ok(public_key_id(ids[i], &public[i]));
	EVP_PKEY_free(key);
}

void program_set_up(void)
{
	for (unsigned i = 0; i < N_PAIRS; i++)
		make_pair(i);
}

static void start(void)
{
	memset(&header, 0, sizeof header);
	memcpy(header.file_salt, file_salt, sizeof file_salt);
	for (unsigned i = 0; i < N_PAIRS; i++)
	public[i].label = NULL;
}

/* The pairs from i to before j, of every step-th. */
static int add(unsigned i, unsigned j, unsigned step)
{
	for (unsigned k = i; k < j; k += step)
	public[k].next = k + step < j ? &public[k + step] : NULL;
	return header_add_recipients(&header, &public[i], file_key);
}

/* How many slots or members open with private key i, through the bytes of the slots. */
static unsigned opened_by(unsigned i)
{
	uint8_t bytes[KEY_SLOT_BYTES], found[FILE_KEY_BYTES];
	struct key_slot decoded[N_KEY_SLOTS];
	struct recipient recipient;
	unsigned n = 0;

	for (unsigned j = 0; j < N_KEY_SLOTS; j++) {
		memset(bytes, 0, sizeof bytes);
		key_slot_encode(bytes, &slots[j]);
		assert_ok(key_slot_decode(&decoded[j], bytes, NULL));
	}
	for (unsigned j = 0; recipient_read(&recipient, decoded, j); j++) {
		fail_clear();
		assert_int_equal(recipient_number(decoded, recipient.slot, recipient.member), j);
		if (key_slot_fit(&recipient.key, private[i].type, ids[i]) != FITS_KEY)
			continue;
		assert_true(key_slot_fits(&recipient.key, &private[i]));
		assert_ok(key_slot_open(found, &recipient.key, &private[i], file_salt, NULL));
		assert_memory_equal(found, file_key, sizeof found);
		n++;
	}
	return n;
}

static unsigned n_unused(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		n += slots[i].type == SLOT_UNUSED;
	return n;
}

/* All of one kind fill the slots: 8 · 18. */
TEST(most_recipients)
{
	static struct gpucrypt_secret all[MAX_RECIPIENT_SLOTS];

	start();
	/* The same public key may come again: only the number matters here. */
	for (unsigned i = 0; i < MAX_RECIPIENT_SLOTS; i++)
		all[i] = (struct gpucrypt_secret){ .type = GPUCRYPT_X25519,
			.bytes = public_der[0],
			.length = public[0].length,
			.next = i + 1 < MAX_RECIPIENT_SLOTS ? &all[i + 1] : NULL };
	assert_ok(header_add_recipients(&header, all, file_key));
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		assert_int_equal(key_slot_members(&slots[i]), MAX_MEMBERS);
	public[0].next = NULL;
	assert_status(header_add_recipients(&header, &public[0], file_key), GPUCRYPT_USAGE);
}

/* One after the other: slots of their own, then members of slots that are shared from then on. */
TEST(recipients_come_later)
{
	unsigned n = 0;

	start();
	while (n < N_PAIRS && add(n, n + 1, 1) == GPUCRYPT_OK)
		n++;
	assert_string_equal(gpucrypt_error(),
	        "all 8 key slots are in use (only X25519 and P-256 keys without a label share slots)");
	assert_int_equal(n, N_KEY_SLOTS * 11); /* each is a group of its own: 912 / 82 */
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(opened_by(i), 1);
}

/* A recipient with a label keeps its slot, and labels need one. */
TEST(labels_stay)
{
	start();
	public[6].label = "Anna";
	assert_ok(add(0, 7, 1));
	assert_int_equal(n_unused(), 1);
	assert_ok(add(7, 9, 1));
	assert_int_equal(slots[6].type, SLOT_X25519);
	assert_string_equal(header.slots[6].label, "Anna");
	assert_true(n_unused() >= 1);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(opened_by(i), 1);
}

TEST(members_go)
{
	struct recipient_set set = { 0 };

	start();
	assert_ok(add(0, 40, 1));
	for (unsigned i = 0; i < 40; i += 3)
		recipient_set_add_key(&set, &header, &public[i], false);
	header_remove_recipients(&header, &set);
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(opened_by(i), i % 3 != 0);
	/* Their places are used again. */
	assert_ok(add(0, 40, 3));
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(opened_by(i), 1);
	memset(&set, true, sizeof set);
	header_remove_recipients(&header, &set);
	assert_int_equal(n_unused(), N_KEY_SLOTS);
}

/* A slot of X25519 and ML-KEM-768 needs two; without the second it does not open, and nothing else is lost. */
TEST(two_slots_for_one)
{
	uint8_t bytes[2 * KEY_SLOT_BYTES] = { 0 }, again[2 * KEY_SLOT_BYTES] = { 0 }, found[FILE_KEY_BYTES];
	const struct gpucrypt_secret pair = { .type = GPUCRYPT_X25519_ML_KEM, .bytes = private_der[0], .length = 48 };
	struct key_slot slot = { .type = SLOT_X25519_ML_KEM, .body_bytes = MAX_SLOT_BODY };
	struct recipient_set set = { 0 };

	memset(slot.body, 7, sizeof slot.body);
	key_slot_encode(bytes, &slot);
	assert_int_equal(bytes[48 + 911], 7);
	assert_int_equal(bytes[KEY_SLOT_BYTES], 18);
	assert_int_equal(bytes[KEY_SLOT_BYTES + 48 + 215], 7);
	assert_int_equal(bytes[KEY_SLOT_BYTES + 48 + 216], 0);
	assert_ok(key_slot_decode(&slot, bytes, bytes + KEY_SLOT_BYTES));
	assert_false(slot.incomplete);
	key_slot_encode(again, &slot);
	assert_memory_equal(again, bytes, sizeof bytes);

	start();
	slots[2] = slot;
	slots[3].type = SLOT_CONTINUED;
	slots[5].type = SLOT_CONTINUED;
	header_remove_recipients(&header, &set);
	assert_int_equal(slots[3].type, SLOT_CONTINUED);
	assert_int_equal(slots[5].type, SLOT_UNUSED);
	set.has[0] = true;
	header_remove_recipients(&header, &set);
	assert_int_equal(n_unused(), N_KEY_SLOTS);

	bytes[KEY_SLOT_BYTES + 1] = 1;
	assert_ok(key_slot_decode(&slot, bytes, bytes + KEY_SLOT_BYTES));
	assert_true(slot.incomplete);
	assert_ok(key_slot_decode(&slot, bytes, NULL));
	assert_true(slot.incomplete);
	assert_status(key_slot_open(found, &slot, &pair, file_salt, NULL), GPUCRYPT_NO_KEY);
	memset(again, 0, sizeof again);
	key_slot_encode(again, &slot);
	assert_memory_equal(again, bytes, KEY_SLOT_BYTES);
	assert_int_equal(again[KEY_SLOT_BYTES], 0);
}
