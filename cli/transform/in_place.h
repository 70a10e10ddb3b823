/* enc --in-place: an image is encrypted where it is; its detached header, and while the run lasts a journal, lie beside
 * it. */
#ifndef CLI_IN_PLACE_H
#define CLI_IN_PLACE_H

#include "cli/transform/job.h"

extern const struct job_kind in_place_kind;

#endif
