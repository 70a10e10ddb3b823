/* enc --in-place: encrypt an image in place.  The detached header, and a journal during the run, lie beside it. */
#ifndef CLI_IN_PLACE_H
#define CLI_IN_PLACE_H

#include "cli/transform/job.h"

extern const struct job_kind in_place_kind;

#endif
