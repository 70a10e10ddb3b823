/* The container's header: two copies of 8192 bytes, with key slots (gcrypt(5), "Header"). */
#ifndef GPUCRYPT_KEYS_HEADER_H
#define GPUCRYPT_KEYS_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "gpucrypt/keys/slot.h"

#define HEADER_COPY_BYTES  8192
#define HEADER_MAGIC_BYTES 8                               /* a copy begins with them */
#define HEADER_MAC         (HEADER_COPY_BYTES - MAC_BYTES) /* offset of the MAC over all bytes before the MAC */
#define HEADER_SEQUENCE    64                              /* offset of the sequence number */
#define KEY_SLOTS_START    480
#define LENGTH_UNKNOWN     UINT64_MAX

#define CONTENT_BYTES      0
#define CONTENT_PAX        1
#define CONTENT_PAX_ZSTD   2
#define CONTENT_BYTES_ZSTD 3
#define CONTENT_MANIFEST   4
#define TAG_POLY1305_AES   1

bool slot_labels_any(const struct key_slot *slots);

struct header {
	union {
		uint8_t parameters[9]; /* in the order of P in gcrypt(5) */
		struct {
			uint8_t layout, content, cipher_id, key_bytes, mode_id, tag_id;
			uint8_t chunk_log2, group_log2, sector_log2;
		};
	};
	uint8_t version;
	uint32_t flags;
	uint64_t plaintext_bytes; /* LENGTH_UNKNOWN: a pipe */
	uint8_t file_salt[SALT_BYTES];
	uint64_t sequence;
	struct key_slot slots[N_KEY_SLOTS];
};

/* Is it a directory tree? */
static inline bool content_is_tree(unsigned content)
{
	return content == CONTENT_PAX || content == CONTENT_PAX_ZSTD;
}

extern const uint8_t header_magic[HEADER_MAGIC_BYTES];

/* In an unfinished container a start record (gcrypt(5), "Start records") is in the place of copy B. */
#define START_RECORD_MAGIC                                  \
	{                                                   \
		0x89, 'G', 'C', 'S', '\r', '\n', 0x1a, '\n' \
	}

/* Does the record start with its magic number? */
bool start_record_form(const uint8_t record[HEADER_MAGIC_BYTES]);

/* State of both header copies. */
struct header_copies {
	bool good[2];   /* valid form; in an authenticated header, valid MAC too */
	bool older[2];  /* good, but with a lower sequence number than the other copy, or with the
	                 * same one and other bytes */
	char note[128]; /* "" or a warning: a damaged or older copy, skipped slots */
};

/* A header with valid form, but not authenticated: an attacker may have chosen every field.  Display it; never encrypt,
 * decrypt or choose by it. */
struct examined_header {
	struct header unauthenticated; /* of the good copy with the highest sequence number */
	struct header_copies copies;
	bool agreed; /* the well-formed copies have the same bytes 0 to 63: authentication cannot change them */
};

/* A header whose MAC holds under the file key.  Only header_unlock() makes one, and only from one do
 * readers and writers take cipher, mode, layout and sizes. */
struct authenticated_header {
	struct header header;             /* of the good copy with the highest sequence number */
	uint8_t bytes[HEADER_COPY_BYTES]; /* that copy as stored; P is its first 64 bytes */
	struct header_copies copies;
	int slot;                             /* number of the slot that was opened */
	unsigned opened;                      /* number of the recipient that was opened (recipient_read()) */
	const struct gpucrypt_secret *opener; /* the secret that opened it; not owned */
};

/* Encode one copy without MAC.  GPUCRYPT_USAGE: no slot is free for the labels. */
int header_encode(uint8_t copy[HEADER_COPY_BYTES], const struct header *header);

/* Set the MAC, under K_hdr. */
int header_seal(uint8_t copy[HEADER_COPY_BYTES], const struct file_keys *keys);

/* Form only, no key: magic, version, ranges, zero fields.  GPUCRYPT_CORRUPT or GPUCRYPT_UNKNOWN. */
int header_decode(struct header *header, const uint8_t copy[HEADER_COPY_BYTES]);

/* Decode both copies.  GPUCRYPT_CORRUPT or GPUCRYPT_UNKNOWN if neither has a valid form. */
int header_examine(struct examined_header *examined, const uint8_t copies[2 * HEADER_COPY_BYTES]);

/* Both copies with a secret, or a list of private keys (gcrypt(5), "Reading" 1): find the slot, check the MACs,
 * derive the keys, which the caller wipes.  GPUCRYPT_NO_KEY if no slot opens, GPUCRYPT_CORRUPT if no MAC
 * holds. */
int header_unlock(struct authenticated_header *header, struct file_keys *keys,
        const uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret);

/* What header_unlock() returned, and for what: the same copies need not be unlocked by the same secret again. */
struct unlocked {
	const struct gpucrypt_secret *secret;
	const uint8_t *copies; /* both; not owned */
	struct authenticated_header header;
	struct file_keys keys; /* wiped by the owner */
};

/* GPUCRYPT_CORRUPT if the copy whose MAC is wrong is authentic under another file key of the same secret: the copies
 * are of two containers, it is not known to which of them the groups belong, and neither copy may be overwritten. */
int header_check_mixed(const struct authenticated_header *header, const uint8_t copies[2 * HEADER_COPY_BYTES],
        const struct gpucrypt_secret *secret);

/* A copy is damaged or older than the other. */
bool header_needs_repair(const struct header_copies *copies);

#endif
