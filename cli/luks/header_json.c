#include "cli/luks/header_json.h"

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
#define CHECKSUM_AT    448
#define CHECKSUM_BYTES 64
#define COPY_BYTES_MIN (UINT64_C(16) << 10)
#define COPY_BYTES_MAX (UINT64_C(4) << 20)

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

static int change_copy(int fd, uint8_t *copy, size_t n_bytes, uint64_t offset, const char *cipher)
{
	struct source source = source_of_fd(fd, "LUKS2 header");
	int status = source_read_at(&source, copy, n_bytes, offset);

	if (status == GPUCRYPT_OK)
		status = replace_text((char *)copy + BINARY_BYTES, n_bytes - BINARY_BYTES, cipher);
	if (status != GPUCRYPT_OK)
		return status;
	seal_copy(copy, n_bytes);
	return fd_store(fd, "LUKS2 header", copy, n_bytes, offset);
}

int luks_set_cipher(int fd, const char *cipher)
{
	struct source source = source_of_fd(fd, "LUKS2 header");
	uint8_t start[BINARY_BYTES], *copy;
	uint64_t n_bytes;
	int status = source_read_at(&source, start, sizeof start, 0);

	if (status != GPUCRYPT_OK)
		return status;
	n_bytes = load_be64(start + COPY_BYTES_AT);
	if (n_bytes < COPY_BYTES_MIN || n_bytes > COPY_BYTES_MAX)
		return fail(GPUCRYPT_OTHER, "the size of the LUKS2 header is not known");
	copy = malloc(n_bytes);
	if (!copy)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = change_copy(fd, copy, n_bytes, 0, cipher);
	if (status == GPUCRYPT_OK)
		status = change_copy(fd, copy, n_bytes, n_bytes, cipher);
	free(copy);
	return status;
}

int luks_check_segments(const char *text, const char *name)
{
	json_t *header = json_loads(text, 0, NULL), *segments = json_object_get(header, "segments");
	const char *size = json_string_value(json_object_get(json_object_get(segments, "0"), "size"));
	bool good = json_object_size(segments) == 1 && size && strcmp(size, "dynamic") == 0;

	json_decref(header);
	return good ? GPUCRYPT_OK
	            : fail(GPUCRYPT_UNKNOWN, "%s: only volumes of one segment, up to their end, are read here", name);
}
