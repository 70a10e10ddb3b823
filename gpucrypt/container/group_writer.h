/* Writes a container's groups, through the pipeline or one by one; common to all writers. */
#ifndef GPUCRYPT_CONTAINER_GROUP_WRITER_H
#define GPUCRYPT_CONTAINER_GROUP_WRITER_H

#include "gpucrypt/container/container.h"
#include "gpucrypt/container/group.h"
#include "gpucrypt/pipeline/pipeline.h"

struct old_groups;

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
