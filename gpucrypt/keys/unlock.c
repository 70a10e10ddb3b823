/* Reading a header from its two copies, without a key and with one (gcrypt(5), "Reading" 1). */
#include "gpucrypt/keys/header.h"

#include <openssl/crypto.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

struct copy {
	const uint8_t *bytes;
	struct header header;
	bool good;
	struct file_keys keys; /* once a file key is tried */
};

struct unlock {
	struct copy copies[2];
	struct authenticated_header *header; /* and keys: set when found */
	struct file_keys *keys;
	bool found; /* the file key of a recipient that opened authenticates a header, and the slot is in it */
	const struct gpucrypt_secret *secret;
	uint8_t key_id[KEY_ID_BYTES];       /* of a private key; zero: it has none */
	uint64_t spent;                     /* sum of N·p so far */
	unsigned n_secrets, opened, costly; /* slots: opened without a valid MAC; skipped for their cost */
	struct last_kek last;               /* of this secret and copy */
	unsigned guesses[2], not_tried; /* private keys on slots that name no key, by copy; and those over the limit */
};

/* If neither copy has a valid form, the copy of a later release is reported rather than the damaged one. */
static int decode_both(struct copy copies[2], const uint8_t *bytes)
{
	int status[2];
	unsigned worse;

	for (unsigned i = 0; i < 2; i++) {
		fail_clear();
		copies[i].bytes = bytes + i * HEADER_COPY_BYTES;
		status[i] = header_decode(&copies[i].header, copies[i].bytes);
		copies[i].good = status[i] == GPUCRYPT_OK;
	}
	fail_clear();
	if (copies[0].good || copies[1].good)
		return GPUCRYPT_OK;
	worse = status[0] != GPUCRYPT_UNKNOWN && status[1] == GPUCRYPT_UNKNOWN;
	return header_decode(&copies[worse].header, copies[worse].bytes);
}

/* The good copy with the higher sequence number.  Precondition: at least one copy is good. */
static unsigned newest(const struct copy copies[2])
{
	if (!copies[0].good)
		return 1;
	return copies[1].good && copies[1].header.sequence > copies[0].header.sequence;
}

static struct header_copies compare_copies(const struct copy copies[2])
{
	unsigned other = 1 - newest(copies);
	struct header_copies result = { .good = { copies[0].good, copies[1].good } };

	result.older[other] = copies[other].good && memcmp(copies[0].bytes, copies[1].bytes, HEADER_COPY_BYTES) != 0;
	if (!copies[other].good || result.older[other])
		snprintf(result.note, sizeof result.note, "header copy %c is %s", "AB"[other],
		        copies[other].good ? "older than the other" : "damaged");
	return result;
}

bool header_needs_repair(const struct header_copies *copies)
{
	return !copies->good[0] || !copies->good[1] || copies->older[0] || copies->older[1];
}

int header_examine(struct examined_header *examined, const uint8_t copies[2 * HEADER_COPY_BYTES])
{
	struct copy both[2];
	int status = decode_both(both, copies);

	if (status != GPUCRYPT_OK)
		return status;
	examined->unauthenticated = both[newest(both)].header;
	examined->copies = compare_copies(both);
	examined->agreed = !both[0].good || !both[1].good || memcmp(both[0].bytes, both[1].bytes, HEADER_P_BYTES) == 0;
	return GPUCRYPT_OK;
}

/* Each copy's keys are derived from its own P; a copy with a wrong MAC is no longer good. */
static int check_macs(struct copy copies[2], const uint8_t file_key[FILE_KEY_BYTES])
{
	uint8_t mac[MAC_BYTES];
	int status = GPUCRYPT_OK;

	for (struct copy *copy = copies; copy < copies + 2 && status == GPUCRYPT_OK; copy++) {
		if (!copy->good)
			continue;
		status = file_keys_derive(&copy->keys, file_key, copy->bytes)
		                 ?: hmac_sha256(mac, copy->keys.header, copy->bytes, HEADER_MAC);
		copy->good = status == GPUCRYPT_OK && CRYPTO_memcmp(mac, copy->bytes + HEADER_MAC, MAC_BYTES) == 0;
	}
	wipe(mac, sizeof mac);
	return status;
}

