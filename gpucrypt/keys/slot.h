/* Key slots: the file key, encrypted under one secret (gcrypt(5), "Key slots").  Each type is a row of a table. */
#ifndef GPUCRYPT_KEYS_SLOT_H
#define GPUCRYPT_KEYS_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpucrypt/crypto/keys.h"

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

#endif
