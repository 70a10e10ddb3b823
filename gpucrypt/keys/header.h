/* The container's header: key slots, each with the file key encrypted under one secret, in two copies of the header
 * (gcrypt(5), "Header", "Key slots"); and its recipients.  Each type of slots is a row of a table. */
#ifndef GPUCRYPT_KEYS_HEADER_H
#define GPUCRYPT_KEYS_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/pipeline/source.h"

#define N_KEY_SLOTS     8 /* of a header */
#define KEY_SLOT_BYTES  960
#define KEY_ID_BYTES    8
#define SLOT_ROOM       912  /* bytes of a slot's body */
#define MAX_SLOT_BODY   1128 /* of two slots */
#define MAX_RSA_BYTES   512
#define MAX_LABEL_BYTES 96

/* log2 N of scrypt for writers: limits, and the default. */
#define SCRYPT_LOG2_N_MIN     10
#define SCRYPT_LOG2_N_MAX     20
#define SCRYPT_LOG2_N_DEFAULT 17

/* A secret opens slots of its number; types from 16 on hold no secret of their own. */
enum {
	SLOT_UNUSED,
	SLOT_PASSPHRASE,
	SLOT_KEY_FILE,
	SLOT_X25519,
	SLOT_RSA_OAEP,
	SLOT_P256,
	SLOT_X25519_ML_KEM,
	SLOT_LABELS = 16,
	SLOT_SHARED = 17,
	SLOT_CONTINUED = 18 /* the rest of the body of the slot before */
};

/* Of a slot of a later release, body has all bytes. */
struct key_slot {
	uint8_t type;
	uint8_t log2_n, p;            /* scrypt cost, type 1 */
	uint8_t key_id[KEY_ID_BYTES]; /* types 3 to 6 */
	uint8_t salt[SALT_BYTES];     /* types 3, 5, 6: ephemeral public key; type 4: zero */
	bool incomplete;              /* the next slot is not its continuation, so it does not open */
	uint16_t body_bytes;
	uint8_t body[MAX_SLOT_BODY];
	/* "": none.  Any bytes but zero: whoever prints a label removes control characters.  In the file all labels are
	 * in a slot of their own type, which earlier releases skip (gcrypt(5), "Labels"). */
	char label[MAX_LABEL_BYTES + 2]; /* a terminator, and no padding behind it */
};

/* Is the slot for a secret, perhaps of a later release? */
static inline bool key_slot_used(const struct key_slot *slot)
{
	return slot->type != SLOT_UNUSED && slot->type != SLOT_LABELS && slot->type != SLOT_CONTINUED;
}

struct slot_type {
	const char *name;   /* for people */
	const char *secret; /* the kind of secret that opens the slot, for messages */
	bool has_cost, has_key_id, has_salt;
	uint16_t least_body_bytes, most_body_bytes;
	/* NULL for RSA, which encrypts the file key itself.  Else the KEK, under which the file key is wrapped at the
	 * end of the body: of a slot, and of a new one, whose salt and start of the body send() fills.  Precondition:
	 * the slot's type and cost are set. */
	int (*receive)(uint8_t kek[32], const struct key_slot *slot, const struct gpucrypt_secret *secret,
	        const uint8_t file_salt[SALT_BYTES]);
	int (*send)(uint8_t kek[32], struct key_slot *slot, const struct gpucrypt_secret *secret,
	        const uint8_t file_salt[SALT_BYTES]);
};

/* NULL: SLOT_UNUSED, or of a later release. */
const struct slot_type *slot_type_of(unsigned type);

/* Result of scrypt for a salt and cost. */
struct scrypt_result {
	bool there, own_salt; /* own_salt: chosen in this run, so that new slots may share it */
	unsigned log2_n, p;
	uint8_t salt[SALT_BYTES], kek[32];
};

/* A secret that needs a question to the user: a protected private key, or another try of a passphrase.  header_unlock()
 * asks only if no slot opens with the secrets that are known. */
struct locked_secret {
	struct gpucrypt_secret public; /* the public key; for a passphrase only the type; type 0: not known */
	const char *name;              /* of its file, for messages; not owned */
	bool asked;                    /* do not ask again; set by open() */
	/* Ask.  *secret: the first of the new secrets, which are linked by next and stay owned by the callee.
	 * GPUCRYPT_NO_KEY: a wrong answer; GPUCRYPT_USAGE: there is no terminal. */
	int (*open)(struct locked_secret *self, const struct gpucrypt_secret **secret);
	struct locked_secret *next; /* not owned */
};

