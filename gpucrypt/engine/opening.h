/* An engine that is opened while something else is done: keys derived, say. */
#ifndef OPENING_H
#define OPENING_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpucrypt/engine/engine.h"

struct opening {
	pthread_t thread;
	bool apart;       /* the thread runs */
	atomic_bool over; /* opening_finish() would not wait */
	const struct suite *suite;
	const struct gpucrypt_plan *plan;
	struct engine *engine;
	int status;
	char text[1024]; /* of a failure */
};

/* Begin engine_open(); suite and plan must stay until opening_finish(). */
void opening_start(struct opening *opening, const struct suite *suite, const struct gpucrypt_plan *plan);

/* Its result, after every start. */
int opening_finish(struct opening *opening, struct engine **engine);

#endif
