/* One group of a container in the pipeline; common to readers and writers. */
#ifndef GPUCRYPT_CONTAINER_GROUP_H
#define GPUCRYPT_CONTAINER_GROUP_H

#include "gpucrypt/container/layout.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/pipeline/source.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/pipeline/sink.h"

struct group {
	struct host_buffer *slot; /* of the ring; NULL: the group is elsewhere; not owned */
	uint8_t *bytes, *payload; /* page, then payload, in the slot */
	size_t n_read;            /* number of bytes read from a container's group */
	size_t stored;            /* stored length of the payload, in bytes */
	size_t start, end;        /* the part of the payload that is in memory: whole chunks */
	bool last;                /* the input ends with this group */
	bool kept;                /* an earlier run encrypted the group; keep the group */
	bool old;    /* page and keys are those of the old group that this one is compared with (update.h) */
	bool sparse; /* chunks of zeros become holes */
	bool unread; /* only the page was read */
	bool hollow; /* the whole payload is zeros and is not in memory */
	unsigned chunk_log2, group_log2;
	unsigned sector_log2; /* detached: data units of this size, numbered in the image; else 0 */
	struct page page;
	struct group_keys keys;
	uint8_t tags[MAX_CHUNKS][TAG_BYTES]; /* computed tags, as opposed to those of the page */
	uint8_t padding[BLOCK_BYTES];        /* decrypted padding; new ciphertext has its place (rekey.c) */
};

/* A group for each slot of a ring, and the engine that encrypts or decrypts the groups. */
struct groups {
	struct ring ring;
	struct group *group; /* owned; locked, wiped */
	unsigned n;          /* groups in memory */
	unsigned chunk_log2, group_log2, sector_log2;
	uint64_t most_bytes;   /* no group of the input has more payload; 0: not known */
	struct engine *engine; /* owned; NULL: groups are only authenticated or tagged */
	struct recheck recheck;
};

/* Slots for so many workers on n_groups, whose memory is allocated by groups_take_slot(). */
int groups_open(
        struct groups *groups, unsigned workers, const struct header *header, uint64_t n_groups, uint64_t memory_bytes);

/* The same for an input of n_bytes, with a recheck of the engine. */
int groups_prepare(struct groups *groups, unsigned workers, const struct header *header, uint64_t n_bytes,
        const struct gpucrypt_plan *plan);

/* The same with one slot, number 0, which has its memory, and with an engine for the suite. */
int groups_open_one(struct groups *groups, const struct suite *suite, const struct header *header,
        const struct gpucrypt_plan *plan, struct report *report);

int groups_take_slot(struct groups *groups, unsigned slot);

/* After work on it: an engine may have exchanged its slot's buffer. */
void group_find_bytes(struct group *group);

void groups_close(struct groups *groups); /* closes the engine too; groups may be zeroed */

/* The payload has n plaintext bytes and is or will be all in memory. */
void group_set_length(struct group *group, uint64_t n_bytes, bool whole_blocks);

/* In-place work on n_bytes of the payload from the start of a data unit; tags: with those of the chunks. */
struct work group_work(struct group *group, const struct mode *mode, size_t from, size_t n_bytes, bool tags);

/* Encrypt or decrypt n_bytes of the payload from the start of a data unit, in place.  tags: the engine leaves the
 * chunks' tags in group->tags, without their masks. */
int group_crypt(
        const struct groups *groups, unsigned lane, struct group *group, size_t from, size_t n_bytes, bool tags);

/* The same for all chunks in memory that are not holes. */
int group_crypt_chunks(const struct groups *groups, unsigned lane, struct group *group, bool tags);

/* Compute the tags of the chunks in memory without their masks, for group_tags() or group_find_damage(). */
int group_start_tags(struct group *group);

/* Complete the tags of the chunks in memory; started: after group_start_tags().  The tags of holes are zero. */
int group_tags(struct group *group, bool started);

/* Compute the tags and compare them with those of the page: *damaged is the number of the first chunk that is not as
 * the page says, or UINT_MAX. */
int group_find_damage(struct group *group, bool started, unsigned *damaged);

/* After group_tags(): has the chunk the page's tag (in constant time), or is it zero where the page has a hole? */
bool group_chunk_good(const struct group *group, unsigned chunk);

/* Bytes of the pieces in which the CPU reads and processes a group: whole chunks. */
size_t group_piece_bytes(const struct group *group);

/* Length of a chunk of the payload, in bytes; the last chunk may be shorter. */
size_t group_chunk_bytes(const struct group *group, unsigned chunk);

/* Chunks that are all zero may be stored as holes (gcrypt(5), "Holes"): they are neither encrypted nor tagged, and not
 * written to a file. */

/* Adjacent chunks: all of them are holes, or none is. */
struct extent {
	size_t from, n_bytes; /* position and length in the stored payload */
	bool hole;
};

/* Find the next extent in memory from `at` on; false at the end. */
bool group_next_extent(const struct group *group, size_t at, struct extent *extent);

bool group_has_holes(const struct group *group);

/* Mark the chunks in memory that are all zero as holes; all chunks if the group is hollow. */
void group_find_holes(struct group *group);

/* Write bytes from … to of the payload at an offset of the sink.  ends: the output ends with them; then a file gets its
 * length even if they end with a hole. */
int group_write(struct sink *sink, const struct group *group, size_t from, size_t to, uint64_t offset, bool ends);

/* Page and payload at an offset of the sink, without the holes. */
int group_write_whole(struct sink *sink, const struct group *group, uint64_t offset);

/* XTS in the inline layout: data units of 4096 bytes, numbered in the group. */
#define DATA_UNIT_LOG2 12

/* Number of threads that compute tags, or only add masks to the tags from an engine. */
unsigned tag_workers(const struct gpucrypt_plan *plan, bool started);

/* Number of threads that read pieces of the given size for an engine with the given number of devices. */
struct read_threads read_threads(const struct gpucrypt_plan *plan, unsigned devices, size_t piece_bytes);

#endif
