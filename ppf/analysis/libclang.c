#include "ppf/analysis/libclang.h"

struct libclang libclang;

int libclang_load(const char *needed_by)
{
	static struct shared_library library = { .file = LIBCLANG,
		.package = "libclang1",
		.names = LIBCLANG_FUNCTIONS(SHARED_LIBRARY_NAME),
		.functions = &libclang };

	return shared_library_load(&library, needed_by);
}
