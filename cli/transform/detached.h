/*
 * Detached containers on the command line: the image IMAGE and its detached header IMAGE.gcr. The operand of dec,
 * verify, info and retag is the detached header; the output of enc is the image.
 */
#ifndef CLI_TRANSFORM_DETACHED_H
#define CLI_TRANSFORM_DETACHED_H

#include "gpucrypt/container/detached.h"
#include "cli/files/input.h"
#include "cli/args/options.h"
#include "cli/files/output.h"

/* The files of a detached container besides input and output. DETACHED_NONE: not a detached container. */
struct detached_files {
	char *other_name;              /* owned */
	struct input other;            /* the image or the detached header, whichever is not the input */
	struct detached_source joined; /* both */
	char *side_name;               /* owned */
	struct output side;            /* beside the image, which is the output */
	struct fd_sink side_sink;
	struct detached_sink sink; /* both */
};

#define DETACHED_NONE ((struct detached_files){ .other.source.fd = -1, .side = { .fd = -1, .folder_fd = -1 } })

/* Open the image that belongs to the input, a detached header.  GPUCRYPT_UNKNOWN if the image is a LUKS volume. */
int detached_open_image(struct detached_files *files, const struct options *options, struct input *side);

/* The other part may not become the output. */
int detached_check_output(const struct detached_files *files, const struct options *options, const char *output);

/* When encrypting: choose the detached header for an output that is chosen already; then create it, sync it, and name
 * it after the image has its name. */
int detached_choose_side(struct detached_files *files, const struct output *image, const struct output_terms *terms,
        const struct source *source, unsigned sector_log2);
int detached_commit(struct detached_files *files, struct output *image);

/* The sink that has the image's as one part. */
int detached_join_sinks(struct detached_files *files, struct sink *image, unsigned group_log2, struct sink **joined);

void detached_close(struct detached_files *files);

#endif
