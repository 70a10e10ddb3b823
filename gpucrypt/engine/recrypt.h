/*
 * From one suite to another in one pass: an engine encrypts what another one has decrypted, lane by
 * lane, on the same device.  An OpenCL device does both in one buffer, so that plaintext never leaves the device.
 */
#ifndef GPUCRYPT_ENGINE_RECRYPT_H
#define GPUCRYPT_ENGINE_RECRYPT_H

#include "gpucrypt/engine/engine.h"

/* One buffer of work: both halves are in place and on the same bytes, and start equally many blocks
 * behind a chunk's start.  Each may have padding behind the plaintext, up to whole blocks. */
struct recryption {
	struct work decrypt, encrypt;
	size_t plain_bytes;
	bool alone;                  /* only encrypt */
	uint8_t filler[BLOCK_BYTES]; /* result: the padding that was decrypted; zeros are encrypted in its place */
};

/*
 * Open an engine that encrypts, of the class and on the device of *before, which is open and decrypts, and is
 * closed after *engine.  The plan has the kernel configuration.  GPUCRYPT_DEVICE as with engine_open(): if
 * plan_gives_way(), *before is closed and replaced by the CPU engine for its suite.  GPUCRYPT_USAGE for the hybrid
 * engine.
 */
int engine_open_after(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine **before);

/* The plan of the engine that decrypts first: its own table form and work-items, and the device of the other one. */
struct gpucrypt_plan plan_before(const struct gpucrypt_plan *decrypt, const struct gpucrypt_plan *encrypt);

/* Tags are of the ciphertexts before and after, if the engine of that half computes tags. */
int engine_recrypt(struct engine *engine, unsigned lane, struct recryption *recryption);

/* The part of a recryption in n bytes (whole chunks, or blocks if there are no tags) from start on. */
struct recryption recryption_piece(const struct recryption *whole, size_t start, size_t n);

#endif
