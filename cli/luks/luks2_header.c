#include "cli/luks/volume.h"

#include <errno.h>
#include <jansson.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/pipeline/source.h"
#include "gpucrypt/status.h"

#define BINARY_BYTES   4096 /* before the JSON text */
#define COPY_BYTES_AT  8
#define MAGIC_BYTES    6
#define SEQUENCE_AT    16
#define ALGORITHM_AT   72
#define CHECKSUM_AT    448
#define CHECKSUM_BYTES 64
#define COPY_BYTES_MIN (UINT64_C(16) << 10)
#define COPY_BYTES_MAX (UINT64_C(4) << 20)

static const uint8_t volume_magic[] = { 'L', 'U', 'K', 'S', 0xba, 0xbe };

int luks_found(bool *found, const struct source *source)
{
	uint8_t start[sizeof volume_magic];
	ssize_t n;

	do
		n = pread(source->fd, start, sizeof start, 0);
	while (n < 0 && errno == EINTR);
	*found = n == (ssize_t)sizeof start && memcmp(start, volume_magic, sizeof volume_magic) == 0;
	return n >= 0 || errno == ESPIPE ? GPUCRYPT_OK : fail_errno(source->name, "cannot read");
}

static int set_encryption(json_t *header, const char *cipher)
{
	json_t *segment = json_object_get(json_object_get(header, "segments"), "0");
	char text[64];

	snprintf(text, sizeof text, "%s-xts-plain64", cipher);
	return json_object_set_new(segment, "encryption", json_string(text));
}

/* The JSON text, padded with zeros, in place of the old one. */
static int replace_text(char *text, size_t room, const char *cipher)
{
	json_t *header = json_loads(text, 0, NULL);
	char *changed = header && set_encryption(header, cipher) == 0 ? json_dumps(header, JSON_COMPACT) : NULL;
	bool fits = changed && strlen(changed) < room;

	if (fits)
		strncpy(text, changed, room);
	free(changed);
	json_decref(header);
	return fits ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "the text of the LUKS2 header cannot be changed");
}

/* SHA-256 of the copy with zeros in the checksum's place. */
static void seal_copy(uint8_t *copy, size_t n_bytes)
{
	memset(copy + CHECKSUM_AT, 0, CHECKSUM_BYTES);
	SHA256(copy, n_bytes, copy + CHECKSUM_AT);
}

/* The size of a copy, by its first bytes; 0: it is none. */
static uint64_t copy_bytes(int fd)
{
	struct source source = source_of_fd(fd, "LUKS2 header");
	uint8_t start[BINARY_BYTES];
	uint64_t n_bytes;

	if (source_read_at(&source, start, sizeof start, 0) != GPUCRYPT_OK)
		return 0;
	n_bytes = load_be64(start + COPY_BYTES_AT);
	return n_bytes >= COPY_BYTES_MIN && n_bytes <= COPY_BYTES_MAX ? n_bytes : 0;
}

static int change_copy(int fd, uint8_t *copy, size_t n_bytes, uint64_t offset, const char *cipher)
{
	struct source source = source_of_fd(fd, "LUKS2 header");
	int status = source_read_at(&source, copy, n_bytes, offset)
	                     ?: replace_text((char *)copy + BINARY_BYTES, n_bytes - BINARY_BYTES, cipher);

	if (status != GPUCRYPT_OK)
		return status;
	seal_copy(copy, n_bytes);
	return fd_store(fd, "LUKS2 header", copy, n_bytes, offset);
}

int luks_set_cipher(int fd, const char *cipher)
{
	uint64_t n_bytes = copy_bytes(fd);
	uint8_t *copy = n_bytes ? malloc(n_bytes) : NULL;
	int status;

	if (!copy)
		return fail(GPUCRYPT_OTHER, "the LUKS2 header cannot be read again");
	status = change_copy(fd, copy, n_bytes, 0, cipher) ?: change_copy(fd, copy, n_bytes, n_bytes, cipher);
	free(copy);
	return status;
}