/* State that the library keeps for a secret: the last results of scrypt, as many as a header has slots, because the
 * next file of a run may need a result again; and the locked secrets. */
struct gpucrypt_derived {
	struct scrypt_result results[8];
	unsigned next;                /* index of the result to replace next */
	struct locked_secret *locked; /* not owned */
};

/* Number of slots, one after the other, that a slot of this type takes. */
static inline unsigned key_slot_span(unsigned type)
{
	return type == SLOT_X25519_ML_KEM ? 2 : 1;
}

/* bytes is zeroed before, as far as the slot's span goes.  Decoding checks every field (GPUCRYPT_CORRUPT).  next: the
 * slot behind; NULL: none. */
void key_slot_encode(uint8_t *bytes, const struct key_slot *slot);
int key_slot_decode(struct key_slot *slot, const uint8_t bytes[KEY_SLOT_BYTES], const uint8_t *next);

/* The functions below take no shared slot, but its members (recipient_read()). */

/* Does a slot of this type name the public key that it is for, unless it is anonymous? */
bool slot_names_key(unsigned type);

/* Is the slot for a public key that it does not name? */
bool key_slot_anonymous(const struct key_slot *slot);

enum slot_fit {
	FITS_NOT,
	MAY_FIT, /* a passphrase, a key file, or an anonymous slot for a public key */
	FITS_KEY /* the slot names this public key */
};

/* By the type and the key id of a secret; the id of a type without ids is not read. */
enum slot_fit key_slot_fit(const struct key_slot *slot, unsigned type, const uint8_t key_id[KEY_ID_BYTES]);

/* Is the slot of the secret's type, and if that has key ids, does it name this key? */
bool key_slot_fits(const struct key_slot *slot, const struct gpucrypt_secret *secret);

/* KEK of the last ephemeral key, with one secret and one file salt: members of a group have one ephemeral key.  The
 * caller zeroes this structure before the first recipient, and wipes it after the last. */
struct last_kek {
	bool there;
	int status;
	uint8_t salt[SALT_BYTES], kek[32];
};

/* Get the file key; GPUCRYPT_NO_KEY: the secret does not open the slot.  last: NULL for a single slot. */
int key_slot_open(uint8_t file_key[FILE_KEY_BYTES], const struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES], struct last_kek *last);

/* Fill an unused slot so that this secret opens it, or its private key if it is a public one, with the secret's label.
 * log2_n: cost of a passphrase; else unused. */
int key_slot_make(struct key_slot *slot, const struct gpucrypt_secret *secret, const uint8_t file_key[FILE_KEY_BYTES],
        const uint8_t file_salt[SALT_BYTES], unsigned log2_n);

/* K_start and K_manifest (gcrypt(5), "Start records", "Manifests"), by label: derived from the KEK of a slot for a
 * passphrase or a key file.  File keys of the secret are not enough to derive them.  GPUCRYPT_USAGE for other types:
 * anybody can make a slot for a public key, with a KEK of his choice. */
int key_slot_bound_key(uint8_t key[32], const struct key_slot *slot, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES], const char *label);

/* GPUCRYPT_USAGE for a secret with which no slot can be made or opened. */
int secret_form(const struct gpucrypt_secret *secret);

/* The cost of scrypt: chosen for this machine when a slot is made, limited when a slot is tried. */
#define KDF_AUTO              (~0u) /* in a secret's scrypt_log2_n: one second on this machine */
#define KDF_TARGET_S          1.0
#define MAX_KDF_BYTES_DEFAULT (UINT64_C(1) << 30)

/* log2 N of new slots for this secret: its own, measured for KDF_AUTO, else the default. */
int kdf_cost(unsigned *log2_n, const struct gpucrypt_secret *secret);

/* The cost nearest to the target, by ratio, if 2^trial_log2_n took trial_s; at most SCRYPT_LOG2_N_MAX and half of
 * memory_bytes. */
unsigned kdf_cost_for(unsigned trial_log2_n, double trial_s, uint64_t memory_bytes);

/* Limits for readers: 128·8·N ≤ the secret's max_kdf_bytes, and the sum of N·p over all tried slots at most twice the
 * greatest allowed N.  An allowed cost is added to *spent. */
bool kdf_allowed(const struct gpucrypt_secret *secret, unsigned log2_n, unsigned p, uint64_t *spent);

