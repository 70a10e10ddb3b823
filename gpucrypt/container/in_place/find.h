/* Find the state that an earlier run left while it converted an image in place: the detached header, and the start
 * record in the journal. */
#ifndef FIND_H
#define FIND_H

#include "gpucrypt/container/in_place/in_place.h"
#include "gpucrypt/container/start_record.h"

/* Read the header without authentication; false if the file has no header yet. */
bool in_place_examine(struct source *header_file, struct examined_header *examined);

/* The header of the image, and its keys, which the caller wipes. */
int in_place_unlock(struct authenticated_header *header, struct file_keys *keys, const struct in_place *files,
        const struct gpucrypt_secret *secret);

/* The same; *found is false if there is no header. */
int in_place_find(bool *found, struct authenticated_header *header, struct file_keys *keys,
        const struct in_place *files, const struct gpucrypt_secret *secret);

/* The start record of that header in the journal. */
int in_place_check_record(enum start_found *record, const struct in_place *files,
        const struct authenticated_header *header, const struct gpucrypt_secret *secret);

/* Of the start record of a decryption (gcrypt(5), "In place"): whoever can decrypt the image can make it. */
struct start_binding in_place_decryption(const struct in_place *files, const struct file_keys *keys);

/* GPUCRYPT_OK if there is neither a header nor a page, nor a group in the journal: nothing is encrypted yet.
 * GPUCRYPT_EXISTS or GPUCRYPT_CORRUPT if there is anything else, which is not overwritten. */
int in_place_check_not_started(const struct in_place *files);

/* Read n_bytes at offset; bytes after the end of the file are zero. */
int in_place_load(struct source *file, uint8_t *bytes, size_t n_bytes, uint64_t offset);

#endif