_Static_assert(sizeof(struct key_slot) == offsetof(struct key_slot, body) + MAX_SLOT_BODY + MAX_LABEL_BYTES + 2,
        "without padding, equal slots have equal bytes");

/* Find the slot, of the first n, that equals slot i of a copy but for the label.  Returns its number; -1: none. */
static int find_slot(const struct copy *in, unsigned n, const struct copy *of, unsigned i)
{
	for (unsigned j = 0; j < n; j++)
		if (memcmp(&in->header.slots[j], &of->header.slots[i], offsetof(struct key_slot, label)) == 0)
			return (int)j;
	return -1;
}

/* All private keys on all members of one copy: a hostile header could otherwise cost unlimited key agreements. */
#define MOST_GUESSES (128 * N_KEY_SLOTS * MAX_MEMBERS)

/* Was the slot not tried before, in this copy or the first one?  A key file's KEK depends on the file salt too, which
 * may be damaged in one of the copies. */
static bool is_new(const struct unlock *unlock, unsigned copy, unsigned slot)
{
	const struct copy *first = &unlock->copies[0], *of = &unlock->copies[copy];

	if (find_slot(of, slot, of, slot) >= 0)
		return false;
	return copy == 0 || !first->good || find_slot(first, N_KEY_SLOTS, of, slot) < 0 ||
	       (of->header.slots[slot].type != SLOT_PASSPHRASE &&
	               memcmp(first->header.file_salt, of->header.file_salt, SALT_BYTES) != 0);
}

/* Is the recipient's slot of the secret's type, and cheap enough? */
static bool worth_trying(struct unlock *unlock, unsigned copy, const struct key_slot *key)
{
	if (key_slot_fit(key, unlock->secret->type, unlock->key_id) == FITS_NOT)
		return false;
	if (key_slot_anonymous(key) && unlock->guesses[copy]++ >= MOST_GUESSES) {
		unlock->not_tried++;
		return false;
	}
	if (key->type == SLOT_PASSPHRASE && !kdf_allowed(unlock->secret, key->log2_n, key->p, &unlock->spent)) {
		unlock->costly++;
		return false;
	}
	return true;
}

static void accept(struct unlock *unlock, const struct copy copies[2], unsigned slot, unsigned member)
{
	const struct copy *used = &copies[newest(copies)];
	struct authenticated_header *header = unlock->header;

	unlock->found = true;
	header->header = used->header;
	memcpy(header->bytes, used->bytes, HEADER_COPY_BYTES);
	header->copies = compare_copies(copies);
	header->slot = (int)slot;
	header->opened = recipient_number(used->header.slots, slot, member);
	header->opener = unlock->secret;
	*unlock->keys = used->keys;
}

/* MACs are checked on a duplicate of the copies, so that a slot of another container changes nothing. */
static int try_file_key(
        struct unlock *unlock, unsigned copy, const struct recipient *recipient, const uint8_t file_key[FILE_KEY_BYTES])
{
	struct copy both[2] = { unlock->copies[0], unlock->copies[1] };
	int slot, status = check_macs(both, file_key);
	bool any = both[0].good || both[1].good;

	unlock->opened += status == GPUCRYPT_OK && !any;
	if (status == GPUCRYPT_OK && any) {
		slot = find_slot(&both[newest(both)], N_KEY_SLOTS, &unlock->copies[copy], recipient->slot);
		if (slot >= 0)
			accept(unlock, both, (unsigned)slot, recipient->member);
	}
	wipe(both, sizeof both);
	return status;
}

