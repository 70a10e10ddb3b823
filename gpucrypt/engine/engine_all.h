/* The hybrid engine: several engines as one, whose lanes are all their lanes. */
#ifndef GPUCRYPT_ENGINE_ENGINE_ALL_H
#define GPUCRYPT_ENGINE_ENGINE_ALL_H

#include "gpucrypt/engine/engine.h"

/* Groups that devices complete while a thread of the CPU works on one. */
#define ALL_SPARE_SLOTS 32

/*
 * Join engines that are open and tested, for the same suite; *all owns them, and on failure they are
 * closed.  Buffers are page-locked by the first engine that can.  Tags that an engine does not compute are
 * computed on the lane, from the same bytes.
 */
int engine_join(struct engine **all, struct engine *const *parts, unsigned n_parts);

/* The plan of one part, for the OpenCL or the CPU engine. */
struct gpucrypt_plan plan_of_part(const struct gpucrypt_plan *plan, const struct gpucrypt_part *part);

/* Threads of the CPU in addition to so many devices, where nothing is predicted. */
unsigned all_threads(const struct suite *suite, const struct gpucrypt_plan *plan, unsigned n_devices);

/* The description of the parts: "A + 2 × (B)". */
void all_describe(char text[ENGINE_TEXT], const char *const *parts, unsigned n_parts);

#endif
