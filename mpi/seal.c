/* The keys of a file, sealed for each rank.  MPI copies messages through shared memory and networks, where other
 * programs may read them.  X25519 (RFC 7748) with a new pair of each rank for each file; AES-256-GCM (SP 800-38D) whose
 * key encrypts one message, so the nonce is zero.  This is against listeners: a rank does not prove who it is. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"
#include "mpi/internal.h"

#define LABEL     "gcrypt-mpi x25519"
#define TAG_BYTES 16

struct sealed {
	uint8_t ephemeral[32]; /* public key of rank 0 */
	uint8_t tag[TAG_BYTES];
	uint8_t keys[sizeof(struct file_keys)];
};

static bool make_pair(EVP_PKEY **own, uint8_t public[32])
{
	size_t n = 32;

	*own = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
	return *own != NULL && EVP_PKEY_get_raw_public_key(*own, public, &n) == 1;
}

/* EVP_PKEY_derive() rejects a peer of small order. */
static bool agree(uint8_t key[32], EVP_PKEY *own, const uint8_t peer_public[32], const uint8_t ephemeral[32],
        const uint8_t recipient[32])
{
	static const uint8_t no_salt[SALT_BYTES];
	EVP_PKEY *peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, peer_public, 32);
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(own, NULL);
	uint8_t shared[32];
	size_t n = sizeof shared;
	bool good = peer != NULL && context != NULL && EVP_PKEY_derive_init(context) == 1 &&
	            EVP_PKEY_derive_set_peer(context, peer) == 1 && EVP_PKEY_derive(context, shared, &n) == 1 &&
	            kek_from_agreement(key, shared, ephemeral, recipient, LABEL, no_salt) == GPUCRYPT_OK;

	wipe(shared, sizeof shared);
	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(peer);
	return good;
}

static bool seal(struct sealed *sealed, const uint8_t key[32], const struct file_keys *keys)
{
	static const uint8_t nonce[12];
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int n;
	bool good = context != NULL && EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
	            EVP_EncryptUpdate(context, sealed->keys, &n, (const uint8_t *)keys, sizeof *keys) == 1 &&
	            EVP_EncryptFinal_ex(context, sealed->keys + n, &n) == 1 &&
	            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, sealed->tag) == 1;

	EVP_CIPHER_CTX_free(context);
	return good;
}

static bool unseal(struct file_keys *keys, const uint8_t key[32], struct sealed *sealed)
{
	static const uint8_t nonce[12];
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int n;
	bool good = context != NULL && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
	            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, sealed->tag) == 1 &&
	            EVP_DecryptUpdate(context, (uint8_t *)keys, &n, sealed->keys, sizeof sealed->keys) == 1 &&
	            EVP_DecryptFinal_ex(context, (uint8_t *)keys + n, &n) == 1;

	EVP_CIPHER_CTX_free(context);
	return good;
}

/* A rank that went on alone would make all others wait. */
static void require(bool good)
{
	if (!good) {
		MPI_Abort(MPI_COMM_WORLD, GPUCRYPT_OTHER);
		abort();
	}
}

/* The public keys of all ranks to rank 0, which has room for them. */
static void gather(const uint8_t public[32], uint8_t *publics)
{
	MPI_Request request;

	MPI_Igather(public, 32, MPI_BYTE, publics, 32, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	await_quietly(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE); /* at once */
}

/* To each rank its own of rank 0's messages. */
static void scatter(const struct sealed *all, struct sealed *own)
{
	MPI_Request request;

	MPI_Iscatter(all, (int)sizeof *all, MPI_BYTE, own, (int)sizeof *own, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	await_quietly(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE); /* at once */
}

void keys_send(const struct file_keys *keys)
{
	EVP_PKEY *own = NULL;
	uint8_t public[32], key[32], *publics;
	struct sealed *all, unused;
	int n_ranks;

	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	publics = calloc((size_t)n_ranks, 32);
	all = calloc((size_t)n_ranks, sizeof *all);
	require(publics != NULL && all != NULL && make_pair(&own, public));
	gather(public, publics);
	for (int i = 1; i < n_ranks; i++) {
		memcpy(all[i].ephemeral, public, 32);
		require(agree(key, own, publics + 32 * i, public, publics + 32 * i) && seal(&all[i], key, keys));
	}
	scatter(all, &unused);
	wipe(key, sizeof key);
	EVP_PKEY_free(own);
	free(publics);
	free(all);
}

void keys_receive(struct file_keys *keys)
{
	EVP_PKEY *own = NULL;
	uint8_t public[32], key[32];
	struct sealed sealed;

	require(make_pair(&own, public));
	gather(public, NULL);
	scatter(NULL, &sealed);
	require(agree(key, own, sealed.ephemeral, sealed.ephemeral, public) && unseal(keys, key, &sealed));
	wipe(key, sizeof key);
	EVP_PKEY_free(own);
}
