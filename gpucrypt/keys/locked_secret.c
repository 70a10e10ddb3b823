#include "gpucrypt/keys/locked_secret.h"

#include <string.h>

#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/shared_slot.h"
#include "gpucrypt/status.h"

enum fit { FITS_NO_SLOT, MAY_OPEN, IS_NAMED };

static enum fit better(enum fit a, enum fit b)
{
	return a > b ? a : b;
}

static enum fit fit_slot(
        const struct key_slot *slot, const struct gpucrypt_secret *public, const uint8_t id[KEY_ID_BYTES])
{
	enum fit best = FITS_NO_SLOT;
	struct key_slot member;

	for (unsigned i = 0; i < key_slot_members(slot); i++) {
		key_slot_member(&member, slot, i);
		if (member.type != (unsigned)public->type)
			continue;
		if (!slot_type_of(member.type)->has_key_id || key_slot_anonymous(&member))
			best = better(best, MAY_OPEN);
		else if (memcmp(member.key_id, id, KEY_ID_BYTES) == 0)
			best = IS_NAMED;
	}
	return best;
}

static enum fit fit_headers(const struct gpucrypt_secret *public, const struct header *const headers[2])
{
	const struct slot_type *type = slot_type_of(public->type);
	uint8_t id[KEY_ID_BYTES];
	enum fit best = FITS_NO_SLOT;

	if (type == NULL || (type->has_key_id && public_key_id(id, public) != GPUCRYPT_OK)) {
		fail_clear();
		return MAY_OPEN;
	}
	for (unsigned copy = 0; copy < 2; copy++)
		for (unsigned slot = 0; slot < N_KEY_SLOTS && headers[copy] != NULL; slot++)
			best = better(best, fit_slot(&headers[copy]->slots[slot], public, id));
	return best;
}

struct locked_secret *locked_secret_next(struct locked_secret *all, const struct header *const headers[2])
{
	struct locked_secret *next = NULL;
	enum fit best = FITS_NO_SLOT;

	for (; all != NULL; all = all->next) {
		enum fit fit = all->asked ? FITS_NO_SLOT : fit_headers(&all->public, headers);

		if (fit > best) {
			best = fit;
			next = all;
		}
	}
	return next;
}
