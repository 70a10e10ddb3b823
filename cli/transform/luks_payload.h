/* Header and payload of LUKS volumes in the life of a file. */
#ifndef LUKS_PAYLOAD_H
#define LUKS_PAYLOAD_H

#include "cli/transform/job.h"
#include "gpucrypt/container/raw.h"

/* A volume whose payload is written. */
struct payload_sink {
	struct sink sink;    /* the payload */
	struct sink *volume; /* not owned */
	uint64_t start;
};

struct sink *payload_sink_open(struct payload_sink *payload, struct sink *volume, uint64_t start);

/* The payload is raw XTS under the volume key. */
struct raw_options payload_options(const struct luks_volume *volume);

/* Write the header that luks_format() made. */
int luks_header_write(const struct luks_volume *volume, struct sink *sink);

/* Open a volume, refuse what is not read here, and plan its decryption; nothing is unlocked. */
int luks_look_at_header(struct job *job, struct job_file *file, const char *operand);

#endif