static int try_recipient(struct unlock *unlock, unsigned copy, const struct recipient *recipient)
{
	uint8_t file_key[FILE_KEY_BYTES];
	int status;

	if (!is_new(unlock, copy, recipient->slot) || !worth_trying(unlock, copy, &recipient->key))
		return GPUCRYPT_OK;
	status = key_slot_open(file_key, &recipient->key, unlock->secret, unlock->copies[copy].header.file_salt,
	                 &unlock->last)
	                 ?: try_file_key(unlock, copy, recipient, file_key);
	/* GPUCRYPT_OTHER: not enough memory for scrypt.  Another slot may open. */
	unlock->costly += status == GPUCRYPT_OTHER;
	if (status == GPUCRYPT_NO_KEY || status == GPUCRYPT_OTHER) {
		fail_clear();
		status = GPUCRYPT_OK;
	}
	wipe(file_key, sizeof file_key);
	return status;
}

/* The types of the header's slots, for the message: nothing is decided by them. */
static void list_slots(char *text, size_t n, const struct header *header)
{
	size_t length = 0;

	snprintf(text, n, "none");
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		const struct slot_type *type = slot_type_of(header->slots[i].type);

		if (!key_slot_used(&header->slots[i]) || length >= n)
			continue;
		length += (size_t)snprintf(text + length, n - length, "%s%s", length > 0 ? ", " : "",
		        type != NULL ? type->name : "of a later release");
		if (header->slots[i].type == SLOT_SHARED && length < n)
			length += (size_t)snprintf(text + length, n - length, " by %u x25519 or p-256",
			        key_slot_members(&header->slots[i]));
	}
}

static int fail_locked(const struct unlock *unlock)
{
	const char *what = slot_type_of(unlock->secret->type)->secret;
	char slots[192];

	list_slots(slots, sizeof slots, &unlock->copies[newest(unlock->copies)].header);
	if (unlock->opened > 0)
		return fail(GPUCRYPT_CORRUPT, "the header is damaged: its MAC is wrong");
	if (unlock->costly > 0)
		return fail(GPUCRYPT_NO_KEY,
		        "cannot unlock: no key slot matches this %s: %u skipped, for which scrypt would need too much "
		        "memory or time",
		        what, unlock->costly);
	if (unlock->not_tried > 0)
		return fail(GPUCRYPT_NO_KEY,
		        "cannot unlock: too many anonymous key slots for %u private keys: give the right one alone",
		        unlock->n_secrets);
	if (unlock->n_secrets > 1)
		return fail(GPUCRYPT_NO_KEY,
		        "cannot unlock: no key slot matches any of these %u private keys (key slots: %s)",
		        unlock->n_secrets, slots);
	return fail(GPUCRYPT_NO_KEY, "cannot unlock: no key slot matches this %s (key slots: %s)", what, slots);
}

/* The id of a public or private key; zero for other secrets.  False: it is no key, and opens nothing. */
static bool read_id(uint8_t id[KEY_ID_BYTES], const struct gpucrypt_secret *secret)
{
	memset(id, 0, KEY_ID_BYTES);
	if (!slot_names_key(secret->type) || public_key_id(id, secret) == GPUCRYPT_OK)
		return true;
	fail_clear();
	return false;
}

static int try_secret(struct unlock *unlock, const struct gpucrypt_secret *secret)
{
	struct recipient recipient;
	int status = GPUCRYPT_OK;

	unlock->n_secrets +=
	        unlock->n_secrets == 0 || secret != unlock->secret; /* another try of a passphrase is the same secret */
	unlock->secret = secret;
	(void)read_id(unlock->key_id, secret);
	for (unsigned copy = 0; copy < 2; copy++) {
		const struct copy *of = &unlock->copies[copy];

		wipe(&unlock->last, sizeof unlock->last);
		for (unsigned i = 0; of->good && status == GPUCRYPT_OK && !unlock->found &&
		                     recipient_read(&recipient, of->header.slots, i);
		        i++)
			status = try_recipient(unlock, copy, &recipient);
	}
	return status;
}

/* Public keys may follow a secret in the list: they are only used to encrypt. */
static int try_list(struct unlock *unlock, const struct gpucrypt_secret *secret)
{
	int status = try_secret(unlock, secret);

	while (status == GPUCRYPT_OK && !unlock->found && (secret = secret->next) != NULL)
		if (!public_key_only(secret))
			status = try_secret(unlock, secret);
	return status;
}

