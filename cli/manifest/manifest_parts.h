/*
 * Parts of a manifest: FILE.files-I-of-N, made by runs that each do the files of one part.  The name of a file alone
 * says which part has it, so that the runs need not know of each other, and a file stays in its part when others come
 * or go.
 */
#ifndef MANIFEST_PARTS_H
#define MANIFEST_PARTS_H

#include "cli/manifest/manifest.h"

/* Part 1 + (h xor h >> 32) mod N, with h the FNV-1a hash of 64 bits of the name. */
bool manifest_part_has(struct shard part, const char *name);

/* The name of a part's manifest, which the caller frees; NULL: out of memory. */
char *manifest_part_name(const char *file, struct shard part);

/* Set *count to the N of the parts that are there; 0: none.  GPUCRYPT_USAGE: parts of several N are there. */
int manifest_parts_find(const char *file, unsigned *count);

/* Read what a run of a part starts from: of the manifest, if it is there, the records of the part's files, and over
 * them those of the part's own manifest; the other way round if the manifest was written after the part's. */
int manifest_part_read(
        struct manifest *manifest, const char *file, struct shard part, const struct gpucrypt_secret *secret);

/* Make one manifest of all parts, for the secrets, of which the first opens them, and remove the parts.
 * GPUCRYPT_CORRUPT: a part is missing or incomplete, or the manifest was written after a part was started.
 * GPUCRYPT_EXISTS: a part runs. */
int manifest_join(const char *file, const struct gpucrypt_secret *secrets, const struct key_files *keys, bool force);

#endif
