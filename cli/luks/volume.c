#include "cli/luks/volume.h"

#include <errno.h>
#include <libcryptsetup.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gen/libcryptsetup.h"
#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/crypto/names.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"
#include "ppf/shared_library.h"

#define LUKS_SECTOR_BYTES          512u
#define BENCHMARK_BYTES            ((size_t)1 << 20)
#define BENCHMARK_IV_BYTES         16
#define XTS_PLAIN64                "xts-plain64"
#define LUKS1_DIGEST_ITERATIONS_AT 164
#define ARGON2_PASSES              4 /* with --kdf-cost: the minimum of libcryptsetup */

static struct {
	LIBCRYPTSETUP_FUNCTIONS(SHARED_LIBRARY_MEMBER)
} libcryptsetup;

int luks_load(const char *needed_by)
{
	static struct shared_library library = { .file = LIBCRYPTSETUP,
		.package = "libcryptsetup12",
		.names = LIBCRYPTSETUP_FUNCTIONS(SHARED_LIBRARY_NAME),
		.functions = &libcryptsetup };

	return shared_library_load(&library, needed_by);
}

/* The first error says why; those after it are consequences. */
static void keep_error(int level, const char *text, void *self)
{
	struct luks_volume *volume = self;

	if (level != CRYPT_LOG_ERROR || volume->error[0])
		return;
	snprintf(volume->error, sizeof volume->error, "%s", text);
	volume->error[strcspn(volume->error, "\n")] = '\0';
}

static int luks_failed(const struct luks_volume *volume, enum gpucrypt_status status, const char *what, int error)
{
	return fail(status, "%s: %s: %s", volume->name, what, volume->error[0] ? volume->error : strerror(-error));
}

static void descriptor_path(char path[32], int fd)
{
	snprintf(path, 32, "/proc/self/fd/%d", fd);
}

static int init_volume(struct luks_volume *volume, const char *name)
{
	int status = luks_load(name);

	*volume = LUKS_NONE;
	volume->name = name;
	if (status != GPUCRYPT_OK)
		return status;
	volume->key = locked_allocate(LUKS_MAX_KEY_BYTES);
	return volume->key ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");
}

/* Without locks libcryptsetup repairs nothing on its own: an input is only read. */
static int init_device(struct luks_volume *volume, int fd)
{
	char path[32];
	int error;

	descriptor_path(path, fd);
	volume->fd = fd;
	libcryptsetup.metadata_locking(NULL, 0);
	error = libcryptsetup.init(&volume->device, path);
	if (error < 0)
		return luks_failed(volume, GPUCRYPT_IO, "cannot be opened by libcryptsetup", error);
	libcryptsetup.set_log_callback(volume->device, keep_error, volume);
	return GPUCRYPT_OK;
}

static int make_memory_file(int *fd, const char *name, uint64_t n_bytes)
{
	*fd = memfd_create(name, MFD_CLOEXEC);
	return *fd >= 0 && ftruncate(*fd, (off_t)n_bytes) == 0 ? GPUCRYPT_OK
	                                                       : fail_errno("header", "cannot be made in memory");
}

/* A given cost replaces libcryptsetup's measurement. */
static struct crypt_pbkdf_type kdf_of(const struct luks_terms *terms)
{
	struct crypt_pbkdf_type kdf =
	        *libcryptsetup.get_pbkdf_type_params(terms->kdf ? terms->kdf : CRYPT_KDF_ARGON2ID);
	bool argon2 = kdf.max_memory_kb > 0;

	if (terms->kdf_cost == 0 || terms->kdf_cost == KDF_AUTO)
		return kdf;
	kdf.flags |= CRYPT_PBKDF_NO_BENCHMARK;
	kdf.time_ms = 0;
	kdf.iterations = argon2 ? ARGON2_PASSES : 1u << terms->kdf_cost;
	kdf.max_memory_kb = argon2 ? 1u << terms->kdf_cost : 0;
	return kdf;
}