/* The best fit of a locked secret among the slots of both copies, which are not authenticated. */
static enum slot_fit fit_copies(const struct gpucrypt_secret *public, const struct copy copies[2])
{
	struct recipient recipient;
	uint8_t id[KEY_ID_BYTES];
	enum slot_fit best = FITS_NOT, fit;

	if (slot_type_of(public->type) == NULL || !read_id(id, public))
		return MAY_FIT;
	for (const struct copy *copy = copies; copy < copies + 2; copy++)
		for (unsigned i = 0; copy->good && recipient_read(&recipient, copy->header.slots, i); i++) {
			fit = key_slot_fit(&recipient.key, public->type, id);
			best = fit > best ? fit : best;
		}
	return best;
}

/* The locked secret to ask for next: first the secrets whose public key a slot names, never a secret that fits no slot.
 * NULL: there is none, or another secret would not help. */
static struct locked_secret *next_locked(const struct unlock *unlock, struct locked_secret *all)
{
	struct locked_secret *next = NULL;
	enum slot_fit best = FITS_NOT;

	if (unlock->costly > 0 || (unlock->opened > 0 && unlock->secret->type == GPUCRYPT_PASSPHRASE))
		return NULL;
	for (; all != NULL; all = all->next) {
		enum slot_fit fit = all->asked ? FITS_NOT : fit_copies(&all->public, unlock->copies);

		if (fit > best) {
			best = fit;
			next = all;
		}
	}
	return next;
}

/* If all secrets are locked, the list begins with a secret of no bytes. */
static int try_all(struct unlock *unlock, const struct gpucrypt_secret *secret)
{
	struct locked_secret *all = secret->derived != NULL ? secret->derived->locked : NULL, *locked;
	int status = GPUCRYPT_OK;

	if (all == NULL || secret->length > 0)
		status = try_list(unlock, secret);
	while (status == GPUCRYPT_OK && !unlock->found && (locked = next_locked(unlock, all)) != NULL) {
		unlock->spent = 0;
		status = locked->open(locked, &secret) ?: try_list(unlock, secret);
	}
	for (; all != NULL; all = all->next)
		unlock->n_secrets += !all->asked && all->public.type != GPUCRYPT_PASSPHRASE;
	return status == GPUCRYPT_OK && !unlock->found ? fail_locked(unlock) : status;
}

int header_unlock(struct authenticated_header *header, struct file_keys *keys,
        const uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret)
{
	struct unlock unlock = { .secret = secret, .header = header, .keys = keys };
	int status = secret_form(secret) ?: decode_both(unlock.copies, copies) ?: try_all(&unlock, secret);

	if (status == GPUCRYPT_OK && unlock.costly > 0 && header->copies.note[0] == '\0')
		snprintf(header->copies.note, sizeof header->copies.note,
		        "%u key slots skipped: scrypt would need too much memory or time", unlock.costly);
	wipe(&unlock, sizeof unlock);
	return status;
}

int header_check_mixed(const struct authenticated_header *header, const uint8_t copies[2 * HEADER_COPY_BYTES],
        const struct gpucrypt_secret *secret)
{
	unsigned other = header->copies.good[0];
	uint8_t twice[2 * HEADER_COPY_BYTES];
	struct authenticated_header foreign;
	struct file_keys keys;
	struct unlock unlock = { .secret = secret, .header = &foreign, .keys = &keys };
	bool mixed;

	if (header->copies.good[other])
		return GPUCRYPT_OK;
	for (unsigned i = 0; i < 2; i++)
		memcpy(twice + i * HEADER_COPY_BYTES, copies + other * HEADER_COPY_BYTES, HEADER_COPY_BYTES);
	mixed = (decode_both(unlock.copies, twice) ?: try_list(&unlock, secret)) == GPUCRYPT_OK && unlock.found;
	wipe(&unlock, sizeof unlock);
	wipe(&keys, sizeof keys);
	fail_clear();
	return mixed ? fail(GPUCRYPT_CORRUPT, "the header copies are of two containers of this "
	                                      "secret: restore the right one from a backup")
	             : GPUCRYPT_OK;
}
