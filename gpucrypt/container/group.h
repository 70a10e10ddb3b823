/* One group of a container in the pipeline; and readers and writers of groups. */
#ifndef GPUCRYPT_CONTAINER_GROUP_H
#define GPUCRYPT_CONTAINER_GROUP_H

#include "gpucrypt/container/container.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/pipeline/source.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/pipeline/sink.h"

struct old_groups;

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

/* Reads a container's groups, through the pipeline or one by one; common to all readers. */

struct group_reader {
	struct source *source;
	struct sink *sink;                        /* NULL: only authenticate */
	const struct gpucrypt_progress *progress; /* or NULL */
	struct lookahead input;
	struct suite suite;
	struct authenticated_header header;
	struct file_keys keys;
	struct groups groups;
	struct running_hmac root;     /* over the page MACs so far */
	uint8_t final_mac[MAC_BYTES]; /* of the final page, once root and length are checked; see range_begin() */
	bool ended;
	bool source_has_holes; /* the file system reports holes in the source */
	bool by_pieces;        /* the thread that authenticates a group also reads it, and on the CPU decrypts it */
	/* Decrypts the chunks of a group that are in memory, and encrypts them again; NULL: they are only decrypted. */
	int (*recrypt)(struct group_reader *reader, unsigned worker, struct group *group);
	bool partial; /* only chunks with bytes from … to are read, by position; the root is not checked */
	uint8_t digest[MAC_BYTES]; /* partial: HMAC(K_root, MACs of the pages read), once all are read */
	uint64_t from, to;         /* range in the plaintext; else 0 and UINT64_MAX */
	uint64_t origin;           /* partial: the byte of the plaintext that the sink gets at 0 */
	uint64_t plaintext_bytes;  /* partial: of the whole, from the start; else known once the final page is */
};

/* For all of a source. */
struct group_reader reader_of(struct source *source, struct sink *sink, const struct gpucrypt_progress *progress);
void reader_close(struct group_reader *reader); /* wipes the reader */

/* Unlock the header, copy a warning about a damaged header copy to the report, find the header's suite, and set the
 * layout of a detached source. */
int reader_begin(struct group_reader *reader, const struct gpucrypt_secret *secret, struct report *report);

/* Make it a partial reader: unlock the container, authenticate the final page, and set plaintext_bytes and final_mac.
 * GPUCRYPT_USAGE for a pipe. */
int range_begin(struct group_reader *reader, const struct gpucrypt_secret *secret, struct report *report);

/* Open the engine that the sink needs: none if there is none, but for padding.  The report, or NULL, names it. */
int reader_open_engine(struct group_reader *reader, const struct gpucrypt_plan *plan, struct report *report);

static inline uint64_t reader_page_offset(const struct group_reader *reader, uint64_t group)
{
	return layout_page_offset(reader->header.header.group_log2, group);
}

/* Call this before groups are released. Does every group of an image have a page, and does the sink accept the content?
 * */
int reader_check_sizes(const struct group_reader *reader);

/* Fail with GPUCRYPT_CORRUPT and a message that names the file and the byte offset of the damage. */
int reader_corrupt(const struct group_reader *reader, uint64_t group, uint64_t offset_in_group, const char *what);

/* The keys of the group whose page is in group->bytes, and the page, authenticated by them. */
int reader_open_page(const struct group_reader *reader, struct group *group, uint64_t number);

/* The same, after reading the page to group->bytes. */
int reader_read_page(const struct group_reader *reader, struct group *group, uint64_t number);

/* Find how many threads may read groups at the same time, and if the source is slow; the header must be known. */
int reader_threads(struct group_reader *reader, const struct gpucrypt_plan *plan, unsigned *readers, bool *slow);

/* The stages read, tag and engine, after which a group is authentic and decrypted, and the slots that they need. */
#define READER_STAGES 3
int reader_stages(struct group_reader *reader, const struct gpucrypt_plan *plan, struct stage stages[READER_STAGES],
        unsigned *slots);

/* In order; with the final page the root, and the length, are compared.  The job's stage, and for one page.  The stage
 * of a partial reader only computes the digest. */
int reader_check_root_page(struct group_reader *reader, const struct group *group, uint64_t item);
int reader_check_root(void *job, unsigned worker, unsigned slot, uint64_t item);

