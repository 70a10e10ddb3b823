#include "ppf/shared_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "gpucrypt/status.h"

static bool find_functions(const struct shared_library *library, void *handle)
{
	char *to = library->functions;

	for (const char *name = library->names; *name; name += strlen(name) + 1) {
		void *function = dlsym(handle, name);

		if (!function)
			return false;
		/* ISO C has no conversion from an object pointer to a function pointer; POSIX promises the bytes. */
		memcpy(to, &function, sizeof function);
		to += sizeof function;
	}
	return true;
}

int shared_library_load(struct shared_library *library, const char *needed_by)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	int status = GPUCRYPT_OK;

	pthread_mutex_lock(&mutex);
	if (!library->loaded) {
		void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);

		library->loaded = handle && find_functions(library, handle);
		if (!library->loaded)
			status = fail(GPUCRYPT_UNKNOWN, "%s: needs a library: %s (Debian package: %s)", needed_by,
			        dlerror(), library->package);
	}
	pthread_mutex_unlock(&mutex);
	return status;
}
