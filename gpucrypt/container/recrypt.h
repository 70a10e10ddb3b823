/* Rekeying group by group on the engine. */
#ifndef CONTAINER_RECRYPT_H
#define CONTAINER_RECRYPT_H

#include "gpucrypt/container/group_reader.h"
#include "gpucrypt/container/group_writer.h"
#include "gpucrypt/container/rekey.h"

/* container_rekey() for a rekey whose rekey_detour() is NULL: group by group, without a second pipeline. */
int container_recrypt(const struct rekey *rekey, struct report *report);

struct recryptor {
	struct group_writer writer; /* first: the job of a writer's stages */
	struct group_reader reader; /* both use its slots; the writer's have no memory */
	struct source plain;        /* not read: length and content of the new header */
};

void recryptor_close(struct recryptor *job); /* wipes both */

/* The engines, once header and suite of both are known. */
int recryptor_open_engines(struct recryptor *job, const struct rekey *rekey, struct report *report);

/* Pass the groups through all stages: all of them, or those of a partial reader and a ranged writer, which must be the
 * same. */
int recryptor_run(struct recryptor *job, const struct gpucrypt_plan *plan, struct report *report);

/* Re-encrypt the groups first … end - 1, at least one, with a partial reader and a ranged writer.  Afterwards reader
 * and writer have the digests of the pages of these groups. */
int recryptor_run_range(
        struct recryptor *job, uint64_t first, uint64_t end, const struct gpucrypt_plan *plan, struct report *report);

#endif
