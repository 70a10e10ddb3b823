/* libarchive's functions, loaded for the first tree or compressed file. */
#ifndef LIBARCHIVE_H
#define LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#include "ppf/shared_library.h"

/* archive_errno: without its prefix it would be the macro errno. */
#define LIBARCHIVE_FUNCTIONS(X)                      \
	X(, archive_errno)                           \
	X(archive_, entry_acl_clear)                 \
	X(archive_, entry_acl_types)                 \
	X(archive_, entry_clone)                     \
	X(archive_, entry_copy_gname)                \
	X(archive_, entry_copy_pathname)             \
	X(archive_, entry_copy_sourcepath)           \
	X(archive_, entry_copy_stat)                 \
	X(archive_, entry_copy_uname)                \
	X(archive_, entry_filetype)                  \
	X(archive_, entry_free)                      \
	X(archive_, entry_gid)                       \
	X(archive_, entry_gname)                     \
	X(archive_, entry_gname_utf8)                \
	X(archive_, entry_hardlink)                  \
	X(archive_, entry_hardlink_utf8)             \
	X(archive_, entry_linkify)                   \
	X(archive_, entry_linkresolver_free)         \
	X(archive_, entry_linkresolver_new)          \
	X(archive_, entry_linkresolver_set_strategy) \
	X(archive_, entry_mtime)                     \
	X(archive_, entry_new)                       \
	X(archive_, entry_new2)                      \
	X(archive_, entry_pathname)                  \
	X(archive_, entry_pathname_utf8)             \
	X(archive_, entry_perm)                      \
	X(archive_, entry_set_filetype)              \
	X(archive_, entry_set_perm)                  \
	X(archive_, entry_set_size)                  \
	X(archive_, entry_size)                      \
	X(archive_, entry_sparse_add_entry)          \
	X(archive_, entry_sparse_clear)              \
	X(archive_, entry_sparse_count)              \
	X(archive_, entry_sparse_next)               \
	X(archive_, entry_sparse_reset)              \
	X(archive_, entry_stat)                      \
	X(archive_, entry_strmode)                   \
	X(archive_, entry_symlink)                   \
	X(archive_, entry_symlink_utf8)              \
	X(archive_, entry_uid)                       \
	X(archive_, entry_uname)                     \
	X(archive_, entry_uname_utf8)                \
	X(archive_, entry_unset_atime)               \
	X(archive_, entry_unset_birthtime)           \
	X(archive_, entry_unset_ctime)               \
	X(archive_, entry_xattr_add_entry)           \
	X(archive_, entry_xattr_clear)               \
	X(archive_, entry_xattr_count)               \
	X(archive_, entry_xattr_next)                \
	X(archive_, entry_xattr_reset)               \
	X(archive_, error_string)                    \
	X(archive_, read_append_filter)              \
	X(archive_, read_data_block)                 \
	X(archive_, read_data_skip)                  \
	X(archive_, read_disk_entry_from_file)       \
	X(archive_, read_disk_new)                   \
	X(archive_, read_disk_set_behavior)          \
	X(archive_, read_disk_set_standard_lookup)   \
	X(archive_, read_free)                       \
	X(archive_, read_new)                        \
	X(archive_, read_next_header)                \
	X(archive_, read_open)                       \
	X(archive_, read_support_format_empty)       \
	X(archive_, read_support_format_raw)         \
	X(archive_, read_support_format_tar)         \
	X(archive_, set_error)                       \
	X(archive_, write_add_filter_zstd)           \
	X(archive_, write_close)                     \
	X(archive_, write_data)                      \
	X(archive_, write_data_block)                \
	X(archive_, write_disk_new)                  \
	X(archive_, write_disk_set_options)          \
	X(archive_, write_disk_set_standard_lookup)  \
	X(archive_, write_finish_entry)              \
	X(archive_, write_free)                      \
	X(archive_, write_header)                    \
	X(archive_, write_new)                       \
	X(archive_, write_open)                      \
	X(archive_, write_set_bytes_per_block)       \
	X(archive_, write_set_filter_option)         \
	X(archive_, write_set_format_option)         \
	X(archive_, write_set_format_pax)            \
	X(archive_, write_set_format_raw)

struct libarchive {
	LIBARCHIVE_FUNCTIONS(SHARED_LIBRARY_MEMBER)
};

extern struct libarchive libarchive;

/* Load libarchive, before any other function of cli/tree/ is called.  GPUCRYPT_UNKNOWN. */
int libarchive_load(const char *needed_by);

#endif
