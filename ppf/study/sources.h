/* The texts of kernels/study/, built in. */
#ifndef STUDY_SOURCES_H
#define STUDY_SOURCES_H

#include "gpucrypt/engine/opencl/program.h"

extern const struct kernel_source study_sources[]; /* ends with a NULL name */

#endif
