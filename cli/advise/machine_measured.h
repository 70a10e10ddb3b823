/* The machine's model for callers that need its records measured first. */
#ifndef MACHINE_MEASURED_H
#define MACHINE_MEASURED_H

#include "gpucrypt/gpucrypt.h"
#include "ppf/model/machine.h"

/* Taken, and measured as far as the plan could use it: once, which takes seconds.  What cannot be
 * measured is a warning and has a default. */
void machine_measured(struct machine *machine, const struct gpucrypt_plan *plan);

#endif
