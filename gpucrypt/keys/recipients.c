#include "gpucrypt/keys/header.h"

#include <string.h>

#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

/* Offsets in a group */
#define TYPE      0
#define N_MEMBERS 1
#define EPHEMERAL 2

static size_t group_bytes(unsigned n_members)
{
	return SHARED_GROUP_BYTES + (size_t)n_members * SHARED_MEMBER_BYTES;
}

bool shared_slot_form(const uint8_t *body, size_t n_body)
{
	size_t at = 0;

	while (at + SHARED_GROUP_BYTES < n_body && slot_sharable(body[at + TYPE]) && body[at + N_MEMBERS] > 0)
		at += group_bytes(body[at + N_MEMBERS]);
	return at == n_body;
}

unsigned key_slot_members(const struct key_slot *slot)
{
	unsigned n = 0;

	if (slot->type != SLOT_SHARED)
		return key_slot_used(slot);
	for (size_t at = 0; at < slot->body_bytes; at += group_bytes(slot->body[at + N_MEMBERS]))
		n += slot->body[at + N_MEMBERS];
	return n;
}

bool recipient_read(struct recipient *recipient, const struct key_slot *slots, unsigned number)
{
	const uint8_t *group, *from;
	unsigned i = 0, n;

	for (; i < N_KEY_SLOTS && number >= (n = key_slot_members(&slots[i])); i++)
		number -= n;
	if (i == N_KEY_SLOTS)
		return false;
	*recipient = (struct recipient){ .slot = i, .member = number, .shared = slots[i].type == SLOT_SHARED };
	if (!recipient->shared) {
		recipient->key = slots[i];
		return true;
	}
	for (group = slots[i].body; number >= group[N_MEMBERS]; group += group_bytes(group[N_MEMBERS]))
		number -= group[N_MEMBERS];
	from = group + group_bytes(number);
	recipient->key.type = group[TYPE];
	recipient->key.body_bytes = WRAPPED_BYTES;
	memcpy(recipient->key.salt, group + EPHEMERAL, SALT_BYTES);
	memcpy(recipient->key.key_id, from, KEY_ID_BYTES);
	memcpy(recipient->key.body, from + KEY_ID_BYTES, WRAPPED_BYTES);
	return true;
}

unsigned recipient_number(const struct key_slot *slots, unsigned slot, unsigned member)
{
	for (unsigned i = 0; i < slot; i++)
		member += key_slot_members(&slots[i]);
	return member;
}

/* Sets of recipients. */

bool recipient_opens(const struct key_slot *key, const struct gpucrypt_secret *secret,
        const uint8_t file_salt[SALT_BYTES], struct last_kek *last)
{
	uint8_t file_key[FILE_KEY_BYTES];
	bool opens = key_slot_open(file_key, key, secret, file_salt, last) == GPUCRYPT_OK;

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

		set->has[i] |=
		        fit == FITS_KEY ||
		        (fit == MAY_FIT && try && recipient_opens(&recipient.key, secret, header->file_salt, &last));
	}
	wipe(&last, sizeof last);
}

bool recipient_set_empty(const struct recipient_set *set)
{
	return memchr(set->has, 1, sizeof set->has) == NULL;
}

/* Members of shared slots. */

/* The offset of the last group of a shared slot; 0 in an unused one. */
static size_t last_group(const struct key_slot *shared)
{
	size_t at = 0, next;

	while ((next = at + group_bytes(shared->body[at + N_MEMBERS])) < shared->body_bytes)
		at = next;
	return at;
}

/* A member joins the last group if that has its ephemeral key. */
static bool joins(const struct key_slot *shared, const struct key_slot *member)
{
	const uint8_t *group = shared->body + last_group(shared);

	return group[TYPE] == member->type && memcmp(group + EPHEMERAL, member->salt, SALT_BYTES) == 0;
}

void shared_slot_append(struct key_slot *shared, const struct key_slot *member)
{
	uint8_t *group = shared->body + last_group(shared), *to;

	if (!joins(shared, member)) {
		group = shared->body + shared->body_bytes;
		group[TYPE] = member->type;
		group[N_MEMBERS] = 0;
		memcpy(group + EPHEMERAL, member->salt, SALT_BYTES);
		shared->body_bytes += SHARED_GROUP_BYTES;
	}
	to = shared->body + shared->body_bytes;
	memcpy(to, member->key_id, KEY_ID_BYTES);
	memcpy(to + KEY_ID_BYTES, member->body, WRAPPED_BYTES);
	shared->type = SLOT_SHARED;
	shared->body_bytes += SHARED_MEMBER_BYTES;
	group[N_MEMBERS]++;
}

/* A shared slot that has room for the member: one whose last group it joins, or else the last.  -1: none. */
static int find_shared(const struct header *header, const struct key_slot *member)
{
	int found = -1;

	for (int i = N_KEY_SLOTS - 1; i >= 0; i--) {
		const struct key_slot *slot = &header->slots[i];
		bool join = slot->type == SLOT_SHARED && joins(slot, member);

		if (slot->type != SLOT_SHARED ||
		        slot->body_bytes + (join ? SHARED_MEMBER_BYTES : group_bytes(1)) > SLOT_ROOM)
			continue;
		if (join)
			return i;
		found = found < 0 ? i : found;
	}
	return found;
}

/* Room for new recipients. */

static bool labelled(const struct gpucrypt_secret *secret)
{
	return secret->label != NULL && secret->label[0] != '\0';
}