/* The header names AES at first: libcryptsetup tries the payload's cipher, and only kernels have others in XTS. */
static int format_device(struct luks_volume *volume, const struct luks_terms *terms, const char *data,
        const struct gpucrypt_secret *secret)
{
	const struct crypt_pbkdf_type kdf = kdf_of(terms);
	struct crypt_params_luks2 params = {
		.pbkdf = &kdf, .sector_size = terms->sector_bytes, .label = terms->label, .data_device = data
	};
	size_t n = 2 * (size_t)terms->suite.key_bytes;
	int error = libcryptsetup.set_data_offset(volume->device, volume->payload / LUKS_SECTOR_BYTES);

	if (error == 0)
		error = libcryptsetup.format(volume->device, CRYPT_LUKS2, cipher_aes.name, XTS_PLAIN64, terms->uuid,
		        (const char *)volume->key, n, &params);
	if (error == 0)
		error = libcryptsetup.keyslot_add_by_volume_key(volume->device, CRYPT_ANY_SLOT,
		        (const char *)volume->key, n, (const char *)secret->bytes, secret->length);
	if (error >= 0)
		return GPUCRYPT_OK;
	return luks_failed(
	        volume, error == -EINVAL ? GPUCRYPT_USAGE : GPUCRYPT_OTHER, "cannot make a LUKS2 header", error);
}

static void take_terms(struct luks_volume *volume, const struct luks_terms *terms)
{
	volume->version = 2;
	volume->suite = terms->suite;
	volume->sector_bytes = terms->sector_bytes;
	volume->payload = terms->detached ? 0 : LUKS_HEADER_BYTES;
}

int luks_format(struct luks_volume *volume, const char *name, const struct luks_terms *terms,
        const struct gpucrypt_secret *secret)
{
	uint64_t header_bytes = LUKS_HEADER_BYTES + (terms->detached ? 0 : terms->image_bytes);
	char data[32];
	int status = init_volume(volume, name);

	take_terms(volume, terms);
	status = status
	                 ?: random_bytes(volume->key, LUKS_MAX_KEY_BYTES)
	                 ?: make_memory_file(&volume->header_fd, "luks-header", header_bytes);
	if (status == GPUCRYPT_OK && terms->detached)
		status = make_memory_file(&volume->data_fd, "luks-data", terms->image_bytes);
	if (status == GPUCRYPT_OK)
		status = init_device(volume, volume->header_fd);
	descriptor_path(data, volume->data_fd);
	if (status == GPUCRYPT_OK)
		status = format_device(volume, terms, terms->detached ? data : NULL, secret);
	if (status == GPUCRYPT_OK && terms->suite.cipher != &cipher_aes)
		status = luks_set_cipher(volume->header_fd, terms->suite.cipher->name);
	return status;
}

static int check_luks1_digest(struct luks_volume *volume)
{
	struct source source = source_of_fd(volume->fd, volume->name);
	uint8_t iterations[4];
	int status = source_read_at(&source, iterations, sizeof iterations, LUKS1_DIGEST_ITERATIONS_AT);

	if (status != GPUCRYPT_OK)
		return status;
	volume->digest_iterations = load_be32(iterations);
	return volume->digest_iterations <= LUKS_BUDGET
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_UNKNOWN, "%s: the digest of its volume key takes more than %u iterations",
	                         volume->name, LUKS_BUDGET);
}

/* Refuse a payload that is not plain XTS under one key, with the reason. */
static int check_state(struct luks_volume *volume)
{
	struct crypt_params_integrity integrity;
	struct crypt_params_reencrypt reencrypt;
	const char *text;

	if (volume->version == 1)
		return check_luks1_digest(volume);
	if (libcryptsetup.get_integrity_info(volume->device, &integrity) == 0 && integrity.tag_size > 0)
		return fail(GPUCRYPT_UNKNOWN, "%s: has dm-integrity tags, which only the kernel reads", volume->name);
	if (libcryptsetup.reencrypt_status(volume->device, &reencrypt) != CRYPT_REENCRYPT_NONE)
		return fail(GPUCRYPT_UNKNOWN,
		        "%s: is in the middle of a re-encryption: finish it by `cryptsetup reencrypt`", volume->name);
	if (libcryptsetup.dump_json(volume->device, &text, 0) < 0)
		return fail(GPUCRYPT_OTHER, "%s: libcryptsetup does not give the text of the header", volume->name);
	return luks_check_text(&volume->digest_iterations, text, volume->name);
}

