#include "gpucrypt/keys/locked_secret.h"

#include <string.h>

#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/shared_slot.h"
#include "gpucrypt/status.h"

static enum slot_fit fit_headers(const struct gpucrypt_secret *public, const struct header *const headers[2])
{
	struct recipient recipient;
	uint8_t id[KEY_ID_BYTES];
	enum slot_fit best = FITS_NOT, fit;

	if (slot_type_of(public->type) == NULL ||
	        (slot_names_key(public->type) && public_key_id(id, public) != GPUCRYPT_OK)) {
		fail_clear();
		return MAY_FIT;
	}
	for (unsigned copy = 0; copy < 2; copy++)
		for (unsigned i = 0; headers[copy] != NULL && recipient_read(&recipient, headers[copy]->slots, i);
		        i++) {
			fit = key_slot_fit(&recipient.key, public->type, id);
			best = fit > best ? fit : best;
		}
	return best;
}

struct locked_secret *locked_secret_next(struct locked_secret *all, const struct header *const headers[2])
{
	struct locked_secret *next = NULL;
	enum slot_fit best = FITS_NOT;

	for (; all != NULL; all = all->next) {
		enum slot_fit fit = all->asked ? FITS_NOT : fit_headers(&all->public, headers);

		if (fit > best) {
			best = fit;
			next = all;
		}
	}
	return next;
}
