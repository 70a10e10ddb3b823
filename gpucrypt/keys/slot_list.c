#include "gpucrypt/keys/slot_list.h"

#include <string.h>

#include "gpucrypt/keys/kdf_cost.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

void slot_choice_add(struct slot_choice *choice, const struct key_slot *slots, unsigned slot)
{
	choice->members[slot] = (uint32_t)((UINT64_C(1) << key_slot_members(&slots[slot])) - 1);
}

/* Is the member for the key of this id, or does the private key open it? */
static bool is_for(const struct key_slot *member, const struct gpucrypt_secret *secret, const uint8_t id[KEY_ID_BYTES],
        bool try, const uint8_t file_salt[SALT_BYTES], struct member_kek *last)
{
	uint8_t file_key[FILE_KEY_BYTES];
	bool opens;

	if (member->type != (unsigned)secret->type)
		return false;
	if (!key_slot_anonymous(member))
		return memcmp(member->key_id, id, KEY_ID_BYTES) == 0;
	opens = try && key_slot_open_member(file_key, member, secret, file_salt, last) == GPUCRYPT_OK;
	fail_clear();
	wipe(file_key, sizeof file_key);
	return opens;
}

void slot_choice_add_key(
        struct slot_choice *choice, const struct header *header, const struct gpucrypt_secret *secret, bool try)
{
	const struct slot_type *type = slot_type_of(secret->type);
	struct member_kek last = { 0 };
	uint8_t id[KEY_ID_BYTES];
	struct key_slot member;

	if (type == NULL || !type->has_key_id || public_key_id(id, secret) != GPUCRYPT_OK) {
		fail_clear();
		return;
	}
	try = try && !public_key_only(secret);
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		for (unsigned j = 0; j < key_slot_members(&header->slots[i]); j++) {
			key_slot_member(&member, &header->slots[i], j);
			if (is_for(&member, secret, id, try, header->file_salt, &last))
				choice->members[i] |= 1u << j;
		}
	}
	wipe(&last, sizeof last);
}

bool slot_choice_empty(const struct slot_choice *choice)
{
	uint32_t any = 0;

	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		any |= choice->members[i];
	return any == 0;
}

static bool has_label(const struct slot_list *list, unsigned slot)
{
	return list->labels->texts[slot][0] != '\0';
}

static bool labelled(const struct gpucrypt_secret *secret)
{
	return secret->label != NULL && secret->label[0] != '\0';
}

/* The number of unused slots, less one that a new slot of labels will need. */
static unsigned n_free(const struct slot_list *list, bool labels)
{
	unsigned n = 0;

	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		labels |= has_label(list, i);
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		n += list->slots[i].type == SLOT_UNUSED;
		labels &= list->slots[i].type != SLOT_LABELS;
	}
	return n - (n > 0 && labels);
}

/* The last slot that may become a member, below a number; -1: none. */
static int last_single(const struct slot_list *list, int below)
{
	while (--below >= 0)
		if (slot_sharable(list->slots[below].type) && !has_label(list, (unsigned)below))
			break;
	return below;
}

static int shared_with_room(const struct slot_list *list)
{
	int i = N_KEY_SLOTS - 1;

	while (i >= 0 && !shared_slot_has_room(&list->slots[i]))
		i--;
	return i;
}

/* Clears the slot and its continuation. */
static void clear(struct slot_list *list, unsigned slot)
{
	const struct key_slot *of = &list->slots[slot];
	unsigned span = of->incomplete ? 1 : key_slot_span(of->type);

	for (unsigned i = slot; i < slot + span; i++) {
		list->slots[i] = (struct key_slot){ .type = SLOT_UNUSED };
		list->changed |= 1u << i;
	}
	slot_label_set(list->labels, slot, NULL);
}

/* The last slot that may be shared is shared from now on.  -1: there is none. */
static int make_shared(struct slot_list *list)
{
	int i = last_single(list, N_KEY_SLOTS);
	struct key_slot single;

	if (i < 0)
		return -1;
	single = list->slots[i];
	clear(list, (unsigned)i);
	shared_slot_take(&list->slots[i], &single);
	return i;
}

/* Free a slot if its recipient can become a member of a shared one. */
static void free_slot(struct slot_list *list)
{
	int to = shared_with_room(list), from;

	if (to < 0)
		to = make_shared(list);
	from = last_single(list, N_KEY_SLOTS);
	if (from < 0 || to < 0)
		return;
	shared_slot_take(&list->slots[to], &list->slots[from]);
	list->changed |= 1u << to;
	clear(list, (unsigned)from);
}

/* Says what the secret would have needed. */
static int fail_full(const struct slot_list *list, unsigned span)
{
	const char *why = n_free(list, false) == 0 ? "only X25519 and P-256 keys without a label share slots"
	                  : span == 1              ? "the last free one is needed for labels"
	                                           : "this pair of keys needs two free ones, one behind the other";

	return fail(
	        GPUCRYPT_USAGE, "%s key slots are in use (%s)", n_free(list, false) == 0 ? "all 8" : "too many", why);
}