/* The number of unused slots, less one that a new slot of labels will need. */
static unsigned n_free(const struct header *header, bool labels)
{
	unsigned n = 0;

	labels |= slot_labels_any(header->slots);
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		n += header->slots[i].type == SLOT_UNUSED;
		labels &= header->slots[i].type != SLOT_LABELS;
	}
	return n - (n > 0 && labels);
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

/* Clears the slot and its continuation. */
static void clear(struct header *header, unsigned slot)
{
	const struct key_slot *of = &header->slots[slot];
	unsigned span = of->incomplete ? 1 : key_slot_span(of->type);

	for (unsigned i = slot; i < slot + span; i++)
		header->slots[i] = (struct key_slot){ .type = SLOT_UNUSED };
}

/* The last slot that may be shared becomes a member of a shared one.  If none has room, it is shared from now on. */
static void free_slot(struct header *header)
{
	struct key_slot single;
	int from = N_KEY_SLOTS - 1, to;

	while (from >= 0 && (!slot_sharable(header->slots[from].type) || header->slots[from].label[0] != '\0'))
		from--;
	if (from < 0)
		return;
	single = header->slots[from];
	to = find_shared(header, &single);
	clear(header, (unsigned)from);
	shared_slot_append(&header->slots[to >= 0 ? to : from], &single);
}

/* Fail, and say why no slot is left for a secret that needs `span` slots. */
static int fail_full(const struct header *header, unsigned span)
{
	const char *why = n_free(header, false) == 0 ? "only X25519 and P-256 keys without a label share slots"
	                  : span == 1                ? "the last free one is needed for labels"
	                                             : "this pair of keys needs two free ones, one behind the other";

	return fail(
	        GPUCRYPT_USAGE, "%s key slots are in use (%s)", n_free(header, false) == 0 ? "all 8" : "too many", why);
}

/* Adding and removing. */

static int add_single(
        struct header *header, const struct gpucrypt_secret *secret, const uint8_t file_key[FILE_KEY_BYTES])
{
	unsigned log2_n, span = key_slot_span(secret->type);
	struct key_slot made;
	int slot,
	        status = kdf_cost(&log2_n, secret) ?: key_slot_make(&made, secret, file_key, header->file_salt, log2_n);

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
	return GPUCRYPT_OK;
}

/* A shared slot with room for the member, or an unused one, or one whose recipient shares it from now on. */
static int add_member(struct header *header, const struct key_slot *member)
{
	int slot = find_shared(header, member);

	if (slot < 0 && n_free(header, false) > 0)
		slot = find_unused(header, 1);
	if (slot < 0) {
		free_slot(header);
		slot = find_shared(header, member);
	}
	if (slot < 0)
		return fail_full(header, 1);
	shared_slot_append(&header->slots[slot], member);
	return GPUCRYPT_OK;
}

static int make_member(struct key_slot *member, EVP_PKEY *own, const uint8_t ephemeral[SALT_BYTES],
        const struct gpucrypt_secret *secret, const uint8_t file_key[FILE_KEY_BYTES],
        const uint8_t file_salt[SALT_BYTES])
{
	uint8_t kek[32];
	int status;

	*member = (struct key_slot){ .type = (uint8_t)secret->type, .body_bytes = WRAPPED_BYTES };
	memcpy(member->salt, ephemeral, SALT_BYTES);
	status = secret->anonymous ? GPUCRYPT_OK : public_key_id(member->key_id, secret);
	status = status ?: agreement_add(kek, own, ephemeral, secret, file_salt)
	                           ?: key_wrap(member->body, file_key, kek);
	wipe(kek, sizeof kek);
	return status;
}

static bool may_share(const struct gpucrypt_secret *secret)
{
	return slot_sharable(secret->type) && !labelled(secret);
}

/* All members of a type have one ephemeral key, and so a group in each slot. */
static int add_members(struct header *header, const struct gpucrypt_secret *secrets,
        const uint8_t file_key[FILE_KEY_BYTES], enum gpucrypt_secret_type type)
{
	uint8_t ephemeral[SALT_BYTES];
	struct key_slot member;
	EVP_PKEY *own;
	int status = agreement_begin(&own, ephemeral, type);

	for (; secrets != NULL && status == GPUCRYPT_OK; secrets = secrets->next)
		if (may_share(secrets) && secrets->type == type)
			status = make_member(&member, own, ephemeral, secrets, file_key, header->file_salt)
			                 ?: add_member(header, &member);
	EVP_PKEY_free(own);
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
		status = add_members(header, secrets, file_key, GPUCRYPT_X25519)
		                 ?: add_members(header, secrets, file_key, GPUCRYPT_P256);
	return status;
}

static void reclaim_continuations(struct header *header)
{
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		if (header->slots[i].type == SLOT_CONTINUED &&
		        (i == 0 || key_slot_span(header->slots[i - 1].type) == 1 || header->slots[i - 1].incomplete))
			clear(header, i);
}

/* A shared slot is made again of the members that remain. */
void header_remove_recipients(struct header *header, const struct recipient_set *removed)
{
	const struct header old = *header;
	struct recipient recipient;

	for (unsigned i = 0; recipient_read(&recipient, old.slots, i); i++) {
		if (recipient.member == 0 && (recipient.shared || removed->has[i]))
			clear(header, recipient.slot);
		if (recipient.shared && !removed->has[i])
			shared_slot_append(&header->slots[recipient.slot], &recipient.key);
	}
	reclaim_continuations(header);
}
