#include "gpucrypt/keys/key_batch.h"

#include <string.h>

#include <openssl/crypto.h>

#include "gpucrypt/keys/header.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/rsa_cpu.h"
#include "gpucrypt/status.h"
#include "gpucrypt/pipeline/stream.h"

#define LAUNCH_NUMBERS ((size_t)1 << 16)
#define SAMPLE         64 /* one of so many is computed again */

int key_batch_open(struct key_batch *batch, size_t most)
{
	*batch = (struct key_batch){ .keys = locked_allocate(most * sizeof *batch->keys), .most = most };
	return batch->keys != NULL ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");
}

void key_batch_close(struct key_batch *batch)
{
	locked_free(batch->keys, batch->most * sizeof *batch->keys);
	*batch = (struct key_batch){ 0 };
}

int key_batch_add(struct key_batch *batch, struct source *file, const struct gpucrypt_secret *secret)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];
	struct file_keys keys = { 0 };
	struct authenticated_header header = { .slot = 0 };
	int status = source_read_at(file, copies, sizeof copies, 0);

	if (status == GPUCRYPT_OK)
		status = header_unlock(&header, &keys, copies, secret);
	if (status == GPUCRYPT_OK && batch->n < batch->most) {
		struct opened_key *opened = &batch->keys[batch->n++];

		opened->slot = header.header.slots[header.slot];
		memcpy(opened->file_salt, header.header.file_salt, SALT_BYTES);
		memcpy(opened->file_key, keys.file, FILE_KEY_BYTES);
	}
	wipe(&keys, sizeof keys);
	return status;
}

static bool matches(const struct opened_key *opened, const uint8_t file_salt[SALT_BYTES], const struct key_slot *slot,
        const uint8_t *file_key)
{
	return memcmp(opened->file_salt, file_salt, SALT_BYTES) == 0 &&
	       (slot == NULL || key_slot_equal(&opened->slot, slot)) &&
	       (file_key == NULL || CRYPTO_memcmp(opened->file_key, file_key, FILE_KEY_BYTES) == 0);
}

size_t key_batch_find(struct key_batch *batch, const uint8_t file_salt[SALT_BYTES], const struct key_slot *slot,
        const uint8_t *file_key)
{
	for (size_t i = 0; i < batch->n; i++) {
		size_t at = (batch->next + i) % batch->n;

		if (matches(&batch->keys[at], file_salt, slot, file_key)) {
			batch->next = at;
			return at;
		}
	}
	return batch->n;
}

/* One recipient. */

static size_t body_bytes(const struct wrapped_batch *wrapped)
{
	return wrapped->key.bits / 8;
}

static size_t all_bytes(const struct wrapped_batch *wrapped)
{
	return wrapped->batch == NULL ? 0 : wrapped->batch->n * body_bytes(wrapped);
}

int wrapped_batch_open(struct wrapped_batch *wrapped, struct key_batch *batch, const struct gpucrypt_secret *recipient)
{
	int status;

	*wrapped = (struct wrapped_batch){ .batch = batch };
	status = rsa_numbers(&wrapped->key, recipient);
	if (status != GPUCRYPT_OK)
		return status;
	wrapped->bodies = locked_allocate(all_bytes(wrapped));
	if (wrapped->bodies == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	for (size_t i = 0; i < batch->n && status == GPUCRYPT_OK; i++)
		status = rsa_pad(wrapped->bodies + i * body_bytes(wrapped), body_bytes(wrapped),
		        batch->keys[i].file_key, batch->keys[i].file_salt);
	return status;
}

void wrapped_batch_close(struct wrapped_batch *wrapped)
{
	locked_free(wrapped->bodies, all_bytes(wrapped));
	*wrapped = (struct wrapped_batch){ 0 };
}

int wrapped_batch_cpu(struct wrapped_batch *wrapped, unsigned threads)
{
	return rsa_cpu(&wrapped->key, wrapped->bodies, wrapped->batch->n, threads);
}

static int compute(const struct wrapped_batch *wrapped, const struct device *device, uint8_t *results)
{
	const struct rsa_shape shape = rsa_shape_of(device);
	size_t n = wrapped->batch->n, most = n < LAUNCH_NUMBERS ? n : LAUNCH_NUMBERS;
	struct rsa_device *rsa = NULL;
	double seconds;
	int status = rsa_device_open(&rsa, device, &wrapped->key, &shape, most);

	for (size_t done = 0; done < n && status == GPUCRYPT_OK; done += most) {
		size_t now = n - done < most ? n - done : most, at = done * body_bytes(wrapped);

		status = rsa_device_load(rsa, wrapped->bodies + at, now);
		if (status == GPUCRYPT_OK)
			status = rsa_device_run(rsa, &seconds);
		if (status == GPUCRYPT_OK)
			status = rsa_device_fetch(rsa, results + at);
	}
	rsa_device_close(rsa);
	return status;
}

/* One of every SAMPLE neighbours, nobody knows which. */
static int recheck(const struct wrapped_batch *wrapped, const struct device *device, const uint8_t *results)
{
	uint8_t number[MAX_RSA_BYTES];
	size_t n = wrapped->batch->n;
	int status = GPUCRYPT_OK;

	for (size_t first = 0; first < n && status == GPUCRYPT_OK; first += SAMPLE) {
		size_t among = n - first < SAMPLE ? n - first : SAMPLE, at;
		uint32_t random;

		status = random_bytes((uint8_t *)&random, sizeof random);
		if (status != GPUCRYPT_OK)
			break;
		at = (first + random % among) * body_bytes(wrapped);
		memcpy(number, wrapped->bodies + at, body_bytes(wrapped));
		status = rsa_cpu(&wrapped->key, number, 1, 1);
		if (status == GPUCRYPT_OK && memcmp(number, results + at, body_bytes(wrapped)) != 0)
			status = fail(GPUCRYPT_DEVICE, "%s: RSA: computed something wrong", device->name);
	}
	wipe(number, sizeof number);
	return status;
}

int wrapped_batch_device(struct wrapped_batch *wrapped, const struct device *device)
{
	uint8_t *results = locked_allocate(all_bytes(wrapped));
	int status = results == NULL ? fail(GPUCRYPT_OTHER, "out of memory") : compute(wrapped, device, results);

	if (status == GPUCRYPT_OK)
		status = recheck(wrapped, device, results);
	if (status == GPUCRYPT_OK)
		memcpy(wrapped->bodies, results, all_bytes(wrapped));
	locked_free(results, all_bytes(wrapped));
	return status;
}

const uint8_t *wrapped_batch_find(const struct wrapped_batch *wrapped, const uint8_t file_key[FILE_KEY_BYTES],
        const uint8_t file_salt[SALT_BYTES])
{
	size_t i = key_batch_find(wrapped->batch, file_salt, NULL, file_key);

	return i == wrapped->batch->n ? NULL : wrapped->bodies + i * body_bytes(wrapped);
}
