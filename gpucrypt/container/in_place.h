/* Encrypting an image where it is, into the detached layout (gcrypt(5), "In place"). */
#ifndef IN_PLACE_H
#define IN_PLACE_H

#include "gpucrypt/container/container.h"
#include "gpucrypt/container/start_record.h"

/* Regular files that are open for reading and writing, and nobody else's meanwhile. */
struct in_place {
	struct source *image, *side, *journal; /* not owned */
	int folder_fd;                         /* of side and journal */
	bool trusted; /* continue without a start record of this secret and image (start_record.h) */
};

/*
 * Start, or continue what an earlier run of this secret started on this image, with that run's cipher, mode and
 * sizes, whatever the plan says.  Whenever it is stopped, by a power failure too, the next run continues.
 * GPUCRYPT_EXISTS if the image is encrypted already or the side file has no start record of this secret and
 * image, GPUCRYPT_CORRUPT if side file, journal and image do not belong together: then nothing has been
 * written.  Once it returns GPUCRYPT_OK the journal is of no more use.
 */
int container_encrypt_in_place(const struct in_place *files, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* The header of the side file by form; false if it has none yet. */
bool in_place_examine(struct source *side, struct examined_header *examined);

/* The header that an earlier run left in the side file and that the next run continues with, its keys, which the
 * caller wipes, and its start record; *found is false if there is no header. */
int in_place_find(bool *found, enum start_found *record, struct authenticated_header *header, struct file_keys *keys,
        const struct in_place *files, const struct gpucrypt_secret *secret);

/* Neither a header nor a page, nor a group in the journal: nothing is encrypted yet.  GPUCRYPT_EXISTS or
 * GPUCRYPT_CORRUPT if there is something else, which is not overwritten. */
int in_place_check_not_started(const struct in_place *files);

/* Write n_bytes at offset; they are on storage when this returns. */
int in_place_store(const struct source *file, const uint8_t *bytes, size_t n_bytes, uint64_t offset);

/* Read n_bytes at offset; bytes after the end of the file are zero. */
int in_place_load(struct source *file, uint8_t *bytes, size_t n_bytes, uint64_t offset);

#endif
