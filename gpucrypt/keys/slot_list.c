#include "gpucrypt/keys/slot_list.h"

#include <string.h>

#include "gpucrypt/keys/kdf_cost.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

static bool opens(const struct key_slot *key, const struct gpucrypt_secret *secret, const uint8_t file_salt[SALT_BYTES],
        struct last_kek *last)
{
	uint8_t file_key[FILE_KEY_BYTES];
	bool opens = key_slot_open_next(file_key, key, secret, file_salt, last) == GPUCRYPT_OK;

	fail_clear();
	wipe(file_key, sizeof file_key);
	return opens;
}

void recipient_set_add_key(
        struct recipient_set *set, const struct header *header, const struct gpucrypt_secret *secret, bool try)
{
	struct last_kek last = { 0 };
	struct recipient recipient;
	uint8_t id[KEY_ID_BYTES];

	if (!slot_names_key(secret->type) || public_key_id(id, secret) != GPUCRYPT_OK) {
		fail_clear();
		return;
	}
	try = try && !public_key_only(secret);
	for (unsigned i = 0; recipient_read(&recipient, header->slots, i); i++) {
		enum slot_fit fit = key_slot_fit(&recipient.key, secret->type, id);

		set->has[i] |= fit == FITS_KEY ||
		               (fit == MAY_FIT && try && opens(&recipient.key, secret, header->file_salt, &last));
	}
	wipe(&last, sizeof last);
}

bool recipient_set_empty(const struct recipient_set *set)
{
	return memchr(set->has, 1, sizeof set->has) == NULL;
}

static bool has_label(const struct header *header, unsigned slot)
{
	return header->labels.texts[slot][0] != '\0';
}

static bool labelled(const struct gpucrypt_secret *secret)
{
	return secret->label != NULL && secret->label[0] != '\0';
}

/* The number of unused slots, less one that a new slot of labels will need. */
static unsigned n_free(const struct header *header, bool labels)
{
	unsigned n = 0;

	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		labels |= has_label(header, i);
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		n += header->slots[i].type == SLOT_UNUSED;
		labels &= header->slots[i].type != SLOT_LABELS;
	}
	return n - (n > 0 && labels);
}

/* The last slot that may become a member, below a number; -1: none. */
static int last_single(const struct header *header, int below)
{
	while (--below >= 0)
		if (slot_sharable(header->slots[below].type) && !has_label(header, (unsigned)below))
			break;
	return below;
}

static int shared_with_room(const struct header *header)
{
	int i = N_KEY_SLOTS - 1;

	while (i >= 0 && !shared_slot_has_room(&header->slots[i]))
		i--;
	return i;
}

/* Clears the slot and its continuation. */
static void clear(struct header *header, unsigned slot)
{
	const struct key_slot *of = &header->slots[slot];
	unsigned span = of->incomplete ? 1 : key_slot_span(of->type);

	for (unsigned i = slot; i < slot + span; i++)
		header->slots[i] = (struct key_slot){ .type = SLOT_UNUSED };
	slot_label_set(&header->labels, slot, NULL);
}

/* The last slot that may be shared is shared from now on.  -1: there is none. */
static int make_shared(struct header *header)
{
	int i = last_single(header, N_KEY_SLOTS);
	struct key_slot single;

	if (i < 0)
		return -1;
	single = header->slots[i];
	clear(header, (unsigned)i);
	shared_slot_take(&header->slots[i], &single);
	return i;
}

/* Free a slot if its recipient can become a member of a shared one. */
static void free_slot(struct header *header)
{
	int to = shared_with_room(header), from;

	if (to < 0)
		to = make_shared(header);
	from = last_single(header, N_KEY_SLOTS);
	if (from < 0 || to < 0)
		return;
	shared_slot_take(&header->slots[to], &header->slots[from]);
	clear(header, (unsigned)from);
}

/* Says what the secret would have needed. */
static int fail_full(const struct header *header, unsigned span)
{
	const char *why = n_free(header, false) == 0 ? "only X25519 and P-256 keys without a label share slots"
	                  : span == 1                ? "the last free one is needed for labels"
	                                             : "this pair of keys needs two free ones, one behind the other";

	return fail(
	        GPUCRYPT_USAGE, "%s key slots are in use (%s)", n_free(header, false) == 0 ? "all 8" : "too many", why);
}

/* The first unused slot, or the last two, one behind the other: the first secret keeps slot 0.  -1: there are none. */
static int find_unused(const struct header *header, unsigned span)
{
	int i = span == 1 ? 0 : N_KEY_SLOTS - 2, step = span == 1 ? 1 : -1;

	for (; i >= 0 && i < N_KEY_SLOTS; i += step)
		if (header->slots[i].type == SLOT_UNUSED && (span == 1 || header->slots[i + 1].type == SLOT_UNUSED))
			return i;
	return -1;
}