/* Compare the tag of each chunk in memory with the page. */
int reader_check_chunks(const struct group_reader *reader, struct group *group, uint64_t item);

/* The padding of the last block must be zero. */
int reader_check_padding(
        const struct group_reader *reader, const struct group *group, const uint8_t *padding, uint64_t item);

/* Pass the groups from `first` on through all stages.  A partial reader can run again for another range. */
int reader_run(struct group_reader *reader, const struct gpucrypt_plan *plan, uint64_t first, struct report *report);

/* Writes a container's groups, through the pipeline or one by one; common to all writers. */

struct group_writer {
	struct source *source;
	struct source *part;    /* part file with the groups of an earlier run (parts/parts.h); NULL: none; not owned */
	struct old_groups *old; /* of the container that is updated (update.h); NULL: none; not owned */
	struct sink *sink;      /* NULL: nothing is written */
	const struct gpucrypt_progress *progress; /* or NULL */
	struct lookahead input;
	struct suite suite;
	struct header header;
	struct file_keys keys;
	struct groups groups;  /* without an engine: the source is ciphertext already (retag) */
	bool sparse;           /* chunks of zeros become holes */
	bool source_has_holes; /* sparse, and the file system reports holes in the source */
	bool by_pieces;        /* a thread encrypts each piece that it reads while the second-level cache has it */
	bool ranged;           /* only the groups first … end - 1 are written, and the final page gets no root */
	uint64_t first, end;   /* not ranged: 0 */
	uint64_t kept_bytes;   /* plaintext of groups that an earlier run wrote */
	uint64_t n_unread;     /* number of kept groups of which only the page was read */
	uint64_t n_written, written_bytes; /* groups that were not kept, and the bytes of their pages and payloads */
	struct running_hmac root;          /* over the page MACs so far */
	uint8_t final_mac[MAC_BYTES];      /* of the final page, once it is sealed */
	uint8_t digest[MAC_BYTES];         /* ranged: HMAC(K_root, page MACs), once all are sealed */
};

/* For all of a source. */
struct group_writer writer_of(struct source *source, struct sink *sink, const struct gpucrypt_progress *progress);
void writer_close(struct group_writer *writer); /* wipes the writer */

/* Suite and header, without salt and slots, by the plan.  GPUCRYPT_USAGE. */
int writer_describe(struct group_writer *writer, struct gpucrypt_plan plan);

/* A new file key in a slot for each secret, and two equal copies of the header. */
int writer_make_header(
        struct group_writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret);

/* Plaintext bytes of the groups that the writer writes; UINT64_MAX: not known. */
uint64_t writer_bytes(const struct group_writer *writer);

/* GPUCRYPT_IO if the sink has no room for the container. */
int writer_check_room(const struct group_writer *writer);

/* The first secret of a list has unlocked the header of an unfinished container: was the header made for the other
 * secrets, which all are public keys?  GPUCRYPT_USAGE; file has the header. */
int writer_check_recipients(
        const struct source *file, const struct header *started, const struct gpucrypt_secret *recipients);

/* Set a group's stored bytes, and whether it is the last group, by the length in the header. */
void writer_place_group(const struct group_writer *writer, struct group *group, uint64_t number);

/* After that: is the page in group->bytes the authentic one of this group; and does the payload have its tags?  No
 * failure remains set. */
bool writer_page_good(const struct group_writer *writer, struct group *group, uint64_t number);
bool writer_payload_good(struct group *group);

/* Stages of a job that is a group_writer: encryption with a fresh salt, the page's tags; in order, root and MAC of the
 * page; output; progress. */
int writer_encrypt(void *job, unsigned worker, unsigned slot, uint64_t item);
int writer_tag(void *job, unsigned worker, unsigned slot, uint64_t item);
int writer_seal(void *job, unsigned worker, unsigned slot, uint64_t item);
int writer_write(void *job, unsigned worker, unsigned slot, uint64_t item);
int writer_report(void *job, unsigned worker, unsigned slot, uint64_t item);

/* Pass all groups through all stages.  A ranged writer can run again for another range. */
int writer_run(struct group_writer *writer, const struct gpucrypt_plan *plan, struct report *report);

#endif
