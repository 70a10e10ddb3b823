/* libclang loaded once for all child processes that analyse, which else each take longest to load it.  For programs
 * that do not open OpenCL, whose drivers bring an LLVM of their own (ppf/analysis/lower.h). */
#ifndef TESTS_UNIT_LIBCLANG_KEPT_H
#define TESTS_UNIT_LIBCLANG_KEPT_H

#include "tests/unit/cmocka_all.h"

__attribute__((weak)) int libclang_load(void); /* NULL: built without libclang */

__attribute__((constructor)) static void libclang_keep(void)
{
	if (libclang_load != NULL && libclang_load() != GPUCRYPT_OK)
		fail_clear(); /* each analysis fails for the same reason */
}

#endif
