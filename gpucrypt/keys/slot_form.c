/* Key slots as bytes. */
#include "gpucrypt/keys/slot.h"

#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/keys/hybrid.h"
#include "gpucrypt/keys/shared_slot.h"
#include "gpucrypt/status.h"

/* gcrypt(5), "Key slots": offsets in a slot */
#define LOG2_N 1
#define P      2
#define ZERO_A 3
#define LENGTH 4
#define ZERO_B 6
#define KEY_ID 8
#define SALT   16
#define BODY   48

_Static_assert(HYBRID_BODY_BYTES == MAX_SLOT_BODY && MAX_SLOT_BODY <= 2 * SLOT_ROOM, "two slots hold the largest body");

/* The part of a body in its first slot. */
static size_t in_first(size_t n_body)
{
	return n_body < SLOT_ROOM ? n_body : SLOT_ROOM;
}

void key_slot_encode(uint8_t *bytes, const struct key_slot *slot)
{
	size_t first = in_first(slot->body_bytes);

	if (slot_type_of(slot->type) == NULL)
		return;
	bytes[0] = slot->type;
	bytes[LOG2_N] = slot->log2_n;
	bytes[P] = slot->p;
	store_le16(bytes + LENGTH, slot->body_bytes);
	memcpy(bytes + KEY_ID, slot->key_id, KEY_ID_BYTES);
	memcpy(bytes + SALT, slot->salt, SALT_BYTES);
	memcpy(bytes + BODY, slot->body, first);
	if (slot->body_bytes == first || slot->incomplete)
		return;
	bytes[KEY_SLOT_BYTES] = SLOT_CONTINUED;
	memcpy(bytes + KEY_SLOT_BYTES + BODY, slot->body + first, slot->body_bytes - first);
}

static bool is_zero(const uint8_t *bytes, size_t from, size_t to)
{
	return all_zero(bytes + from, to - from);
}

/* Does every field have a value that the type allows? */
static bool has_form(const struct slot_type *type, const uint8_t *bytes)
{
	unsigned n = load_le16(bytes + LENGTH);

	if (n < type->least_body_bytes || n > type->most_body_bytes ||
	        !is_zero(bytes, BODY + in_first(n), KEY_SLOT_BYTES))
		return false;
	if (type->has_cost ? bytes[LOG2_N] < 10 || bytes[LOG2_N] > 24 || bytes[P] < 1 || bytes[P] > 16
	                   : !is_zero(bytes, LOG2_N, ZERO_A))
		return false;
	if (bytes[0] == SLOT_SHARED && !shared_slot_form(bytes + BODY, n))
		return false;
	return is_zero(bytes, ZERO_A, LENGTH) && is_zero(bytes, ZERO_B, KEY_ID) &&
	       (type->has_key_id || is_zero(bytes, KEY_ID, SALT)) && (type->has_salt || is_zero(bytes, SALT, BODY));
}

/* The rest of a body, in the slot that continues the slot.  A release that does not know the types may have removed one
 * of the two. */
static void decode_rest(struct key_slot *slot, const uint8_t *next)
{
	size_t first = in_first(slot->body_bytes), rest = slot->body_bytes - first;

	slot->incomplete = rest > 0 && (next == NULL || next[0] != SLOT_CONTINUED || !is_zero(next, 1, BODY) ||
	                                       !is_zero(next, BODY + rest, KEY_SLOT_BYTES));
	if (rest > 0 && !slot->incomplete)
		memcpy(slot->body + first, next + BODY, rest);
}

int key_slot_decode(struct key_slot *slot, const uint8_t bytes[KEY_SLOT_BYTES], const uint8_t *next)
{
	const struct slot_type *type = slot_type_of(bytes[0]);

	*slot = (struct key_slot){ .type = bytes[0] };
	if (bytes[0] == SLOT_UNUSED ? !is_zero(bytes, 0, KEY_SLOT_BYTES) : type != NULL && !has_form(type, bytes))
		return fail(GPUCRYPT_CORRUPT, "the header is damaged: a malformed key slot");
	if (type == NULL)
		return GPUCRYPT_OK;
	slot->log2_n = bytes[LOG2_N];
	slot->p = bytes[P];
	slot->body_bytes = load_le16(bytes + LENGTH);
	memcpy(slot->key_id, bytes + KEY_ID, KEY_ID_BYTES);
	memcpy(slot->salt, bytes + SALT, SALT_BYTES);
	memcpy(slot->body, bytes + BODY, in_first(slot->body_bytes));
	decode_rest(slot, next);
	return GPUCRYPT_OK;
}
