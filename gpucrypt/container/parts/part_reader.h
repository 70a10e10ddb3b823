/* A reader of ranges of groups, by a process that got the keys from another one. */
#ifndef PART_READER_H
#define PART_READER_H

#include "gpucrypt/container/group_reader.h"

/* The reader has its source and sink (NULL: only authenticate); the caller closes it.
 * part_reader_describe: set its header, keys, length and suite, and make it a partial reader.
 * part_reader_open: the same, and open its engine. */
void part_reader_describe(struct group_reader *reader, const struct authenticated_header *header,
        const struct file_keys *keys, uint64_t plaintext_bytes);
int part_reader_open(struct group_reader *reader, const struct authenticated_header *header,
        const struct file_keys *keys, uint64_t plaintext_bytes, const struct gpucrypt_plan *plan,
        struct report *report);

/* Read the groups first … end - 1; the sink gets the first byte of the content at 0.  reader->digest is that of the
 * groups' pages; the root is not checked. */
int part_reader_run(struct group_reader *reader, uint64_t first, uint64_t end, const struct gpucrypt_plan *plan,
        struct report *report);

#endif
