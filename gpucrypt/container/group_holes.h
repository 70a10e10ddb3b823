/* Chunks of a group that are all zero and stored as holes (gcrypt(5), "Holes"): they are neither
 * encrypted nor tagged, and not written where a file reads as zeros what was never written. */
#ifndef GROUP_HOLES_H
#define GROUP_HOLES_H

#include "gpucrypt/container/group.h"

/* Chunks of one kind, one after the other. */
struct stretch {
	size_t from, n_bytes; /* of the payload as stored */
	bool hole;
};

/* The next stretch from `at` on; false: the payload has ended. */
bool group_next_stretch(const struct group *group, unsigned chunk_log2, size_t at, struct stretch *stretch);

bool group_has_holes(const struct group *group);

/* Make holes of the chunks that are all zero; of all chunks if the group is hollow. */
void group_dig_holes(struct group *group, unsigned chunk_log2);

/* group_crypt() for what is no hole. */
int group_crypt_chunks(const struct recheck *recheck, unsigned lane, struct group *group, unsigned tag_chunk_log2,
        unsigned chunk_log2);

/* The first n_bytes of the payload to offset of the sink; the holes of the final group leave a file
 * as long as it has to be. */
int group_write(struct sink *sink, const struct group *group, unsigned chunk_log2, size_t n_bytes, uint64_t offset);

#endif
