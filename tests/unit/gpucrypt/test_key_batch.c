/* File keys wrapped for an RSA key all at once: what slots are made of, and a device that is wrong.
 */
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "gpucrypt/keys/key_batch.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/slot.h"
#include "gpucrypt/status.h"

#define N 100

static struct opened_key keys[N];
static uint8_t public_der[MAX_KEY_DER_BYTES], private_der[MAX_KEY_DER_BYTES];
static struct gpucrypt_secret recipient, identity;
static const struct inventory *devices;

/* Result number `wrong` of the device gets a wrong bit; -1: none. */
static int wrong = -1;

int __real_rsa_device_fetch(struct rsa_device *rsa, uint8_t *numbers);
int __wrap_rsa_device_fetch(struct rsa_device *rsa, uint8_t *numbers);
int __wrap_rsa_device_fetch(struct rsa_device *rsa, uint8_t *numbers)
{
	int status = __real_rsa_device_fetch(rsa, numbers);

	if (wrong >= 0)
		for (int i = 0; i < N; i++) /* whichever is sampled */
			numbers[256 * i + wrong] ^= 1;
	return status;
}

static struct gpucrypt_secret secret_of(uint8_t *der, int length)
{
	return (struct gpucrypt_secret){ .type = GPUCRYPT_RSA, .bytes = der, .length = (size_t)length };
}

static int set_up(void **state)
{
	static struct inventory inventory;
	EVP_PKEY *pair = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048);
	unsigned char *at = public_der;

	(void)state;
	if (pair == NULL)
		return 1;
	recipient = secret_of(public_der, i2d_PUBKEY(pair, &at));
	at = private_der;
	identity = secret_of(private_der, i2d_PrivateKey(pair, &at));
	EVP_PKEY_free(pair);
	inventory_take(&inventory);
	devices = &inventory;
	if (random_bytes((uint8_t *)keys, sizeof keys) != GPUCRYPT_OK)
		return 1;
	for (unsigned i = 0; i < N; i++) {
		keys[i].slot.type = SLOT_RSA_OAEP;
		keys[i].slot.body_bytes = 256;
	}
	return 0;
}

static struct key_batch batch_of(size_t n)
{
	struct key_batch batch;

	assert_int_equal(key_batch_open(&batch, n), GPUCRYPT_OK);
	memcpy(batch.keys, keys, n * sizeof *keys);
	batch.n = n;
	return batch;
}

/* The slot that is made is the batch's, and the private key opens it. */
static void assert_opens(const struct wrapped_batch *wrapped, size_t i)
{
	const uint8_t *body = wrapped_batch_find(wrapped, keys[i].file_key, keys[i].file_salt);
	struct gpucrypt_derived derived = { .wrapped = wrapped };
	uint8_t found[FILE_KEY_BYTES];
	struct key_slot slot;

	assert_non_null(body);
	recipient.derived = &derived;
	assert_int_equal(key_slot_make(&slot, &recipient, keys[i].file_key, keys[i].file_salt, 0), GPUCRYPT_OK);
	recipient.derived = NULL;
	assert_int_equal(slot.body_bytes, 256);
	assert_memory_equal(slot.body, body, 256);
	assert_int_equal(key_slot_open(found, &slot, &identity, keys[i].file_salt), GPUCRYPT_OK);
	assert_memory_equal(found, keys[i].file_key, sizeof found);
}

static void by_the_cpu(void **state)
{
	struct key_batch batch = batch_of(N);
	struct wrapped_batch wrapped;

	(void)state;
	assert_int_equal(wrapped_batch_open(&wrapped, &batch, &recipient), GPUCRYPT_OK);
	assert_int_equal(wrapped_batch_cpu(&wrapped, 3), GPUCRYPT_OK);
	for (size_t i = 0; i < N; i += 33)
		assert_opens(&wrapped, i);
	wrapped_batch_close(&wrapped);
	key_batch_close(&batch);
}

