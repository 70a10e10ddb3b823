/* Several engines as one: its lanes are all their lanes. */
#ifndef ENGINE_ALL_H
#define ENGINE_ALL_H

#include "gpucrypt/engine/engine.h"

/* While a thread of the CPU has one group, devices go through so many more. */
#define ALL_SPARE_SLOTS 32

/*
 * Make one engine of engines that are open and tested, for the same suite; *all owns them, and on
 * failure they are closed.  Buffers are page-locked by the first one that can.  Tags that an
 * engine does not compute are computed on the lane, from the same bytes.
 */
int engine_join(struct engine **all, struct engine *const *parts, unsigned n_parts);

/* What one part is to do: a plan of "opencl" or "cpu". */
struct gpucrypt_plan plan_of_part(const struct gpucrypt_plan *plan, const struct gpucrypt_part *part);

/* Threads of the CPU beside so many devices where nothing is predicted. */
unsigned all_threads(const struct suite *suite, const struct gpucrypt_plan *plan, unsigned n_devices);

/* Its description, of theirs: "A + 2 × (B)". */
void all_describe(char text[ENGINE_TEXT], const char *const *parts, unsigned n_parts);

/* … and behind it the CPU engine's that works until they are open (relay.h). */
void all_describe_first(char text[ENGINE_TEXT], const char *cpu);

#endif