int luks_check_payload(struct luks_volume *volume)
{
	int status = check_state(volume);

	if (status != GPUCRYPT_OK)
		return status;
	if (strcmp(volume->mode, XTS_PLAIN64) != 0)
		return fail(GPUCRYPT_UNKNOWN, "%s: its payload is %s-%s: only " XTS_PLAIN64 " is read here",
		        volume->name, volume->cipher, volume->mode);
	volume->suite = (struct suite){ .cipher = cipher_by_name(volume->cipher),
		.mode = &modes[MODE_XTS],
		.key_bytes = volume->key_bytes / 2,
		.direction = DECRYPT };
	if (!volume->suite.cipher || volume->suite.cipher == &cipher_sc2000)
		return fail(GPUCRYPT_UNKNOWN, "%s: its cipher is %s: only aes and camellia are read here", volume->name,
		        volume->cipher);
	if (volume->key_bytes != 32 && volume->key_bytes != 48 && volume->key_bytes != 64)
		return fail(GPUCRYPT_CORRUPT, "%s: a volume key of %u bytes", volume->name, volume->key_bytes);
	return GPUCRYPT_OK;
}

/* The device answers NULL and numbers below 0 for a header that it did not load. */
static void take_header(struct luks_volume *volume)
{
	struct crypt_device *device = volume->device;
	const char *cipher = libcryptsetup.get_cipher(device), *mode = libcryptsetup.get_cipher_mode(device);
	const char *uuid = libcryptsetup.get_uuid(device), *label = libcryptsetup.get_label(device);
	int key_bytes = libcryptsetup.get_volume_key_size(device);

	volume->version = strcmp(libcryptsetup.get_type(device), CRYPT_LUKS1) == 0 ? 1 : 2;
	volume->cipher = cipher ? cipher : "unknown";
	volume->mode = mode ? mode : "unknown";
	volume->uuid = uuid ? uuid : "";
	volume->label = label ? label : "";
	volume->key_bytes = key_bytes > 0 ? (unsigned)key_bytes : 0;
	volume->sector_bytes = (unsigned)libcryptsetup.get_sector_size(device);
	volume->payload = libcryptsetup.get_data_offset(device) * LUKS_SECTOR_BYTES;
	volume->iv_start = libcryptsetup.get_iv_offset(device);
}

int luks_open(struct luks_volume *volume, int fd, const char *name)
{
	int error, status = init_volume(volume, name);

	if (status == GPUCRYPT_OK)
		status = init_device(volume, fd);
	if (status != GPUCRYPT_OK)
		return status;
	error = libcryptsetup.load(volume->device, CRYPT_LUKS, NULL);
	if (error < 0)
		return luks_failed(volume, GPUCRYPT_CORRUPT, "cannot read its LUKS header", error);
	take_header(volume);
	return GPUCRYPT_OK;
}

bool luks_slot(const struct luks_volume *volume, int number, struct luks_slot *slot)
{
	crypt_keyslot_info state = libcryptsetup.keyslot_status(volume->device, number);
	struct crypt_pbkdf_type kdf;

	*slot = (struct luks_slot){ .taken = state != CRYPT_SLOT_INACTIVE,
		.used = (state == CRYPT_SLOT_ACTIVE || state == CRYPT_SLOT_ACTIVE_LAST) &&
		        libcryptsetup.keyslot_get_pbkdf(volume->device, number, &kdf) == 0 };
	if (slot->used) {
		slot->kdf = kdf.type;
		slot->hash = kdf.hash;
		slot->iterations = kdf.iterations;
		slot->memory_kib = kdf.max_memory_kb;
		slot->threads = kdf.parallel_threads;
		slot->area_cipher = libcryptsetup.keyslot_get_encryption(volume->device, number, &slot->area_key_bytes);
		slot->key_bytes = (unsigned)libcryptsetup.keyslot_get_key_size(volume->device, number);
	}
	return number < libcryptsetup.keyslot_max(libcryptsetup.get_type(volume->device));
}

