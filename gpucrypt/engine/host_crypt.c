#include <stdio.h>
#include <stdlib.h>

#include "gpucrypt/engine/core_crypt.h"
#include "gpucrypt/engine/host_crypt.h"
#include "gpucrypt/engine/kernel_config.h"
#include "gpucrypt/status.h"

int host_crypt(const struct suite *suite, const struct table_form *form, const struct work *work)
{
	return core_crypt(suite, form->host_core, form->table, work);
}

/* The reference implementation as an engine. */

struct engine_of_host {
	struct engine engine;
	const struct table_form *form;
};

static int host_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	struct engine_of_host *host = calloc(1, sizeof(*host));
	struct kernel_config kernel;
	int status;

	if (host == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = kernel_config_check(&kernel, suite->cipher, plan);
	if (status != GPUCRYPT_OK) {
		free(host);
		return status;
	}
	host->form = kernel_form(&kernel, suite->cipher);
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