static bool has_room(const struct header *header, unsigned span, bool labels)
{
	return n_free(header, labels) >= span && find_unused(header, span) >= 0;
}

static int add_single(
        struct header *header, const struct gpucrypt_secret *secret, const uint8_t file_key[FILE_KEY_BYTES])
{
	unsigned log2_n, span = key_slot_span(secret->type);
	struct key_slot made;
	int slot, status = kdf_cost(&log2_n, secret);

	if (status == GPUCRYPT_OK)
		status = key_slot_make(&made, secret, file_key, header->file_salt, log2_n);
	if (status != GPUCRYPT_OK)
		return status;
	for (unsigned i = 0; i < N_KEY_SLOTS && !has_room(header, span, labelled(secret)); i++)
		free_slot(header);
	if (!has_room(header, span, labelled(secret)))
		return fail_full(header, span);
	slot = find_unused(header, span);
	for (unsigned i = 0; i < span; i++)
		header->slots[(unsigned)slot + i].type = SLOT_CONTINUED;
	header->slots[slot] = made;
	return slot_label_set(&header->labels, (unsigned)slot, secret->label);
}

/* To the group, or else to a new one in a slot that has room. */
static int add_member(struct header *header, struct shared_group *group, const struct gpucrypt_secret *secret,
        const uint8_t file_key[FILE_KEY_BYTES])
{
	int status = GPUCRYPT_OK, slot = shared_with_room(header);

	if (!shared_group_has_room(group)) {
		if (slot < 0)
			slot = n_free(header, false) > 0 ? find_unused(header, 1) : make_shared(header);
		if (slot < 0)
			return fail_full(header, 1);
		status = shared_group_begin(group, &header->slots[slot], secret->type);
	}
	return status == GPUCRYPT_OK ? shared_group_add(group, secret, file_key, header->file_salt) : status;
}

static bool may_share(const struct gpucrypt_secret *secret)
{
	return slot_sharable(secret->type) && !labelled(secret);
}

static int add_members(struct header *header, const struct gpucrypt_secret *secrets,
        const uint8_t file_key[FILE_KEY_BYTES], enum gpucrypt_secret_type type)
{
	struct shared_group group = { 0 };
	int status = GPUCRYPT_OK;

	for (; secrets != NULL && status == GPUCRYPT_OK; secrets = secrets->next)
		if (may_share(secrets) && secrets->type == type)
			status = add_member(header, &group, secrets, file_key);
	EVP_PKEY_free(group.own);
	return status;
}

int header_add_recipients(
        struct header *header, const struct gpucrypt_secret *secrets, const uint8_t file_key[FILE_KEY_BYTES])
{
	unsigned needed = 0;
	bool share, labels = false;
	int status = GPUCRYPT_OK;

	for (const struct gpucrypt_secret *secret = secrets; secret != NULL; secret = secret->next) {
		needed += key_slot_span(secret->type);
		labels |= labelled(secret);
	}
	share = needed > n_free(header, labels);
	/* Pairs of slots first, as long as there are some. */
	for (unsigned span = 2; span > 0; span--)
		for (const struct gpucrypt_secret *secret = secrets; secret != NULL && status == GPUCRYPT_OK;
		        secret = secret->next)
			if (key_slot_span(secret->type) == span && (!share || !may_share(secret)))
				status = add_single(header, secret, file_key);
	if (share && status == GPUCRYPT_OK)
		status = add_members(header, secrets, file_key, GPUCRYPT_X25519);
	if (share && status == GPUCRYPT_OK)
		status = add_members(header, secrets, file_key, GPUCRYPT_P256);
	return status;
}

void header_reclaim_slots(struct header *header)
{
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		if (header->slots[i].type == SLOT_CONTINUED &&
		        (i == 0 || key_slot_span(header->slots[i - 1].type) == 1 || header->slots[i - 1].incomplete))
			clear(header, i);
}

/* From the last one: the others keep their numbers. */
void header_remove_recipients(struct header *header, const struct recipient_set *removed)
{
	struct recipient recipient;

	for (unsigned i = MAX_RECIPIENT_SLOTS; i-- > 0;) {
		if (!removed->has[i] || !recipient_read(&recipient, header->slots, i))
			continue;
		if (recipient.shared)
			shared_slot_remove(&header->slots[recipient.slot], recipient.member);
		else
			clear(header, recipient.slot);
	}
}
