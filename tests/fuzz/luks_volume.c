/* LUKS volumes, opened and unlocked: a LUKS2 header with two key slots, with values of its text replaced and bytes
 * changed, under right checksums; a LUKS1 header with a key slot, with bytes changed; and any bytes of a LUKS1 header.
 */
#include "tests/fuzz/input.h"

#include <jansson.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include "cli/luks/volume.h"
#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/crypto/names.h"

#define COPY_BYTES   16384u
#define BINARY_BYTES 4096u
#define CHECKSUM_AT  448
#define TEXT_BYTES   (COPY_BYTES - BINARY_BYTES)
#define LUKS1_BYTES  592
#define AREA_AT      4096u /* of LUKS1 */
#define STRIPES      4000u
#define KEY_BYTES    32u
#define AREA_BYTES   (STRIPES * KEY_BYTES)
#define CHEAP        5000u /* iterations */
#define DIGEST_COST  164   /* offset in LUKS1 */
#define MAX_EDITS    4
#define PASSPHRASE   "correct horse"

static const struct gpucrypt_secret secret = { .type = GPUCRYPT_PASSPHRASE,
	.bytes = (const uint8_t *)PASSPHRASE,
	.length = sizeof PASSPHRASE - 1,
	.max_kdf_bytes = 1 << 20 };

/* The volume that is changed, and its header as it was made. */
static struct luks_volume made;
static uint8_t header[2][COPY_BYTES];
static unsigned opened; /* volumes so far */

/* LUKS1, as the LUKS1 On-Disk Format Specification makes it: header and area of slot 0, of the same key. */
static uint8_t luks1[AREA_AT + AREA_BYTES];

static void pbkdf2(uint8_t *key, int n, const void *secret_bytes, int n_secret, const uint8_t salt[32])
{
	MUST(PKCS5_PBKDF2_HMAC(secret_bytes, n_secret, salt, 32, 1000, EVP_sha256(), n, key) == 1);
}

/* All stripes but the last are zeros, so their diffusion is a chain of hashes of SHA-256's size. */
static void split_key(uint8_t area[AREA_BYTES], const uint8_t key[KEY_BYTES])
{
	uint8_t block[4 + KEY_BYTES] = { 0 };

	memset(area, 0, AREA_BYTES);
	for (unsigned i = 0; i + 1 < STRIPES; i++)
		SHA256(block, sizeof block, block + 4);
	for (unsigned i = 0; i < KEY_BYTES; i++)
		area[AREA_BYTES - KEY_BYTES + i] = block[4 + i] ^ key[i];
}

static void encrypt_area(uint8_t area[AREA_BYTES], const uint8_t key[KEY_BYTES])
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t tweak[16] = { 0 };
	int n;

	for (unsigned sector = 0; sector < AREA_BYTES / 512; sector++) {
		store_le64(tweak, sector);
		MUST(EVP_EncryptInit_ex(context, EVP_aes_128_xts(), NULL, key, tweak) == 1 &&
		        EVP_EncryptUpdate(context, area + sector * 512, &n, area + sector * 512, 512) == 1);
	}
	EVP_CIPHER_CTX_free(context);
}

static void make_luks1(const uint8_t key[KEY_BYTES])
{
	uint8_t *slot = luks1 + 208, derived[KEY_BYTES];

	memcpy(luks1, "LUKS\xba\xbe\0\1aes", 11);
	memcpy(luks1 + 40, "xts-plain64", 11);
	memcpy(luks1 + 72, "sha256", 6);
	store_be32(luks1 + 104, 4096);
	store_be32(luks1 + 108, KEY_BYTES);
	pbkdf2(luks1 + 112, 20, key, KEY_BYTES, luks1 + 132);
	store_be32(luks1 + DIGEST_COST, 1000);
	memcpy(luks1 + 168, "00000000-0000-4000-8000-000000000000", 36);
	for (unsigned i = 0; i < 8; i++) {
		store_be32(slot + i * 48, i == 0 ? 0x00ac71f3 : 0x0000dead);
		store_be32(slot + i * 48 + 4, i == 0 ? 1000 : 0);
		store_be32(slot + i * 48 + 40, (AREA_AT + i * AREA_BYTES) / 512 + i);
		store_be32(slot + i * 48 + 44, STRIPES);
	}
	pbkdf2(derived, KEY_BYTES, PASSPHRASE, sizeof PASSPHRASE - 1, slot + 8);
	split_key(luks1 + AREA_AT, key);
	encrypt_area(luks1 + AREA_AT, derived);
}

