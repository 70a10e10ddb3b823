/*
 * The start record (gcrypt(5), "Start records"): which secret started to encrypt which source into an
 * unfinished container.
 *
 * A key slot alone proves only that somebody wrapped that file key for the secret, and a former recipient of
 * any container of the same passphrase or key file can copy such a slot.  The record's MAC is made with a key
 * that only the passphrase or the key file gives.
 */
#ifndef GPUCRYPT_CONTAINER_START_RECORD_H
#define GPUCRYPT_CONTAINER_START_RECORD_H

#include <time.h>

#include "gpucrypt/container/group.h"

#define START_RECORD_BYTES    HEADER_COPY_BYTES /* it may take the place of a header copy */
#define START_RECORD_ID       32                /* offset of the random number of START_DECRYPTED_PARTS */
#define START_RECORD_ID_BYTES 16

enum start_found {
	START_NONE,    /* no record: a complete container, or one of a release without records */
	START_FOREIGN, /* a record whose MAC is not valid for this secret and header */
	START_CHANGED, /* made by this secret, for another source or for this one before it changed */
	START_OTHER,   /* made by this secret, with --part and without it */
	START_OWN,     /* made by this secret for this header and source */
};

/* The properties that identify the source; or for a decryption the file that is written, by the length of the source.
 */
enum start_source {
	START_UNCHANGED,       /* device, inode, size, time of modification: the source is only read */
	START_IN_PLACE,        /* inode, size, time of creation: the source is being overwritten */
	START_PARTS,           /* inode, size, time of modification: each node has another number for a shared device */
	START_DECRYPTED,       /* inode, size: an image in place */
	START_DECRYPTED_PARTS, /* inode, size, and a random number, as the inode may be used again */
};

/* The parts of a container that several runs write (parts.h). */
struct start_parts {
	uint64_t count;             /* 0: one run writes all groups */
	uint64_t align;             /* in bytes: where parts begin in the container; a power of 2 */
	uint8_t version[MAC_BYTES]; /* where a container is read (rekey, dec): MAC of its final page; else zero */
	bool update;                /* the joined container replaces this one (enc --update) */
};

/* A part that is complete; zero in a start record. */
struct part_done {
	uint64_t number;           /* from 1 to the count; 0: none */
	uint8_t digest[MAC_BYTES]; /* HMAC(K_root, MACs of its pages), where the final page has no root yet */
};

/* The inputs of a record's MAC; no member is owned. */
struct start_binding {
	const uint8_t *copy;         /* the header copy as stored, with all key slots */
	const struct key_slot *slot; /* of that header, which the secret opens */
	const struct gpucrypt_secret *secret;
	const uint8_t *root;         /* of a decryption, instead of these three: K_root of the container */
	const struct source *source; /* to check a record, NULL: any source */
	enum start_source how;
};

/* Of a header that this secret opened. */
static inline struct start_binding start_binding_of(const struct authenticated_header *header,
        const struct gpucrypt_secret *secret, const struct source *source, enum start_source how)
{
	return (struct start_binding){ .copy = header->bytes,
		.slot = &header->header.slots[header->slot],
		.secret = secret,
		.source = source,
		.how = how };
}

/* GPUCRYPT_USAGE for a secret that is not a passphrase or a key file. */
int start_record_make(
        uint8_t record[START_RECORD_BYTES], const struct start_binding *start, const struct start_parts *parts);

/* Compare a record with the binding. */
int start_record_check(
        enum start_found *found, const uint8_t record[START_RECORD_BYTES], const struct start_binding *start);

/* GPUCRYPT_IO if the source differs from the record. */
int start_record_unchanged(const uint8_t record[START_RECORD_BYTES], const struct source *source, enum start_source how,
        const char *part_name);

/* Of a start record whose MAC is valid: the parts, and the source's time of modification. */
struct start_parts start_record_parts(const uint8_t record[START_RECORD_BYTES]);
struct timespec start_record_time(const uint8_t record[START_RECORD_BYTES]);

/* The record of a part that is done: the start record with its number and digest. */
int part_record_make(uint8_t record[START_RECORD_BYTES], const uint8_t start_record[START_RECORD_BYTES],
        const struct start_binding *start, const struct part_done *part);

/* Fails: GPUCRYPT_IO with the message "changed since …". */
int start_record_changed(const struct source *source, const char *part_name);

/* An unfinished container (enc --resume, --part): its header, and the start record in the place of copy B. */
struct started {
	uint8_t copies[2 * HEADER_COPY_BYTES]; /* as stored */
	struct authenticated_header header;
	struct file_keys keys;
	enum start_found record; /* how the start record and the given source agree */
};

void started_close(struct started *started); /* wipes the keys */

/* The file's header and start record, of the first secret of a list; source NULL: of any source.  *there: the file
 * is not empty.  GPUCRYPT_EXISTS if it does not begin as a container, else the errors of header_unlock(). */
int started_open(struct started *started, bool *there, struct source *file, const struct gpucrypt_secret *secret,
        const struct source *source, enum start_source how);

/* Were options, recipients and the source's size, which the writer has, the same at the start?  Then the writer gets
 * header and keys.  GPUCRYPT_USAGE, GPUCRYPT_IO; file has the header. */
int started_continue(struct group_writer *writer, const struct started *started, const struct source *file,
        const struct gpucrypt_secret *secret);

/* Length of the complete container.  Bytes after it would follow the last group: cut them off. */
uint64_t started_bytes(const struct started *started);
int started_truncate(const struct started *started, struct source *file);

#endif
