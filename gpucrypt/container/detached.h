/* The detached layout (gcrypt(5)): a detached header, which is a file with header and pages, and an image with the
 * payload.  Both together are read and written as if they were one inline container. */
#ifndef GPUCRYPT_CONTAINER_DETACHED_H
#define GPUCRYPT_CONTAINER_DETACHED_H

#include "gpucrypt/keys/header.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/pipeline/source.h"

struct detached_source {
	struct source source;               /* the joined source */
	struct source *header_file, *image; /* not owned; read by position */
	unsigned group_log2;                /* 0: only the header can be read */
};

/* Both must be files or block devices, so that their sizes are known.  Errors: GPUCRYPT_USAGE. */
int detached_source_open(struct detached_source *joined, struct source *header_file, struct source *image);

/* Check that the source has the header's layout.  From then on pages and payload of a joined source can be read; an
 * image on a larger block device ends where the header says. */
int detached_source_lay(struct source *source, const struct header *header);

/* GPUCRYPT_CORRUPT unless the detached header has a page for each group of the image, and nothing else; GPUCRYPT_OK for
 * inline containers. */
int detached_source_check(const struct source *source);

/* The name of the file that has an inline position of a container, and the position in that file. */
const char *detached_place(const struct source *source, uint64_t *offset);

/* Offsets written to the joined sink are those of the inline layout. */
struct detached_sink {
	struct sink sink;
	struct sink *header_file, *image; /* not owned; image NULL: drop the image's bytes */
	unsigned group_log2;
};

void detached_sink_open(
        struct detached_sink *joined, struct sink *header_file, struct sink *image, unsigned group_log2);

/* Check that a source can become an image: the size is known and a multiple of the sector.  Errors:
 * GPUCRYPT_USAGE. */
int detached_image_check(const struct source *source, unsigned sector_log2);

#endif