/* The container's header: two copies of 8192 bytes, with key slots (gcrypt(5), "Header"). */

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

/* Recipients, who can open a header: each has a slot of its own, or is a member of a shared slot. */

/* A shared slot (gcrypt(5), "Shared slots"): its body is a sequence of groups, whose members are of one type and have
 * one ephemeral key. */
#define SHARED_GROUP_BYTES  34 /* before the members: type, number of members, ephemeral public key */
#define SHARED_MEMBER_BYTES (KEY_ID_BYTES + WRAPPED_BYTES)
#define MAX_MEMBERS         ((SLOT_ROOM - SHARED_GROUP_BYTES) / SHARED_MEMBER_BYTES)
#define MAX_RECIPIENT_SLOTS (N_KEY_SLOTS * MAX_MEMBERS) /* recipients of one header at most */

/* Is the body a sequence of whole groups? */
bool shared_slot_form(const uint8_t *body, size_t n_body);

/* Can a slot with this secret be a member? */
static inline bool slot_sharable(unsigned type)
{
	return type == SLOT_X25519 || type == SLOT_P256;
}

/* Make a slot of a sharable type a member of a shared or unused slot, which has room. */
void shared_slot_append(struct key_slot *shared, const struct key_slot *member);

/* Recipients of a slot: 0 of an unused one, and 1 unless it is shared. */
unsigned key_slot_members(const struct key_slot *slot);

struct recipient {
	unsigned slot, member;
	bool shared;         /* else member is 0 */
	struct key_slot key; /* as in a slot of its own; of a later release: only the type */
};

/* The recipient of this number, from 0 on, among those of a header's N_KEY_SLOTS slots.  False: there are fewer. */
bool recipient_read(struct recipient *recipient, const struct key_slot *slots, unsigned number);

/* The number of a member of a used slot. */
unsigned recipient_number(const struct key_slot *slots, unsigned slot, unsigned member);

/* Does the secret open the recipient's slot, which may be for it?  last: as of key_slot_open(). */
bool recipient_opens(const struct key_slot *key, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES], struct last_kek *last);

/* Recipients of one header, by their number. */
struct recipient_set {
	bool has[MAX_RECIPIENT_SLOTS];
};

/* Add those that name this public or private key; with try, also the anonymous ones that a private key opens. */
void recipient_set_add_key(
        struct recipient_set *set, const struct header *header, const struct gpucrypt_secret *secret, bool try);
bool recipient_set_empty(const struct recipient_set *set);

/* Make a slot for each of the linked secrets.  If there are too few, X25519 and P-256 recipients without a label share
 * slots, and those that are in the header already may be moved into a shared one.  GPUCRYPT_USAGE: even then there are
 * too few, or a secret is malformed; then the header must not be used. */
int header_add_recipients(
        struct header *header, const struct gpucrypt_secret *secrets, const uint8_t file_key[FILE_KEY_BYTES]);

/* Remove recipients by their numbers before.  Continuations whose slot a release that does not know them has removed
 * become unused. */
void header_remove_recipients(struct header *header, const struct recipient_set *removed);

/* Adding and removing key slots of an existing container (gcrypt(5), "Writing").  Its payload is neither read nor
 * written, and at each moment one copy of the header is whole. */

/* A change of key slots; the file is open for reading and writing. */
struct key_change {
	const struct gpucrypt_secret *secret; /* unlocks the container */
	const struct gpucrypt_secret *add;    /* a list; a slot is added for each; or NULL */
	/* What is removed, in the same write: */
	int remove;             /* number of a slot; -1: none */
	unsigned remove_member; /* of that slot, which is shared, counted from 1; 0: the whole slot */
	const struct gpucrypt_secret *remove_keys; /* the slots of these public keys; or NULL */
	const char *remove_label;                  /* the slot with this label; or NULL */
	bool replace;                              /* the slot that `secret` opens; its label stays */
	bool allow_none;                           /* no slot may remain, which destroys the content */
	/* Set by key_change(): who was removed, and 1 << number of each slot whose recipient shares another one now. */
	struct recipient_set removed;
	unsigned shared;
};

/* Write both copies anew, which also repairs a damaged or older one; *old becomes the header before the change.
 * GPUCRYPT_USAGE, with nothing changed: no slot is free, what to remove is unused or the last slot, a secret to add has
 * a slot already, or no sequence number is left.  GPUCRYPT_IO also while another process changes slots. */
int key_change(struct source *file, struct key_change *change, struct authenticated_header *old);

#endif
