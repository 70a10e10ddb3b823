/* The ways in which dec and verify read a container: whole, whole after it was verified, or a part. */
#ifndef DECRYPT_H
#define DECRYPT_H

#include "gpucrypt/pipeline/report.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/pipeline/source.h"
#include "cli/args/options.h"

/* container_decrypt(), or what --offset, --length and --verify-first make of it; a file that is compressed in the
 * container is decompressed. */
int decrypt_input(struct source *source, unsigned content, struct sink *sink, const struct options *options,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report);

#endif
