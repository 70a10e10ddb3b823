#include "cli/tree/bundle_restrict.h"

#include <archive.h>
#include <string.h>

#define PERMISSIONS (S_IRWXU | S_IRWXG | S_IRWXO)

bool entry_drop_system_attributes(struct archive_entry *entry)
{
	struct archive_entry *copy;
	const char *name;
	const void *value;
	size_t n_bytes;
	int before = archive_entry_xattr_count(entry);

	if (before == 0)
		return false;
	copy = archive_entry_clone(entry);
	archive_entry_xattr_clear(entry);
	archive_entry_xattr_reset(copy);
	while (archive_entry_xattr_next(copy, &name, &value, &n_bytes) == ARCHIVE_OK)
		if (!strncmp(name, "user.", 5))
			archive_entry_xattr_add_entry(entry, name, value, n_bytes);
	archive_entry_free(copy);
	return archive_entry_xattr_count(entry) < before;
}

/* Linux ignores the mode of a symbolic link. */
static bool drop_permissions(struct archive_entry *entry, mode_t mask)
{
	mode_t had = archive_entry_perm(entry);

	if (archive_entry_filetype(entry) == AE_IFLNK)
		return false;
	archive_entry_set_perm(entry, had & PERMISSIONS & ~mask);
	return archive_entry_perm(entry) != had;
}

bool entry_restrict(struct archive_entry *entry, mode_t mask)
{
	bool list = archive_entry_acl_types(entry) != 0, attributes, permissions;

	archive_entry_acl_clear(entry);
	attributes = entry_drop_system_attributes(entry);
	permissions = drop_permissions(entry, mask);
	return list || attributes || permissions;
}
