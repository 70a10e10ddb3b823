#include "gpucrypt/engine/opening.h"

#include <stdio.h>

#include "gpucrypt/status.h"

/* The failure text is thread-local: copy the text for the thread that calls opening_finish(). */
static void *open_engine(void *argument)
{
	struct opening *opening = argument;

	opening->status = engine_open(&opening->engine, opening->suite, opening->plan);
	snprintf(opening->text, sizeof opening->text, "%s", gpucrypt_error());
	return NULL;
}

void opening_start(struct opening *opening, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	*opening = (struct opening){ .suite = suite, .plan = plan };
	/* The CPU engine is open at once. */
	opening->apart =
	        plan->engine != GPUCRYPT_CPU && pthread_create(&opening->thread, NULL, open_engine, opening) == 0;
}

int opening_finish(struct opening *opening, struct engine **engine)
{
	if (!opening->apart) {
		opening->status = engine_open(engine, opening->suite, opening->plan);
		return opening->status;
	}
	pthread_join(opening->thread, NULL);
	*engine = opening->engine;
	return opening->status == GPUCRYPT_OK ? GPUCRYPT_OK
	                                      : fail((enum gpucrypt_status)opening->status, "%s", opening->text);
}
