/* info of a LUKS volume. */
#ifndef LUKS_INFO_H
#define LUKS_INFO_H

#include <stdbool.h>

#include "cli/args/options.h"

/* If the file or block device is a LUKS volume, print its header and its key slots, which no key authenticates, and
 * what unlocking costs at most, in words or as JSON.  The name is overwritten by what can be printed of it. */
int luks_info(bool *found, char *name, const struct options *options);

#endif