/* The first unused slot, or the last two, one behind the other: the first secret keeps slot 0.  -1: there are none. */
static int find_unused(const struct slot_list *list, unsigned span)
{
	int i = span == 1 ? 0 : N_KEY_SLOTS - 2, step = span == 1 ? 1 : -1;

	for (; i >= 0 && i < N_KEY_SLOTS; i += step)
		if (list->slots[i].type == SLOT_UNUSED && (span == 1 || list->slots[i + 1].type == SLOT_UNUSED))
			return i;
	return -1;
}

static bool has_room(const struct slot_list *list, unsigned span, bool labels)
{
	return n_free(list, labels) >= span && find_unused(list, span) >= 0;
}

static int add_single(struct slot_list *list, const struct gpucrypt_secret *secret)
{
	unsigned log2_n, span = key_slot_span(secret->type);
	struct key_slot made;
	int slot, status = kdf_cost(&log2_n, secret);

	if (status == GPUCRYPT_OK)
		status = key_slot_make(&made, secret, list->file_key, list->file_salt, log2_n);
	if (status != GPUCRYPT_OK)
		return status;
	for (unsigned i = 0; i < N_KEY_SLOTS && !has_room(list, span, labelled(secret)); i++)
		free_slot(list);
	if (!has_room(list, span, labelled(secret)))
		return fail_full(list, span);
	slot = find_unused(list, span);
	for (unsigned i = 0; i < span; i++) {
		list->slots[(unsigned)slot + i].type = SLOT_CONTINUED;
		list->changed |= 1u << ((unsigned)slot + i);
	}
	list->slots[slot] = made;
	return slot_label_set(list->labels, (unsigned)slot, secret->label);
}

/* To the group, or else to a new one in a slot that has room. */
static int add_member(struct slot_list *list, struct shared_group *group, const struct gpucrypt_secret *secret)
{
	int status = GPUCRYPT_OK, slot = shared_with_room(list);

	if (!shared_group_has_room(group)) {
		if (slot < 0)
			slot = n_free(list, false) > 0 ? find_unused(list, 1) : make_shared(list);
		if (slot < 0)
			return fail_full(list, 1);
		status = shared_group_begin(group, &list->slots[slot], secret->type);
		list->changed |= 1u << slot;
	}
	return status == GPUCRYPT_OK ? shared_group_add(group, secret, list->file_key, list->file_salt) : status;
}

static bool may_share(const struct gpucrypt_secret *secret)
{
	return slot_sharable(secret->type) && !labelled(secret);
}

static int add_members(struct slot_list *list, const struct gpucrypt_secret *secrets, enum gpucrypt_secret_type type)
{
	struct shared_group group = { 0 };
	int status = GPUCRYPT_OK;

	for (; secrets != NULL && status == GPUCRYPT_OK; secrets = secrets->next)
		if (may_share(secrets) && secrets->type == type)
			status = add_member(list, &group, secrets);
	EVP_PKEY_free(group.own);
	return status;
}

int slot_list_add(struct slot_list *list, const struct gpucrypt_secret *secrets)
{
	unsigned needed = 0;
	bool share, labels = false;
	int status = GPUCRYPT_OK;

	for (const struct gpucrypt_secret *secret = secrets; secret != NULL; secret = secret->next) {
		needed += key_slot_span(secret->type);
		labels |= labelled(secret);
	}
	share = needed > n_free(list, labels);
	/* Pairs of slots first, as long as there are some. */
	for (unsigned span = 2; span > 0; span--)
		for (const struct gpucrypt_secret *secret = secrets; secret != NULL && status == GPUCRYPT_OK;
		        secret = secret->next)
			if (key_slot_span(secret->type) == span && (!share || !may_share(secret)))
				status = add_single(list, secret);
	if (share && status == GPUCRYPT_OK)
		status = add_members(list, secrets, GPUCRYPT_X25519);
	if (share && status == GPUCRYPT_OK)
		status = add_members(list, secrets, GPUCRYPT_P256);
	return status;
}

void slot_list_reclaim(struct slot_list *list)
{
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		if (list->slots[i].type == SLOT_CONTINUED &&
		        (i == 0 || key_slot_span(list->slots[i - 1].type) == 1 || list->slots[i - 1].incomplete))
			clear(list, i);
}

void slot_list_remove(struct slot_list *list, const struct slot_choice *choice)
{
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		if (choice->members[i] == 0)
			continue;
		if (list->slots[i].type == SLOT_SHARED)
			shared_slot_remove(&list->slots[i], choice->members[i]);
		else
			clear(list, i);
		list->changed |= 1u << i;
	}
}