/* Checksums by other functions than SHA-256, which nothing makes, are left to libcryptsetup. */
static bool copy_is_good(int fd, uint8_t *copy, size_t n_bytes, uint64_t offset, const char *magic)
{
	struct source source = source_of_fd(fd, "LUKS2 header");
	uint8_t checksum[CHECKSUM_BYTES];

	if (source_read_at(&source, copy, n_bytes, offset) != GPUCRYPT_OK || memcmp(copy, magic, MAGIC_BYTES) != 0)
		return false;
	memcpy(checksum, copy + CHECKSUM_AT, sizeof checksum);
	if (strncmp((const char *)copy + ALGORITHM_AT, "sha256", 7) == 0)
		seal_copy(copy, n_bytes);
	return memcmp(checksum, copy + CHECKSUM_AT, sizeof checksum) == 0;
}

static bool copies_are_good(int fd, uint8_t *copy, size_t n_bytes)
{
	uint64_t sequence;

	if (!copy_is_good(fd, copy, n_bytes, 0, "LUKS\xba\xbe"))
		return false;
	sequence = load_be64(copy + SEQUENCE_AT);
	return copy_is_good(fd, copy, n_bytes, n_bytes, "SKUL\xba\xbe") && load_be64(copy + SEQUENCE_AT) == sequence;
}

int luks_check_copies(int fd, const char *name)
{
	uint64_t n_bytes = copy_bytes(fd);
	uint8_t *copy = malloc(COPY_BYTES_MAX);
	bool good = copy && n_bytes && copies_are_good(fd, copy, n_bytes);

	if (!copy)
		return fail(GPUCRYPT_OTHER, "out of memory");
	free(copy);
	fail_clear();
	return good ? GPUCRYPT_OK
	            : fail(GPUCRYPT_CORRUPT,
	                      "%s: a copy of its LUKS2 header is damaged: `cryptsetup repair` restores it", name);
}

static bool is_one_segment(json_t *segments)
{
	const char *size = json_string_value(json_object_get(json_object_get(segments, "0"), "size"));

	return json_object_size(segments) == 1 && size && strcmp(size, "dynamic") == 0;
}

/* libcryptsetup takes numbers in strings too, and negative ones for large ones: refused here. */
static bool is_from(json_t *number, json_int_t least, json_int_t most)
{
	return json_is_integer(number) && json_integer_value(number) >= least && json_integer_value(number) <= most;
}

static bool digests_are_bounded(unsigned *iterations, json_t *digests)
{
	const char *key;
	json_t *digest;

	*iterations = 0;
	json_object_foreach(digests, key, digest)
	{
		json_t *n = json_object_get(digest, "iterations");

		if (!is_from(n, 0, LUKS_BUDGET))
			return false;
		if (json_integer_value(n) > *iterations)
			*iterations = (unsigned)json_integer_value(n);
	}
	return true;
}

/* Areas for re-encryption have no key. */
static bool areas_are_bounded(json_t *keyslots)
{
	const char *key;
	json_t *slot;

	json_object_foreach(keyslots, key, slot)
	{
		json_t *n = json_object_get(json_object_get(slot, "area"), "key_size");

		if (n && !is_from(n, LUKS_MIN_KEY_BYTES, LUKS_MAX_KEY_BYTES))
			return false;
	}
	return true;
}

int luks_check_text(unsigned *digest_iterations, const char *text, const char *name)
{
	json_t *header = json_loads(text, 0, NULL);
	bool one = is_one_segment(json_object_get(header, "segments"));
	bool bounded = digests_are_bounded(digest_iterations, json_object_get(header, "digests"));
	bool areas = areas_are_bounded(json_object_get(header, "keyslots"));

	json_decref(header);
	if (!one)
		return fail(GPUCRYPT_UNKNOWN, "%s: only volumes of one segment, up to their end, are read here", name);
	if (!areas)
		return fail(GPUCRYPT_UNKNOWN, "%s: a key slot's area has a key of less than %d or more than %d bytes",
		        name, LUKS_MIN_KEY_BYTES, LUKS_MAX_KEY_BYTES);
	return bounded ? GPUCRYPT_OK
	               : fail(GPUCRYPT_UNKNOWN, "%s: the digest of its volume key takes more than %u iterations", name,
	                         LUKS_BUDGET);
}
