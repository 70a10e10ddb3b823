/* enc --in-place and dec --in-place: convert an image in place.  The detached header, and a journal during the run, lie
 * beside it. */
#ifndef CLI_IN_PLACE_H
#define CLI_IN_PLACE_H

#include "cli/transform/job.h"

extern const struct job_kind enc_in_place_kind, dec_in_place_kind;

#endif
