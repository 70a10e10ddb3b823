/*
 * From one suite to another in one go: an engine that encrypts what another has decrypted, lane by
 * lane, on the same device.  On an OpenCL device both happen in one buffer there, so that plaintext
 * never leaves it.
 */
#ifndef RECRYPT_H
#define RECRYPT_H

#include "gpucrypt/engine/engine.h"

/* One buffer of work: both halves are in place and on the same bytes, and start in equal numbers of
 * blocks from a chunk's start.  Either may have filler behind the plaintext, up to whole blocks. */
struct recryption {
	struct work decrypt, encrypt;
	size_t plain_bytes;
	uint8_t filler[BLOCK_BYTES]; /* result: what decrypts to filler; what is encrypted is zeros */
};

/*
 * Open an engine for a suite that encrypts, of the class of *before, which is open, decrypts, and is
 * closed after it.  plan says what is not the device: table, work-items ….  GPUCRYPT_DEVICE as
 * engine_open(): where the plan gives way to the CPU, *before is closed and the CPU's for its suite takes
 * its place.  "all" has no such engines: GPUCRYPT_USAGE.
 */
int engine_open_after(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine **before);

/* Tags are those of the ciphertexts, before and after, where each of the engines computes tags. */
int engine_recrypt(struct engine *engine, unsigned lane, struct recryption *recryption);

/* What of a recryption lies in n bytes (whole chunks, or blocks if there are no tags) from start on. */
struct recryption recryption_piece(const struct recryption *whole, size_t start, size_t n);

#endif
