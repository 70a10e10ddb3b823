/* Open an engine on a separate thread while keys are derived. */
#ifndef GPUCRYPT_ENGINE_OPENING_H
#define GPUCRYPT_ENGINE_OPENING_H

#include <pthread.h>

#include "gpucrypt/engine/engine.h"

struct opening {
	pthread_t thread;
	bool apart; /* a separate thread was started */
	const struct suite *suite;
	const struct gpucrypt_plan *plan;
	struct engine *engine;
	int status;
	char text[1024]; /* message of the failure */
};

/* Start engine_open(); suite and plan must stay valid until opening_finish(). */
void opening_start(struct opening *opening, const struct suite *suite, const struct gpucrypt_plan *plan);

/* Wait for the result of engine_open().  Call opening_finish() once after each start. */
int opening_finish(struct opening *opening, struct engine **engine);

#endif
