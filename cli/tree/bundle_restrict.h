/* Remove the permissions that an archive's entry gives to others, unless the user asked for them. */
#ifndef BUNDLE_RESTRICT_H
#define BUNDLE_RESTRICT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "cli/tree/libarchive.h"

/* Drop setuid, setgid and sticky bits, permissions that `mask` (a umask) forbids, access control
 * lists, and extended attributes outside of user.  True: the entry had some of them. */
bool entry_restrict(struct archive_entry *entry, mode_t mask);

/* Undo the encoding of attribute names in a pax archive (gcrypt(5), "Directories"), before a name decides anything.
 * False: out of memory. */
bool entry_decode_attribute_names(struct archive_entry *entry);

/* Drop extended attributes outside of user. (capabilities and labels among them).  True: there were
 * some. */
bool entry_drop_system_attributes(struct archive_entry *entry);

#endif
