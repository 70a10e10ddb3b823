/*
 * The start record (gcrypt(5), "Start records"): which secret started to encrypt which source into an
 * unfinished container.
 *
 * A key slot alone proves only that somebody wrapped that file key for the secret, and a former recipient of
 * any container of the same passphrase or key file can copy such a slot.  The record's MAC is made with a key
 * that only the passphrase or the key file gives.
 */
#ifndef START_RECORD_H
#define START_RECORD_H

#include "gpucrypt/keys/header.h"
#include "gpucrypt/pipeline/source.h"

#define START_RECORD_BYTES HEADER_COPY_BYTES /* it may take the place of a header copy */
#define START_RECORD_MAGIC                                  \
	{                                                   \
		0x89, 'G', 'C', 'S', '\r', '\n', 0x1a, '\n' \
	}

enum start_found {
	START_NONE,    /* no record: a complete container, or one of a release without records */
	START_FOREIGN, /* a record whose MAC is not valid for this secret and header */
	START_CHANGED, /* made by this secret, for another source or for this one before it changed */
	START_OWN,     /* made by this secret for this header and source */
};

/* The properties that identify the source. */
enum start_source {
	START_UNCHANGED, /* device, inode, size, time of modification: the source is only read */
	START_IN_PLACE,  /* inode, size, time of creation: the source is being overwritten */
};

/* Does the record start with its magic number? */
bool start_record_form(const uint8_t record[8]);

/* The inputs of a record's MAC; no member is owned. */
struct start_binding {
	const uint8_t *copy;         /* the header copy as stored, with all key slots */
	const struct key_slot *slot; /* of that header, which the secret opens */
	const struct gpucrypt_secret *secret;
	const struct source *source;
	enum start_source how;
};

/* GPUCRYPT_USAGE for a secret that is not a passphrase or a key file. */
int start_record_make(uint8_t record[START_RECORD_BYTES], const struct start_binding *start);

/* Compare a record with the binding. */
int start_record_check(
        enum start_found *found, const uint8_t record[START_RECORD_BYTES], const struct start_binding *start);

/* GPUCRYPT_IO if the source (START_UNCHANGED) differs from the record. */
int start_record_unchanged(
        const uint8_t record[START_RECORD_BYTES], const struct source *source, const char *part_name);

/* Fails: GPUCRYPT_IO with the message "changed since …". */
int start_record_changed(const struct source *source, const char *part_name);

#endif
