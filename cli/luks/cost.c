#include "cli/luks/volume.h"

#include <openssl/evp.h>
#include <string.h>

#define MAX_THREADS \
	4 /* lanes of Argon2, as many as cryptsetup makes: each pass starts them, which the budget leaves out */
#define SHA1_BYTES 20

/* Under a null cipher every passphrase opens the slot and yields a key of the forger's choice. */
static bool area_is_encrypted(const struct luks_slot *slot)
{
	static const char *const known[] = { "aes-xts-", "aes-cbc-", "camellia-xts-", "camellia-cbc-", "serpent-xts-",
		"serpent-cbc-", "twofish-xts-", "twofish-cbc-" };
	bool found = false;

	for (size_t i = 0; i < sizeof known / sizeof *known && slot->area_cipher; i++)
		found |= strncmp(slot->area_cipher, known[i], strlen(known[i])) == 0;
	return found && slot->area_key_bytes >= LUKS_MIN_KEY_BYTES && slot->area_key_bytes <= LUKS_MAX_KEY_BYTES;
}

/* PBKDF2 makes a key in blocks of its hash; a hash that libcrypto does not know counts as SHA-1. */
static double slot_iterations(const struct luks_slot *slot, uint64_t max_bytes)
{
	const EVP_MD *hash = slot->hash ? EVP_get_digestbyname(slot->hash) : NULL;
	size_t block = hash && EVP_MD_get_size(hash) > 0 ? (size_t)EVP_MD_get_size(hash) : SHA1_BYTES;
	size_t n_blocks = (slot->area_key_bytes + block - 1) / block;

	if (slot->memory_kib > 0)
		return slot->iterations * (1024.0 * slot->memory_kib / (double)max_bytes) * LUKS_PASS;
	return (double)slot->iterations * (double)n_blocks;
}

bool luks_slot_is_tried(struct luks_cost *cost, const struct luks_volume *volume, const struct luks_slot *slot)
{
	double more = slot_iterations(slot, cost->max_bytes) + volume->digest_iterations;
	bool tried = area_is_encrypted(slot) && slot->key_bytes == volume->key_bytes && slot->threads <= MAX_THREADS &&
	             (uint64_t)slot->memory_kib << 10 <= cost->max_bytes && cost->iterations + more <= LUKS_BUDGET;

	cost->n_skipped += !tried;
	if (tried) {
		cost->iterations += more;
		cost->memory_kib = slot->memory_kib > cost->memory_kib ? slot->memory_kib : cost->memory_kib;
	}
	return tried;
}
