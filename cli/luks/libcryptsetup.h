/* libcryptsetup's functions, for volume.c. */
#ifndef CLI_LUKS_LIBCRYPTSETUP_H
#define CLI_LUKS_LIBCRYPTSETUP_H

#include <libcryptsetup.h>

#include "gen/libcryptsetup.h"
#include "ppf/shared_library.h"

struct libcryptsetup {
	LIBCRYPTSETUP_FUNCTIONS(SHARED_LIBRARY_MEMBER)
};

#endif
