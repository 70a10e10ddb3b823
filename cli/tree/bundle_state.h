/* Inside the files that read a tree: bundle_write.c, bundle_pack.c and bundle_copy.c. */
#ifndef CLI_TREE_BUNDLE_STATE_H
#define CLI_TREE_BUNDLE_STATE_H

#include <locale.h>

#include "cli/tree/bundle.h"
#include "cli/files/folder.h"

/* A file's place and its status. */
struct place {
	int folder_fd;
	const char *name; /* in the folder; not owned */
	const char *path; /* in the tree; not owned */
	int fd;           /* regular files and folders: open; else -1 */
	struct stat stat;
};

/* Look at what the name is, and open files and folders.  Links are not followed.  -1: errno says why
 * it cannot be read. */
int place_open(struct place *place);

/* Read all metadata of a file: mode, owner, times, access control lists, extended attributes, the target of a link, and
 * the data ranges of a file with holes. False: some are missing, for the reason in archive_error_string(disk). */
bool entry_fill(struct archive_entry *entry, struct archive *disk, const struct place *place);

/* Start a thread that reads the tree ahead of the reader, in the order of walk.h; fd is duplicated; n_names: names that
 * the reader has passed.  NULL: no thread could be started, and the reader only waits longer for storage. */
struct ahead *ahead_open(int fd, const struct walk_limits *limits, unsigned n_names);

/* The reader passes one more name.  ahead may be NULL, in both functions. */
void ahead_follow(struct ahead *ahead);
void ahead_close(struct ahead *ahead);

#define PIECE_BYTES ((size_t)256 << 10) /* of a file, into libarchive */
#define ZEROS_BYTES ((size_t)1 << 30)   /* of address space: they are never written */

/* The regular file that is being copied. */
struct copied {
	struct place place;          /* fd -1: none */
	char *path;                  /* owned */
	struct archive_entry *entry; /* owned; has the parts with data */
	uint8_t *content;            /* owned: the whole content, if it was read before the header; or NULL */
	off_t size;                  /* in the archive */
	off_t at, data, data_end;    /* next byte; the next or current range of data */
	bool short_told;
};

/* Files that only the superuser can restore in full: device nodes, or files of other owners. */
struct counted {
	unsigned long long n;
	char first[512]; /* path, cut */
};

struct bundle {
	struct bundle_terms terms;
	struct archive *archive; /* owned */
	/* The destination of the archive's bytes: first the buffer that was given, then the overflow buffer. */
	uint8_t *room;
	size_t room_bytes;
	uint8_t *rest; /* owned */
	size_t rest_from, rest_end, rest_capacity;
	bool ended;
	struct source plain;                      /* a file that is compressed */
	uint64_t n_plain;                         /* bytes of it that were read */
	char *name;                               /* owned: terms.name without slashes at its end */
	struct archive *disk;                     /* owned */
	struct archive_entry_linkresolver *links; /* owned */
	locale_t utf8;                            /* 0: the system has none */
	struct walk walk;
	struct ahead *ahead; /* owned; may be NULL */
	unsigned n_names;    /* names that the reader has passed */
	long n_waits;        /* voluntary context switches of the reader's thread, when last counted */
	struct copied file;
	uint8_t *piece, *zeros; /* owned */
	unsigned long long n_incomplete;
	struct counted devices, of_others; /* of_others: files whose owner is not this user */
	bool started;
};

/* Write the next piece into the archive, or finish the archive. */
int bundle_step(struct bundle *bundle);

/* Make the source give the archive's bytes, whose number is unknown, in order; after the archive got its format; when
 * nothing more is written; when a function of libarchive failed. */
void bundle_pack_open(struct bundle *bundle, struct source *source);
int bundle_pack_start(struct bundle *bundle);
int bundle_pack_finish(struct bundle *bundle);
int bundle_pack_failed(const struct bundle *bundle);
void bundle_pack_close(struct bundle *bundle);

/* Memory that is not used before it is written. */
void *bundle_map(size_t n_bytes, int protection);

/* Report and count an entry that is missing in the archive or has changed. */
void bundle_miss(struct bundle *bundle, const char *path, const char *what, const char *why);

/* Find the size of a regular file, before its header is written.  A file of /proc or /sys is read as a whole for this.
 * A file that cannot be read is reported. */
void bundle_copy_measure(struct bundle *bundle, const struct place *place, struct archive_entry *entry);

/* Start the content of a file. The bundle owns entry and place->fd. */
void bundle_copy_begin(struct bundle *bundle, const struct place *place, struct archive_entry *entry);

/* One more piece of it; or it has ended. */
int bundle_copy(struct bundle *bundle);

/* Also after bundle_copy_measure() alone. */
void bundle_copy_end(struct bundle *bundle);

#endif