/* A second slot beside the first one, for the same passphrase: its area is a copy. */
static void add_slot(char *text)
{
	static uint8_t area[AREA_BYTES];
	json_t *root = json_loads(text, 0, NULL), *slots = json_object_get(root, "keyslots"),
	       *slot = json_deep_copy(json_object_get(slots, "0")),
	       *digest = json_object_get(json_object_get(root, "digests"), "0");
	unsigned at = (unsigned)atoi(json_string_value(json_object_get(json_object_get(slot, "area"), "offset")));
	char *changed, offset[16];

	snprintf(offset, sizeof offset, "%u", at + (1 << 20));
	json_object_set_new(json_object_get(slot, "area"), "offset", json_string(offset));
	json_object_set_new(slots, "1", slot);
	json_array_append_new(json_object_get(digest, "keyslots"), json_string("1"));
	MUST(pread(made.header_fd, area, sizeof area, at) == (ssize_t)sizeof area);
	MUST(pwrite(made.header_fd, area, sizeof area, at + (1 << 20)) == (ssize_t)sizeof area);
	changed = json_dumps(root, JSON_COMPACT);
	MUST(changed != NULL && strlen(changed) < TEXT_BYTES);
	strncpy(text, changed, TEXT_BYTES);
	free(changed);
	json_decref(root);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct luks_terms terms = {
		.suite = { .cipher = cipher_by_name("aes"), .mode = &modes[MODE_XTS], .key_bytes = 16 },
		.sector_bytes = 512,
		.image_bytes = 4096,
		.kdf = "pbkdf2",
		.kdf_cost = 10
	};

	(void)argc, (void)argv;
	MUST(luks_format(&made, "volume", &terms, &secret) == GPUCRYPT_OK);
	MUST(pread(made.header_fd, header, sizeof header, 0) == (ssize_t)sizeof header);
	add_slot((char *)header[0] + BINARY_BYTES);
	make_luks1(made.key);
	return 0;
}

/* The n-th value of a text, or NULL: its holder, and its key or place in it. */
struct place {
	json_t *holder;
	char key[64];
	size_t index;
	unsigned left;
};

static bool find_place(struct place *place, json_t *holder)
{
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_object(holder))
		json_object_foreach(holder, key, value)
		{
			snprintf(place->key, sizeof place->key, "%s", key);
			place->holder = holder;
			if (place->left-- == 0 || find_place(place, value))
				return true;
		}
	json_array_foreach(holder, i, value)
	{
		place->index = i;
		place->holder = holder;
		if (place->left-- == 0 || find_place(place, value))
			return true;
	}
	return false;
}

static json_t *take_value(struct fuzz_input *input)
{
	static const char *const texts[] = { "", "0", "-1", "18446744073709551615", "aes-cbc-essiv:sha256",
		"cipher_null-ecb", "camellia-xts-plain64", "aes-xts-plain64", "aes-xts-plain", "serpent-xts-plain64",
		"dynamic", "linear", "crypt", "512", "16777216", "32768", "argon2id", "raw", "sha1" };
	static const json_int_t numbers[] = { 0, -1, 1, 16, 24, 32, 48, 64, 511, 512, 1024, 4096, 8192, 1 << 20,
		INT64_C(1) << 31, INT64_C(1) << 32, INT64_MAX };
	unsigned kind = take_byte(input), n = take_byte(input);
	char text[65] = { 0 };

	switch (kind % 6) {
	case 0:
		return json_string(texts[n % (sizeof texts / sizeof *texts)]);
	case 1:
		return json_integer(numbers[n % (sizeof numbers / sizeof *numbers)]);
	case 2:
		take(input, text, n % 64);
		return json_string(text);
	case 3:
		return json_object();
	case 4:
		return json_array();
	default:
		return json_null();
	}
}

/* Replace a value, or remove a member. */
static void edit(struct fuzz_input *input, json_t *root)
{
	struct place place = { .left = take_byte(input) };
	bool removed = (take_byte(input) & 1) != 0;
	json_t *value;

	if (!find_place(&place, root))
		return;
	value = take_value(input);
	if (json_is_object(place.holder) && removed)
		json_object_del(place.holder, place.key);
	else if (json_is_object(place.holder))
		json_object_set(place.holder, place.key, value);
	else
		json_array_set(place.holder, place.index, value);
	json_decref(value);
}

static void edit_text(struct fuzz_input *input, char *text)
{
	json_t *root = json_loads(text, 0, NULL);
	unsigned n = take_byte(input) % (MAX_EDITS + 1);
	char *changed;

	for (unsigned i = 0; i < n; i++)
		edit(input, root);
	changed = json_dumps(root, JSON_COMPACT);
	if (n > 0 && changed != NULL && strlen(changed) < TEXT_BYTES)
		strncpy(text, changed, TEXT_BYTES);
	free(changed);
	json_decref(root);
}

