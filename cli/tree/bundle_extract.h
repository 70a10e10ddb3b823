/* The entries of an archive, made in a folder that is empty and private. */
#ifndef CLI_TREE_BUNDLE_EXTRACT_H
#define CLI_TREE_BUNDLE_EXTRACT_H

#include "cli/tree/bundle.h"

struct extraction {
	int folder_fd;         /* not owned */
	const char *name;      /* of the container, for messages; not owned */
	bool devices;          /* device nodes may be made */
	bool same_permissions; /* else what gives rights to others is dropped, and counted */
	bool fills_zeros;      /* else blocks of zeros become holes */
	bool quiet;            /* no message about single members */
	unsigned long long n_incomplete, n_restricted, n_left_out;
	char refused[512]; /* the first member with an attribute that the target refused, and why; "": none */
	/* Its thread's. */
	mode_t mask;                /* the umask */
	size_t block_bytes;         /* of the file system; 0: zeros are written */
	struct archive *disk;       /* owned */
	struct archive_entry *root; /* owned: what the tree's own folder will be */
	int left_fd;                /* where the process stood; -1: it stands there still */
	int fd;                     /* the file that member_write() writes itself; -1: libarchive writes it */
	off_t n_written;            /* bytes of fd up to the last one written */
	char *parent;               /* owned: path of parent_fd, with a slash at its end; NULL: none */
	int parent_fd;              /* owned: the open folder of the last file that was written to fd */
};

/* For an extraction whose fields up to quiet are set. */
struct bundle_visitor extraction_visitor(struct extraction *extraction, struct selection *selection);

/* GPUCRYPT_IO if a member was left out or an attribute could not be restored; each of these had its own warning. Prints
 * one warning for all attributes that were dropped on purpose, and one for all that the target refused. */
int extraction_result(const struct extraction *extraction);

/* Between bundle_extract.c, bundle_member.c and bundle_judge.c. */

#define PERMISSIONS (S_IRWXU | S_IRWXG | S_IRWXO)

#define MEMBER_TWICE "two members have this name, or names that this file system does not distinguish"

/* Is the entry a regular file with no other attributes than mode, owner and time?  Such a file is created without
 * libarchive, and never replaces an existing file. */
bool member_is_plain(struct archive_entry *entry, const char *path);

/* Create a member; write bytes of the member's file; set the member's attributes.  Each returns a result code of
 * libarchive and sets the error of extraction->disk. */
int member_create(struct extraction *extraction, struct archive_entry *entry, const char *path);
int member_write(struct extraction *extraction, const uint8_t *bytes, size_t n_bytes, off_t offset);
int member_finish(struct extraction *extraction, struct archive_entry *entry);
void member_leave_parent(struct extraction *extraction);

/* Instead of a status: this member is not made, and extraction continues. */
#define MEMBER_LEFT_OUT (-1)

/* Report and count a member that is left out.  Returns MEMBER_LEFT_OUT. */
int member_leave_out(struct extraction *extraction, const char *path, const char *why);

/* The status of libarchive's result for a member, or for the folder if entry is NULL.  Members with missing
 * attributes are counted.  GPUCRYPT_IO, or GPUCRYPT_CORRUPT where only the archive can be the cause. */
int member_judge(struct extraction *extraction, const char *path, struct archive_entry *entry, int result);

/* member_judge() for the result of making the member; may return MEMBER_LEFT_OUT. */
int member_judge_header(struct extraction *extraction, const char *path, int result);

/* Note if the target refuses modes and times, which libarchive does not report for folders.  GPUCRYPT_IO. */
int extraction_try_target(struct extraction *extraction);

#endif
