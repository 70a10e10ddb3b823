/*
 * libclang's functions, loaded when the first file is analysed, and only in the process that analyses:
 * OpenCL drivers bring an LLVM of their own, and two of them in one process break each other.
 */
#ifndef PPF_ANALYSIS_LIBCLANG_H
#define PPF_ANALYSIS_LIBCLANG_H

#include <clang-c/Index.h>

#include "gen/libclang.h"
#include "ppf/shared_library.h"

struct libclang {
	LIBCLANG_FUNCTIONS(SHARED_LIBRARY_MEMBER)
};

extern struct libclang libclang;

/* Load libclang before any other call.  GPUCRYPT_UNKNOWN. */
int libclang_load(const char *needed_by);

#endif
