/* libarchive's functions, loaded for the first tree or compressed file. */
#ifndef CLI_TREE_LIBARCHIVE_H
#define CLI_TREE_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#include "gen/libarchive.h"
#include "ppf/shared_library.h"

struct libarchive {
	LIBARCHIVE_FUNCTIONS(SHARED_LIBRARY_MEMBER)
};

extern struct libarchive libarchive;

/* Load libarchive, before any other function of cli/tree/ is called.  GPUCRYPT_UNKNOWN. */
int libarchive_load(const char *needed_by);

#endif
