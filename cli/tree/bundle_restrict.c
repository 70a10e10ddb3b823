#include "cli/tree/bundle_restrict.h"

#include <stdlib.h>
#include <string.h>

#include "command/hex.h"

#define PERMISSIONS (S_IRWXU | S_IRWXG | S_IRWXO)

/* Keep the attributes whose names pass; the function may change a name in place.  True: some were dropped. */
static bool filter_attributes(struct archive_entry *entry, bool (*passes)(char *name))
{
	struct archive_entry *copy;
	const char *name;
	const void *value;
	size_t n_bytes;
	char *own;
	int before = libarchive.entry_xattr_count(entry);

	if (before == 0)
		return false;
	copy = libarchive.entry_clone(entry);
	libarchive.entry_xattr_clear(entry);
	libarchive.entry_xattr_reset(copy);
	while (libarchive.entry_xattr_next(copy, &name, &value, &n_bytes) == ARCHIVE_OK && (own = strdup(name))) {
		if (passes(own))
			libarchive.entry_xattr_add_entry(entry, own, value, n_bytes);
		free(own);
	}
	libarchive.entry_free(copy);
	return libarchive.entry_xattr_count(entry) < before;
}

/* Decode each %XX; not %00, because no name has a zero byte. */
static bool decode_name(char *name)
{
	char *to = name;
	uint8_t byte;

	for (const char *from = name; *from; from++) {
		bool encoded = from[0] == '%' && from[1] && hex_decode(&byte, 1, from + 1) && byte;

		*to++ = encoded ? (char)byte : *from;
		from += encoded ? 2 : 0;
	}
	*to = '\0';
	return true;
}

static bool is_user_attribute(char *name)
{
	return !strncmp(name, "user.", 5);
}

bool entry_decode_attribute_names(struct archive_entry *entry)
{
	return !filter_attributes(entry, decode_name);
}

bool entry_drop_system_attributes(struct archive_entry *entry)
{
	return filter_attributes(entry, is_user_attribute);
}

/* Linux ignores the mode of a symbolic link. */
static bool drop_permissions(struct archive_entry *entry, mode_t mask)
{
	mode_t had = libarchive.entry_perm(entry);

	if (libarchive.entry_filetype(entry) == AE_IFLNK)
		return false;
	libarchive.entry_set_perm(entry, had & PERMISSIONS & ~mask);
	return libarchive.entry_perm(entry) != had;
}

bool entry_restrict(struct archive_entry *entry, mode_t mask)
{
	bool list = libarchive.entry_acl_types(entry) != 0, attributes, permissions;

	libarchive.entry_acl_clear(entry);
	attributes = entry_drop_system_attributes(entry);
	permissions = drop_permissions(entry, mask);
	return list || attributes || permissions;
}
