#include "ppf/analysis/libclang.h"

#include <dlfcn.h>
#include <string.h>

#include "gpucrypt/status.h"

struct libclang libclang;

/* ISO C has no conversion from an object pointer to a function pointer; POSIX promises the bytes. */
#define LIBCLANG_FIND(name) { "clang_" #name, (void **)&libclang.name },

int libclang_load(void)
{
	const struct {
		const char *name;
		void **function;
	} wanted[] = { LIBCLANG_FUNCTIONS(LIBCLANG_FIND) };
	void *library = dlopen(LIBCLANG, RTLD_NOW | RTLD_LOCAL);

	if (library == NULL)
		return fail(GPUCRYPT_OTHER, "no analysis: %s", dlerror());
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		void *function = dlsym(library, wanted[i].name);
		if (function == NULL)
			return fail(GPUCRYPT_OTHER, "no analysis: %s", dlerror());
		memcpy(wanted[i].function, &function, sizeof function);
	}
	return GPUCRYPT_OK;
}
