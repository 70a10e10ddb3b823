/* Raw mode: the bare cipher and mode, byte-identical with other tools; no header, no tag. */
#ifndef GPUCRYPT_CONTAINER_RAW_H
#define GPUCRYPT_CONTAINER_RAW_H

#include "gpucrypt/gpucrypt.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/pipeline/source.h"

#define RAW_SEGMENT_LOG2 23

struct raw_options {
	const uint8_t *key; /* n_keys × key_bytes; not owned, the caller wipes it */
	size_t key_length;  /* GPUCRYPT_USAGE if it does not fit the suite */
	bool have_iv;
	uint8_t iv[16]; /* CTR: counter, big-endian; XTS: tweak of the first data unit, le128 */
	bool have_iv_start;
	uint64_t iv_start;       /* XTS: number of the 512-byte sector where the selected bytes start */
	unsigned sector_bytes;   /* XTS: 512 (default when 0) … 4096 */
	bool iv_large_sectors;   /* XTS: number data units instead of 512-byte sectors */
	bool allow_weak_key;     /* XTS: K1 = K2 */
	bool no_padding;         /* ECB: no PKCS#7 */
	uint64_t offset, length; /* of the input; length UINT64_MAX: to the end */
	/* For each segment of the input, whether it is read; the last segment is always read.  NULL: all segments are
	 * read.  Only for a file or block device, without offset and length.  Not owned. */
	const bool *wanted;
	/* How the encrypted input is decrypted, in the pass that encrypts it again.  NULL: the input is plaintext. */
	const struct raw_before *before;
};

/* The options have the same offset and length as those of the encryption.  GPUCRYPT_USAGE for modes that pad, and for
 * the hybrid engine. */
struct raw_before {
	const struct suite *suite; /* decrypts */
	const struct gpucrypt_plan *plan;
	const struct raw_options *options;
};

/* Reject what raw_crypt() would reject before it reads; nothing is read. */
int raw_check(struct source *source, const struct suite *suite, const struct raw_options *options);

/* The suite has the direction.  GPUCRYPT_USAGE for lengths that the mode does not have: before any output if the
 * input's size is known, else at its end.  report may be NULL. */
int raw_crypt(struct source *source, struct sink *sink, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct raw_options *options, const struct gpucrypt_progress *progress, struct report *report);

#endif
