/* Header and payload of LUKS volumes as bytes: what is written, and how the payload is encrypted. */
#ifndef CLI_LUKS_PAYLOAD_H
#define CLI_LUKS_PAYLOAD_H

#include "cli/luks/volume.h"
#include "gpucrypt/container/raw.h"

/* Write the header that luks_format() made. */
int luks_header_write(const struct luks_volume *volume, struct sink *sink);

/* A volume whose payload is written. */
struct payload_sink {
	struct sink sink;    /* the payload */
	struct sink *volume; /* not owned */
	uint64_t start;
};

struct sink *payload_sink_open(struct payload_sink *payload, struct sink *volume, uint64_t start);

/* The payload is raw XTS under the volume key. */
struct raw_options payload_options(const struct luks_volume *volume);

#endif
