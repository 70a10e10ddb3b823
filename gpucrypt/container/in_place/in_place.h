/* Convert an image where it is: plaintext into the detached layout, and back (gcrypt(5), "In place"). */
#ifndef GPUCRYPT_CONTAINER_IN_PLACE_IN_PLACE_H
#define GPUCRYPT_CONTAINER_IN_PLACE_IN_PLACE_H

#include "gpucrypt/container/container.h"
#include "gpucrypt/container/start_record.h"

/* Regular files that are open for reading and writing, and that no other process uses during the run. */
struct in_place {
	struct source *image, *header_file, *journal; /* not owned */
	int folder_fd;                                /* of header_file and journal */
	bool trusted; /* continue without a start record of this secret and image (start_record.h) */
};

/* Start, or continue what an earlier run of this secret started on this image, with that run's cipher, mode and sizes
 * instead of the plan's.  If it is stopped, by a power failure too, the next run continues.  GPUCRYPT_EXISTS if the
 * image is encrypted already or the detached header has no start record of this secret and image, GPUCRYPT_CORRUPT if
 * detached header, journal and image do not belong together: then nothing has been written.  After GPUCRYPT_OK the
 * journal is no longer needed. */
int container_encrypt_in_place(const struct in_place *files, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* Decrypt the image from its last group to its first one, and cut each page off the detached header when its group is
 * plaintext.  Before anything is decrypted, all that is still ciphertext is authenticated, with the root unless an
 * earlier run has removed the final page.  If the run is stopped, by a power failure too, the next run continues.
 * GPUCRYPT_CORRUPT if image, detached header and journal do not belong together or a chunk is damaged; GPUCRYPT_EXISTS
 * if pages are missing and no journal tells why: then nothing was decrypted.  After GPUCRYPT_OK journal and detached
 * header are no longer needed; the journal is to be removed first. */
int container_decrypt_in_place(const struct in_place *files, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* The state that an earlier run left: the detached header, and the start record in the journal. */

/* Read the header without authentication; false if the file has no header yet. */
bool in_place_examine(struct source *header_file, struct examined_header *examined);

/* The header of the image, and its keys, which the caller wipes. */
int in_place_unlock(struct authenticated_header *header, struct file_keys *keys, const struct in_place *files,
        const struct gpucrypt_secret *secret);

/* The same; *found is false if there is no header. */
int in_place_find(bool *found, struct authenticated_header *header, struct file_keys *keys,
        const struct in_place *files, const struct gpucrypt_secret *secret);

/* The start record of that header in the journal; GPUCRYPT_EXISTS for the journal of an update (update.h). */
int in_place_check_record(enum start_found *record, const struct in_place *files,
        const struct authenticated_header *header, const struct gpucrypt_secret *secret);

/* GPUCRYPT_OK if there is neither a header nor a page, nor a group in the journal: nothing is encrypted yet.
 * GPUCRYPT_EXISTS or GPUCRYPT_CORRUPT if there is anything else, which is not overwritten. */
int in_place_check_not_started(const struct in_place *files);

/* Read n_bytes at offset; bytes after the end of the file are zero. */
int in_place_load(struct source *file, uint8_t *bytes, size_t n_bytes, uint64_t offset);

#endif
