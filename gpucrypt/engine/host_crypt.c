#include <stdio.h>
#include <stdlib.h>

#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/engine/host_crypt.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/engine/shape.h"
#include "gpucrypt/status.h"

/* The first pass of XTS, under the second key; the caller frees the result. */
static block *encrypt_tweaks(
        const struct suite *suite, const struct table_form *form, const struct work *work, const struct span *span)
{
	uint64_t n_units = units_of_work(work);
	block *tweaks = malloc(tweaks_of_work(work) * sizeof(*tweaks));
	struct round_keys keys;

	if (tweaks == NULL)
		return NULL;
	cipher_expand(suite->cipher, &keys, work->key + suite->key_bytes, suite->key_bytes, ENCRYPT);
	form->host_core->tweaks(tweaks, n_units, span, &keys, form->table[ENCRYPT]);
	wipe(&keys, sizeof(keys));
	return tweaks;
}

int host_crypt(const struct suite *suite, const struct table_form *form, const struct work *work)
{
	struct round_keys keys;
	struct span span;
	enum direction direction = suite_direction(suite);
	block *tweaks = NULL;

	span_of_work(&span, suite, work);
	if (suite->mode->has_tweaks) {
		tweaks = encrypt_tweaks(suite, form, work, &span);
		if (tweaks == NULL)
			return fail(GPUCRYPT_OTHER, "out of memory");
		span.tweaks = tweaks;
	}
	cipher_expand(suite->cipher, &keys, work->key, suite->key_bytes, direction);
	form->host_core->crypt[suite->mode->number](
	        (const block *)work->in, (block *)work->out, &span, &keys, form->table[direction]);
	wipe(&keys, sizeof(keys));
	if (tweaks != NULL)
		wipe(tweaks, tweaks_of_work(work) * sizeof(*tweaks));
	free(tweaks);
	return GPUCRYPT_OK;
}

/* The reference implementation as an engine. */

struct engine_of_host {
	struct engine engine;
	const struct table_form *form;
};

static int host_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	struct engine_of_host *host = calloc(1, sizeof(*host));
	struct program_shape shape;
	int status;

	if (host == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = program_shape_of_plan(&shape, suite->cipher, plan);
	if (status != GPUCRYPT_OK) {
		free(host);
		return status;
	}
	host->form = shape.form;
	host->engine.class = &engine_host;
	host->engine.suite = *suite;
	host->engine.lanes = 1;
	snprintf(host->engine.description, sizeof(host->engine.description), "reference implementation, table %s",
	        host->form->name);
	*engine = &host->engine;
	return GPUCRYPT_OK;
}

static int host_engine_crypt(struct engine *engine, unsigned lane, const struct work *work)
{
	(void)lane;
	return host_crypt(&engine->suite, ((struct engine_of_host *)engine)->form, work);
}

static void host_close(struct engine *engine)
{
	free(engine);
}

const struct engine_class engine_host = {
	.name = "host", .open = host_open, .crypt = host_engine_crypt, .close = host_close
};
