/* Groups worked on by the CPU until the engine that is wanted is open, and by that from there on. */
#ifndef RELAY_H
#define RELAY_H

#include "gpucrypt/engine/opening.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/pipeline/report.h"

/* Does the CPU begin: is it "all", and may a device take part? */
bool relay_begins(const struct gpucrypt_plan *plan);

/* Run items with what *engine is by then, in buffers that the engine before it has used, if there was one. */
typedef int relay_items(void *job, const struct gpucrypt_plan *plan, struct items *items);

/*
 * From opening_start() to the last item.  *engine is NULL at first, and in the end who has worked last;
 * the caller closes it.  report may be NULL.
 */
int relay_run(struct opening *opening, struct engine **engine, struct report *report, relay_items *run, void *job);

#endif
