/*
 * A manifest: what a run has encrypted, a record for each file, in a container of its own (content 4, gcrypt(5)).  The
 * text is JSON, a line for the manifest and one for each record.
 */
#ifndef CLI_MANIFEST_MANIFEST_H
#define CLI_MANIFEST_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "command/program.h"
#include "cli/files/input.h"
#include "gpucrypt/gpucrypt.h"
#include "gpucrypt/keys/header.h"

#define DIGEST_BYTES        32
#define MANIFEST_MAC_DIGITS 64
#define TIME_TEXT           32

struct manifest_record {
	char *name, *container; /* owned; as the run named them: relative to its working folder */
	uint64_t size_bytes;
	uint64_t container_bytes;     /* size of the container; 0: not recorded */
	struct timespec mtime, ctime; /* of the file when it was opened */
	uint8_t digest[DIGEST_BYTES]; /* of the container, as verify prints it */
	size_t number;                /* set by manifest_add(): the order of the records with one name */
};

struct manifest {
	struct manifest_record *records; /* owned; sorted by name after manifest_sort() and manifest_read() */
	size_t n, room;
	char time[TIME_TEXT]; /* when the file was written, UTC; of several files the oldest time */
	const char *disputed; /* set by manifest_sort(): a name that had records of two containers; NULL: none */
	bool exists;          /* the manifest was read from a file, or written to one */
	bool shows_unbound;   /* set by the caller, which only shows the records: keep them without a valid MAC */
	bool unbound;         /* a file that was read has no valid MAC of the secret */
	char *lock_name;      /* owned; NULL: not locked */
	int lock_fd;
};

/* The time now, UTC, for people and machines. */
void time_text(char text[TIME_TEXT]);

/* Add a record whose names are copied. */
void manifest_add(struct manifest *manifest, const struct manifest_record *record);

/* Sort by name; of records with one name the last one that was added stays. */
void manifest_sort(struct manifest *manifest);

/* Of a sorted manifest; NULL: no record. */
struct manifest_record *manifest_find(const struct manifest *manifest, const char *name);

/* Is the recorded container where it was?  It is a regular file whose final page has the recorded MAC; nothing else of
 * it is read. */
bool manifest_has_container(const struct manifest_record *record);

/* Forget all records. */
void manifest_forget(struct manifest *manifest);

void manifest_record_free(struct manifest_record *record); /* its names */
void manifest_free(struct manifest *manifest);             /* and unlock; zeroed is fine */

/* The text, which the caller frees. */
char *manifest_format(const struct manifest *manifest);

/* Add the records of an authenticated text, which ends with a zero byte; file is the name in messages.  Errors:
 * GPUCRYPT_UNKNOWN, also for a part of a manifest, which only earlier releases wrote; GPUCRYPT_CORRUPT. */
int manifest_parse(struct manifest *manifest, const char *text, const char *file);

/* Keep other runs from writing the file, until manifest_free(): FILE.lock is made and locked.  GPUCRYPT_EXISTS: another
 * run holds the lock. */
int manifest_lock(struct manifest *manifest, const char *file);
void manifest_unlock(struct manifest *manifest); /* for manifest_free() */

/* Set, or check, the MAC of the text.  Its key comes from the secret's slot in a header copy, or from the slot that
 * opened the header; both functions overwrite the MAC's digits in the text.  GPUCRYPT_USAGE for a secret that is
 * neither a passphrase nor a key file. */
int manifest_mac_set(char *text, const uint8_t copy[HEADER_COPY_BYTES], const struct gpucrypt_secret *secret);
bool manifest_mac_holds(char *text, const struct authenticated_header *header);

/* Read and authenticate the file, and add its records to the manifest.  If the file's text is not bound to the
 * secret, all records are dropped, unless shows_unbound is set: anyone who knows another file key of the secret could
 * have made the file. */
int manifest_read(struct manifest *manifest, const char *file, const struct gpucrypt_secret *secret);

/* GPUCRYPT_USAGE: the manifest has more recipients and other secrets than these linked ones, of which the first opens
 * it: some would lose it. */
int manifest_check_slots(const char *file, const struct gpucrypt_secret *secrets);

/* Write the file in one step, for the secrets.  GPUCRYPT_EXISTS if it was not there before, and is now. */
int manifest_write(struct manifest *manifest, const char *file, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secrets, const struct key_files *keys);

#endif
