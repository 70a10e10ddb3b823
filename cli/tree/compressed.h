/* A single file or stream that is compressed by zstd in its container (content CONTENT_BYTES_ZSTD). */
#ifndef COMPRESSED_H
#define COMPRESSED_H

#include "cli/tree/bundle.h"
#include "gpucrypt/pipeline/report.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/pipeline/source.h"

/* What decrypts into a sink gets another sink, which decompresses. */
struct decompression {
	struct bundle_sink bundle;
	struct sink *sink; /* NULL: nothing is decompressed */
	uint64_t n_bytes;
};

/* *sink is replaced if the container has this content and *sink is not NULL.  name and *sink must stay until the
 * end. */
int decompression_begin(struct decompression *decompression, unsigned content, const char *name, struct sink **sink);

/* status: of the decryption.  Returns it, or what is wrong with the compressed bytes; the report's length becomes that
 * of what was written. */
int decompression_end(struct decompression *decompression, int status, struct report *report);

#endif