static void poke(struct fuzz_input *input, uint8_t copy[COPY_BYTES])
{
	unsigned n = take_byte(input) % (MAX_EDITS + 1);

	for (unsigned i = 0; i < n; i++) {
		unsigned at = take_pair(input) % COPY_BYTES;

		copy[at] ^= (uint8_t)take_byte(input);
	}
}

static void seal(uint8_t copy[COPY_BYTES])
{
	memset(copy + CHECKSUM_AT, 0, 64);
	SHA256(copy, COPY_BYTES, copy + CHECKSUM_AT);
}

/* Do the slots cost little? */
static bool is_cheap(const struct luks_volume *volume)
{
	struct luks_slot slot;
	bool cheap = true;

	for (int i = 0; luks_slot(volume, i, &slot); i++)
		cheap &= !slot.used || slot.iterations <= CHEAP;
	return cheap;
}

static void unlock(struct luks_volume *volume)
{
	const struct suite *suite = &volume->suite;
	struct luks_cost cost;
	struct luks_slot slot;

	MUST(suite->mode == &modes[MODE_XTS] && suite->cipher != NULL);
	MUST(suite->key_bytes == 16 || suite->key_bytes == 24 || suite->key_bytes == 32);
	MUST(volume->sector_bytes >= 512 && volume->sector_bytes <= 4096 &&
	        (volume->sector_bytes & (volume->sector_bytes - 1)) == 0);
	MUST(volume->payload % 512 == 0);
	cost = luks_unlock_cost(volume, secret.max_kdf_bytes);
	MUST(cost.iterations <= LUKS_BUDGET && cost.memory_kib <= 1024);
	if (is_cheap(volume) && succeeded(luks_unlock(volume, &secret))) {
		MUST(memcmp(volume->key, made.key, 2 * (size_t)suite->key_bytes) == 0);
		MUST((cost.slots >> volume->slot & 1) == 1 && luks_slot(volume, volume->slot, &slot));
		MUST(strncmp(slot.area_cipher, "aes-", 4) == 0 && slot.area_key_bytes <= LUKS_MAX_KEY_BYTES);
		opened++;
	}
}

/* cheap: the digest of the volume key costs little. */
static void open_volume(int fd, bool cheap)
{
	struct luks_volume volume;

	if (succeeded(luks_open(&volume, fd, "volume"))) {
		MUST(volume.version == 1 || volume.version == 2);
		MUST(volume.cipher != NULL && volume.mode != NULL && volume.uuid != NULL && volume.label != NULL);
		succeeded(luks_verify_header(&volume));
		if (succeeded(luks_check_payload(&volume)) && cheap)
			unlock(&volume);
	}
	luks_close(&volume);
}

static void open_luks2(struct fuzz_input *input)
{
	static uint8_t copies[2][COPY_BYTES], after[2][COPY_BYTES];

	memcpy(copies, header, sizeof copies);
	edit_text(input, (char *)copies[0] + BINARY_BYTES);
	memcpy(copies[1] + BINARY_BYTES, copies[0] + BINARY_BYTES, TEXT_BYTES);
	poke(input, copies[0]);
	poke(input, copies[1]);
	for (unsigned i = 0; i < 2; i++)
		if ((take_byte(input) & 1) == 0)
			seal(copies[i]);
	MUST(pwrite(made.header_fd, copies, sizeof copies, 0) == (ssize_t)sizeof copies);
	open_volume(made.header_fd, true);
	MUST(pread(made.header_fd, after, sizeof after, 0) == (ssize_t)sizeof after);
	MUST(memcmp(copies, after, sizeof after) == 0);
}

/* known: the header that opens, with up to 4 bytes changed. */
static void open_luks1(struct fuzz_input *input, bool known)
{
	static uint8_t bytes[sizeof luks1];
	unsigned n = known ? take_byte(input) % (MAX_EDITS + 1) : 0, before = opened;
	char name[32];
	int fd;

	memcpy(bytes, luks1, sizeof bytes);
	if (!known)
		take(input, bytes, LUKS1_BYTES);
	for (unsigned i = 0; i < n; i++) {
		unsigned at = take_pair(input) % LUKS1_BYTES;

		bytes[at] ^= (uint8_t)take_byte(input);
	}
	fd = memory_file(bytes, sizeof bytes, name);
	MUST(ftruncate(fd, 4 << 20) == 0);
	open_volume(fd, load_be32(bytes + DIGEST_COST) <= CHEAP);
	close(fd);
	MUST(!known || n > 0 || opened == before + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes, n_bytes };

	unsigned kind = take_byte(&input);

	if ((kind & 1) == 0)
		open_luks2(&input);
	else
		open_luks1(&input, (kind & 2) != 0);
	return 0;
}