static void by_a_device(void **state)
{
	const struct device *device = inventory_choose(devices, 0);
	struct key_batch batch = batch_of(N);
	struct wrapped_batch wrapped;

	(void)state;
	if (device == NULL)
		skip();
	wrong = -1;
	assert_int_equal(wrapped_batch_open(&wrapped, &batch, &recipient), GPUCRYPT_OK);
	assert_int_equal(wrapped_batch_device(&wrapped, device), GPUCRYPT_OK);
	for (size_t i = 0; i < N; i += 33)
		assert_opens(&wrapped, N - 1 - i);
	wrapped_batch_close(&wrapped);
	key_batch_close(&batch);
}

/* Told, and the CPU can begin with what the device was given. */
static void a_wrong_device(void **state)
{
	const struct device *device = inventory_choose(devices, 0);
	struct key_batch batch = batch_of(N);
	struct wrapped_batch wrapped;

	(void)state;
	if (device == NULL)
		skip();
	wrong = 255;
	fail_clear();
	assert_int_equal(wrapped_batch_open(&wrapped, &batch, &recipient), GPUCRYPT_OK);
	assert_int_equal(wrapped_batch_device(&wrapped, device), GPUCRYPT_DEVICE);
	assert_non_null(strstr(gpucrypt_error(), "wrong"));
	wrong = -1;
	assert_int_equal(wrapped_batch_cpu(&wrapped, 1), GPUCRYPT_OK);
	assert_opens(&wrapped, N - 1);
	wrapped_batch_close(&wrapped);
	key_batch_close(&batch);
}

/* Another file key under the same salt is not taken for the one that was wrapped. */
static void another_key(void **state)
{
	struct key_batch batch = batch_of(2);
	struct wrapped_batch wrapped;

	(void)state;
	assert_int_equal(wrapped_batch_open(&wrapped, &batch, &recipient), GPUCRYPT_OK);
	assert_int_equal(wrapped_batch_cpu(&wrapped, 1), GPUCRYPT_OK);
	assert_null(wrapped_batch_find(&wrapped, keys[0].file_key, keys[1].file_salt));
	assert_null(wrapped_batch_find(&wrapped, keys[2].file_key, keys[2].file_salt));
	assert_int_equal(key_batch_find(&batch, keys[1].file_salt, &keys[1].slot, NULL), 1);
	assert_int_equal(key_batch_find(&batch, keys[2].file_salt, &keys[2].slot, NULL), 2);
	wrapped_batch_close(&wrapped);
	key_batch_close(&batch);
}

/* A container with another one's salt is not taken for it, whichever comes first. */
static void another_slot(void **state)
{
	struct key_batch batch = batch_of(3);
	struct wrapped_batch wrapped;

	(void)state;
	memcpy(batch.keys[0].file_salt, keys[2].file_salt, SALT_BYTES);
	assert_int_equal(key_batch_find(&batch, keys[2].file_salt, &keys[2].slot, NULL), 2);
	assert_int_equal(key_batch_find(&batch, keys[2].file_salt, &keys[0].slot, NULL), 0);
	assert_int_equal(key_batch_find(&batch, keys[2].file_salt, &keys[1].slot, NULL), 3);
	assert_int_equal(wrapped_batch_open(&wrapped, &batch, &recipient), GPUCRYPT_OK);
	assert_ptr_equal(wrapped_batch_find(&wrapped, keys[2].file_key, keys[2].file_salt), wrapped.bodies + 2 * 256);
	wrapped_batch_close(&wrapped);
	key_batch_close(&batch);
}

/* Made one by one. */
static void unusual_keys(void **state)
{
	struct gpucrypt_secret other = recipient;
	struct rsa_key key;

	(void)state;
	assert_int_equal(rsa_numbers(&key, &recipient), GPUCRYPT_OK);
	assert_int_equal(key.bits, 2048);
	assert_int_equal(key.exponent, 65537);
	other.type = GPUCRYPT_X25519;
	assert_int_equal(rsa_numbers(&key, &other), GPUCRYPT_USAGE);
	fail_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(by_the_cpu), cmocka_unit_test(by_a_device),
		cmocka_unit_test(a_wrong_device), cmocka_unit_test(another_key), cmocka_unit_test(another_slot),
		cmocka_unit_test(unusual_keys) };

	return cmocka_run_group_tests(tests, set_up, NULL);
}