int luks_verify_header(const struct luks_volume *volume)
{
	return volume->version == 2 ? luks_check_copies(volume->fd, volume->name) : GPUCRYPT_OK;
}

/* A negative errno; -EPERM: another secret. */
static int get_key(struct luks_volume *volume, int slot, const struct gpucrypt_secret *secret)
{
	size_t n = volume->key_bytes;

	return libcryptsetup.volume_key_get(
	        volume->device, slot, (char *)volume->key, &n, (const char *)secret->bytes, secret->length);
}

/* libcryptsetup 2.6 accepts every volume key if the digest or its salt has a wrong length: another key must fail. */
static int check_digest(struct luks_volume *volume)
{
	int result;

	volume->key[0] ^= 1;
	result = libcryptsetup.volume_key_verify(volume->device, (const char *)volume->key, volume->key_bytes);
	volume->key[0] ^= 1;
	return result < 0 ? GPUCRYPT_OK
	                  : fail(GPUCRYPT_CORRUPT, "%s: cannot unlock: the digest of its volume key accepts every key",
	                            volume->name);
}

struct luks_cost luks_unlock_cost(const struct luks_volume *volume, uint64_t max_kdf_bytes)
{
	struct luks_cost cost = { .max_bytes = max_kdf_bytes ? max_kdf_bytes : MAX_KDF_BYTES_DEFAULT };
	struct luks_slot slot;

	for (int i = 0; luks_slot(volume, i, &slot); i++)
		if (slot.used && luks_slot_is_tried(&cost, volume, &slot))
			cost.slots |= UINT32_C(1) << i;
	return cost;
}

int luks_unlock(struct luks_volume *volume, const struct gpucrypt_secret *secret)
{
	const struct luks_cost cost = luks_unlock_cost(volume, secret->max_kdf_bytes);
	int error = -EPERM;

	/* A damaged slot does not keep others from opening. */
	for (uint32_t slots = cost.slots; error < 0 && slots != 0; slots &= slots - 1) {
		int result;

		volume->slot = __builtin_ctz(slots);
		result = get_key(volume, volume->slot, secret);
		if (result >= 0 || error == -EPERM)
			error = result;
	}
	if (error >= 0)
		return check_digest(volume);
	if (error != -EPERM)
		return luks_failed(
		        volume, error == -ENOMEM ? GPUCRYPT_OTHER : GPUCRYPT_CORRUPT, "cannot unlock", error);
	return fail(GPUCRYPT_NO_KEY, "%s: cannot unlock: no key slot matches%s", volume->name,
	        cost.n_skipped > 0
	                ? "; slots without a known cipher or with another key size, and slots that need too much time "
	                  "or more memory than --max-kdf-memory, were skipped"
	                : "");
}

/* libcryptsetup counts in MiB. */
bool luks_kernel_speed(struct luks_speed *speed, const struct suite *suite)
{
	int error;

	if (luks_load("dm-crypt") != GPUCRYPT_OK) {
		fail_clear();
		return false;
	}
	error = libcryptsetup.benchmark(NULL, suite->cipher->name, "xts", 2 * (size_t)suite->key_bytes,
	        BENCHMARK_IV_BYTES, BENCHMARK_BYTES, &speed->encrypt, &speed->decrypt);

	speed->encrypt *= 1.048576e-3;
	speed->decrypt *= 1.048576e-3;
	return error == 0;
}

void luks_close(struct luks_volume *volume)
{
	if (volume->device)
		libcryptsetup.free(volume->device);
	if (volume->header_fd > 0)
		close(volume->header_fd);
	if (volume->data_fd > 0)
		close(volume->data_fd);
	locked_free(volume->key, LUKS_MAX_KEY_BYTES);
	*volume = LUKS_NONE;
}
