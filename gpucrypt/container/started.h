/* An unfinished container (enc --resume, --part): its header, and the start record in the place of copy B. */
#ifndef STARTED_H
#define STARTED_H

#include "gpucrypt/container/group_writer.h"
#include "gpucrypt/container/start_record.h"

struct started {
	uint8_t copies[2 * HEADER_COPY_BYTES]; /* as stored */
	struct authenticated_header header;
	struct file_keys keys;
	enum start_found record; /* how the start record and the given source agree */
};

void started_close(struct started *started); /* wipes the keys */

/* The file's header and start record, of the first secret of a list; source NULL: of any source.  *there: the file
 * is not empty.  GPUCRYPT_EXISTS if it does not begin as a container, else the errors of header_unlock(). */
int started_open(struct started *started, bool *there, struct source *file, const struct gpucrypt_secret *secret,
        const struct source *source, enum start_source how);

/* Were options, recipients and the source's size, which the writer has, the same at the start?  Then the writer gets
 * header and keys.  GPUCRYPT_USAGE, GPUCRYPT_IO; file has the header. */
int started_continue(struct group_writer *writer, const struct started *started, const struct source *file,
        const struct gpucrypt_secret *secret);

/* Length of the complete container.  Bytes after it would follow the last group: cut them off. */
uint64_t started_bytes(const struct started *started);
int started_truncate(const struct started *started, struct source *file);

/* A header with a new file key and, in place of copy B, the start record of writer->source. */
int started_make(struct group_writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES],
        const struct gpucrypt_secret *secret, enum start_source how, const struct start_parts *parts);

#endif
