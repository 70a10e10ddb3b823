/* A container under a new file key, in one pass (gcrypt(5), "Writing"). */
#ifndef GPUCRYPT_CONTAINER_REKEY_H
#define GPUCRYPT_CONTAINER_REKEY_H

#include "gpucrypt/container/group.h"

struct rekey {
	struct source *source; /* the old container, at its start */
	struct sink *sink;
	const struct gpucrypt_plan *decrypt;      /* table, work-items …: the header says the rest */
	const struct gpucrypt_plan *encrypt;      /* also the engine of both */
	const struct gpucrypt_secret *secret;     /* unlocks the old container */
	const struct gpucrypt_secret *secrets;    /* each gets a slot of the new container; none has the same `derived`
	                                             as secret */
	const struct gpucrypt_progress *progress; /* or NULL */
};

/* Each group is authenticated before its new group is written; before the last one is, root and length are checked too.
 * The new container has the old one's content, and its length if that is known.  *old becomes the old header,
 * authenticated; the report is that of the encryption. */
int container_rekey(const struct rekey *rekey, struct authenticated_header *old, struct report *report);

/* Why a container with chunks and groups of these sizes cannot be decrypted and encrypted group by group on the engine
 * so that its plaintext passes through the host's memory from one pipeline to another; NULL: it can. */
const char *rekey_detour(unsigned chunk_log2, unsigned group_log2, const struct gpucrypt_plan *encrypt);

/* Group by group on the engine; rekey_detour() is NULL. */

struct recryptor {
	struct group_reader
	        reader; /* first: the job of a reader's stages.  Both use its slots; the writer's have no memory */
	struct group_writer writer;
	struct source plain; /* has length and content type of the new header; its bytes are never read */
};

void recryptor_close(struct recryptor *job); /* wipes both */

/* The engines, once header and suite of both are known. */
int recryptor_open_engines(struct recryptor *job, const struct rekey *rekey, struct report *report);

/* Re-encrypt the groups first … end - 1, at least one, with a partial reader and a ranged writer.  Afterwards reader
 * and writer have the digests of the pages of these groups. */
int recryptor_run_range(
        struct recryptor *job, uint64_t first, uint64_t end, const struct gpucrypt_plan *plan, struct report *report);

#endif
