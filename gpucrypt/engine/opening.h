/* An engine that is opened while something else is done: keys derived, say. */
#ifndef OPENING_H
#define OPENING_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpucrypt/engine/engine.h"

struct opening {
	pthread_t thread;
	double late_s;
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

/* The next openings that the calling thread starts take so much longer: for measurements, in a process that
 * has opened a device before. */
void opening_late(double seconds);

/* Its result, after every start. */
int opening_finish(struct opening *opening, struct engine **engine);

#endif
