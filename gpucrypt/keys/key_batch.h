/*
 * The file keys of many containers, found out before the containers are changed one after the
 * other, and wrapped for the owner of an RSA key all at once, on the CPU or on an OpenCL device.
 * Both results are kept where slots are opened and made (struct gpucrypt_derived), which then need
 * not do it again.
 */
#ifndef KEY_BATCH_H
#define KEY_BATCH_H

#include <stdbool.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/engine/opencl/rsa_device.h"
#include "gpucrypt/keys/slot.h"

struct source;

struct opened_key {
	struct key_slot slot; /* that opened */
	uint8_t file_salt[SALT_BYTES], file_key[FILE_KEY_BYTES];
};

struct key_batch {
	struct opened_key *keys; /* owned; locked */
	size_t n, most;
	size_t next; /* where the next search begins: containers come in the same order again */
};

int key_batch_open(struct key_batch *batch, size_t most);
void key_batch_close(struct key_batch *batch); /* wiped; zeroed is fine */

/* Open the container with a secret and keep its file key, if there is room.  Status as of
 * header_unlock(). */
int key_batch_add(struct key_batch *batch, struct source *file, const struct gpucrypt_secret *secret);

/* The number of a container with this salt, which anybody can copy into another container, and this
 * slot and file key, where they are not NULL; batch->n: there is none.  Salt and slot, with the
 * secret, determine the file key. */
size_t key_batch_find(struct key_batch *batch, const uint8_t file_salt[SALT_BYTES], const struct key_slot *slot,
        const uint8_t *file_key);

/* All keys of a batch for one recipient, one body after the other, each of key.bits / 8 bytes. */
struct wrapped_batch {
	struct key_batch *batch; /* not owned */
	struct rsa_key key;
	uint8_t *bodies; /* owned; locked: padded, and then encrypted */
};

/* Pad them (gcrypt(5), "Key slots").  GPUCRYPT_USAGE: not an RSA key that wrapped_batch_cpu() and
 * wrapped_batch_device() can take. */
int wrapped_batch_open(struct wrapped_batch *wrapped, struct key_batch *batch, const struct gpucrypt_secret *recipient);
void wrapped_batch_close(struct wrapped_batch *wrapped); /* wiped; zeroed is fine */

/* Encrypt them. */
int wrapped_batch_cpu(struct wrapped_batch *wrapped, unsigned threads);

/* The same on a device.  One in 64, at least one, is computed by the CPU too; GPUCRYPT_DEVICE if
 * one differs.  Where it fails, the batch is as it was. */
int wrapped_batch_device(struct wrapped_batch *wrapped, const struct device *device);

/* The body for a container's salt and file key; NULL: it is not in the batch. */
const uint8_t *wrapped_batch_find(const struct wrapped_batch *wrapped, const uint8_t file_key[FILE_KEY_BYTES],
        const uint8_t file_salt[SALT_BYTES]);

#endif
