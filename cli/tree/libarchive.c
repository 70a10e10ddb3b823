#include "cli/tree/libarchive.h"

struct libarchive libarchive;

int libarchive_load(const char *needed_by)
{
	static struct shared_library library = { .file = LIBARCHIVE,
		.package = "libarchive13",
		.names = LIBARCHIVE_FUNCTIONS(SHARED_LIBRARY_NAME),
		.functions = &libarchive };

	return shared_library_load(&library, needed_by);
}
