/* The keys of a file, sealed for each rank.  MPI copies messages through shared memory and networks, where other
 * programs may read them.  Each rank makes a new X25519 key for each file, and gets the file key in a key slot for it.
 * This protects the key against eavesdroppers only, because a rank does not authenticate itself. */
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/keys/slot.h"
#include "gpucrypt/status.h"
#include "mpi/internal.h"

#define PUBLIC_BYTES 44 /* SubjectPublicKeyInfo of X25519 (RFC 8410) */

/* A key pair in DER. */
struct pair {
	uint8_t private_der[GPUCRYPT_KEY_BYTES], public_der[GPUCRYPT_KEY_BYTES];
	struct gpucrypt_secret private, public;
};

static bool make_pair(struct pair *pair)
{
	char private[GPUCRYPT_PEM_BYTES], public[GPUCRYPT_PEM_BYTES];
	bool good =
	        gpucrypt_key_generate(private, public, GPUCRYPT_X25519) == GPUCRYPT_OK &&
	        gpucrypt_key_read(&pair->private, pair->private_der, private, strlen(private), NULL) == GPUCRYPT_OK &&
	        gpucrypt_key_read(&pair->public, pair->public_der, public, strlen(public), NULL) == GPUCRYPT_OK &&
	        pair->public.length == PUBLIC_BYTES;

	wipe(private, sizeof private);
	return good;
}

/* A slot for each public key. */
static void seal(
        struct key_slot *slots, const uint8_t *publics, const struct file_keys *keys, const uint8_t salt[SALT_BYTES])
{
	for (int i = 0; i < n_ranks; i++) {
		const struct gpucrypt_secret recipient = {
			.type = GPUCRYPT_X25519, .bytes = publics + i * PUBLIC_BYTES, .length = PUBLIC_BYTES
		};

		require(key_slot_make(&slots[i], &recipient, keys->file, salt, 0) == GPUCRYPT_OK);
	}
}

static bool unseal(
        struct file_keys *keys, const struct key_slot *slot, const struct pair *pair, const uint8_t p[HEADER_P_BYTES])
{
	uint8_t file_key[FILE_KEY_BYTES];
	bool good = slot->type == SLOT_X25519 &&
	            key_slot_open(file_key, slot, &pair->private, p + HEADER_P_SALT) == GPUCRYPT_OK &&
	            file_keys_derive(keys, file_key, p) == GPUCRYPT_OK;

	wipe(file_key, sizeof file_key);
	return good;
}

void keys_share(struct file_keys *keys, const uint8_t p[HEADER_P_BYTES])
{
	struct pair pair;
	struct key_slot *slots = calloc((size_t)n_ranks, sizeof *slots), own;
	uint8_t *publics = calloc((size_t)n_ranks, PUBLIC_BYTES);
	MPI_Request request;

	require(slots != NULL && publics != NULL && make_pair(&pair));
	MPI_Igather(
	        pair.public_der, PUBLIC_BYTES, MPI_BYTE, publics, PUBLIC_BYTES, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	await_quietly(&request, NULL);
	if (own_rank == 0)
		seal(slots, publics, keys, p + HEADER_P_SALT);
	MPI_Iscatter(slots, (int)sizeof *slots, MPI_BYTE, &own, (int)sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	await_quietly(&request, NULL);
	require(own_rank == 0 || unseal(keys, &own, &pair, p));
	wipe(&pair, sizeof pair);
	free(slots);
	free(publics);
}
