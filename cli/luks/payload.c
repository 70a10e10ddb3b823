#include "cli/luks/payload.h"

#include <stdlib.h>

#include "gpucrypt/status.h"

#define COPY_BYTES ((size_t)1 << 20)

int luks_header_write(const struct luks_volume *volume, struct sink *sink)
{
	struct source source = source_of_fd(volume->header_fd, "LUKS header");
	uint8_t *bytes = malloc(COPY_BYTES);
	int status = bytes ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");

	for (uint64_t at = 0; at < LUKS_HEADER_BYTES && status == GPUCRYPT_OK; at += COPY_BYTES) {
		status = source_read_at(&source, bytes, COPY_BYTES, at) ?: sink->write(sink, bytes, COPY_BYTES, at);
	}
	free(bytes);
	return status;
}

static int write_payload(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct payload_sink *payload = (struct payload_sink *)self;

	return payload->volume->write(payload->volume, bytes, n_bytes, payload->start + offset);
}

struct sink *payload_sink_open(struct payload_sink *payload, struct sink *volume, uint64_t start)
{
	*payload = (struct payload_sink){ .sink = *volume, .volume = volume, .start = start };
	payload->sink.write = write_payload;
	payload->sink.room_bytes = 0; /* compared before */
	return &payload->sink;
}

struct raw_options payload_options(const struct luks_volume *volume)
{
	return (struct raw_options){ .key = volume->key,
		.key_length = 2 * (size_t)volume->suite.key_bytes,
		.have_iv_start = true,
		.iv_start = volume->iv_start,
		.sector_bytes = volume->sector_bytes,
		.length = UINT64_MAX };
}
