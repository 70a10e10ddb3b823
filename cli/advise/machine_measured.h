/* The machine's model for callers that need its records measured first. */
#ifndef MACHINE_MEASURED_H
#define MACHINE_MEASURED_H

#include <stdbool.h>

#include "gpucrypt/gpucrypt.h"
#include "ppf/model/machine.h"

/* Taken, and measured as far as the plan could use it: once, which takes seconds.  What cannot be
 * measured is a warning and has a default.  A record of the CPU that other programs disturbed is measured again; again:
 * all records are. */
void machine_measured(struct machine *machine, const struct gpucrypt_plan *plan, bool again);

#endif
