/* One group of a container on its way through the pipeline: what writing and reading share. */
#ifndef GROUP_H
#define GROUP_H

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/container/page.h"
#include "gpucrypt/engine/recheck.h"
#include "gpucrypt/pipeline/ring.h"
#include "gpucrypt/pipeline/lookahead.h"
#include "gpucrypt/pipeline/sink.h"
#include "gpucrypt/crypto/tag.h"

struct group {
	uint8_t *bytes, *payload; /* page, then payload, in a slot of the ring; not owned */
	size_t n_read;            /* bytes there, when reading a container */
	size_t stored;            /* bytes of the payload as stored */
	bool last;                /* the input has ended */
	bool kept;                /* encrypted by an earlier run */
	bool tag_room;            /* behind the payload, for struct work */
	bool hollow;              /* all of the payload is zeros, and not in memory */
	unsigned sector_log2;     /* detached: units of this size, numbered in the image; else 0 */
	struct page page;
	struct group_keys keys;
	uint8_t tags[MAX_CHUNKS][TAG_BYTES]; /* computed here */
};

/* A group for each slot of a ring. */
struct groups {
	struct ring ring;
	struct group *group; /* owned; locked, wiped */
	unsigned n;          /* of them */
	unsigned sector_log2;
};

/* engine NULL: only to authenticate. */
int groups_open(struct groups *groups, struct engine *engine, unsigned workers, const struct header *header,
        uint64_t n_groups, uint64_t memory_bytes);
int groups_take(struct groups *groups, unsigned slot); /* ring_take(), for the first stage */
void groups_close(struct groups *groups);              /* zeroed is fine */

/* The same for all of a source, with recheck for the engine; or, if there were such for another engine,
 * from now on for this one (ring_hand_over()).  Both are zeroed at first, and the caller closes them. */
int groups_room(struct groups *groups, struct recheck *recheck, struct engine *engine, unsigned workers,
        const struct header *header, const struct source *source, const struct gpucrypt_plan *plan);

/* Position of a group's page in the inline layout, or as detached.h counts. */
uint64_t group_offset(const struct header *header, uint64_t group);

/* GPUCRYPT_CORRUPT, with the place of a byte of a group in the file that has it. */
int group_corrupt(const struct source *source, const struct header *header, uint64_t group, uint64_t offset_in_group,
        const char *what);

/* The group's keys, and by them the page in group->bytes; what is wrong is told with its place. */
int group_open_page(struct group *group, const struct source *source, const struct header *header,
        const struct file_keys *keys, uint64_t number);

/* Work in place on n_bytes of the payload from a unit's start on, with tags as group_crypt(). */
struct work group_work(struct group *group, const struct mode *mode, unsigned group_log2, size_t from, size_t n_bytes,
        unsigned chunk_log2);

/* Run n_bytes of the payload from a unit's start through the engine, in place.  chunk_log2 not 0:
 * the engine leaves the chunks' tags in group->tags, but for their masks. */
int group_crypt(const struct recheck *recheck, unsigned lane, struct group *group, size_t from, size_t n_bytes,
        unsigned chunk_log2);

/* The tags of the payload as stored, into group->tags; begun: by group_crypt(). */
int group_tags(struct group *group, bool begun, unsigned chunk_log2);

unsigned group_chunks(const struct group *group, unsigned chunk_log2);

/* Bytes of one of them: the last may be short. */
size_t group_chunk_bytes(const struct group *group, unsigned chunk, unsigned chunk_log2);

/* XTS in the inline layout: units of 4096 bytes numbered in the group. */
#define GROUP_UNIT_LOG2 12

/* How many threads compute tags, or only finish what an engine has begun. */
unsigned tag_workers(const struct gpucrypt_plan *plan, bool begun);

/* Who reads pieces of so many bytes for an engine of so many devices. */
struct read_threads read_threads(const struct gpucrypt_plan *plan, unsigned devices, size_t piece_bytes);

/* Put the source's name before the text of a failure in what was read from it. */
int failed_in(const struct source *source, int status);

#endif
