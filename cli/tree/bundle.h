/*
 * A directory tree as a stream of bytes, and back: a pax archive, by libarchive, possibly in zstd.
 * There is never an archive in a file: the encryptor asks for the bytes as it goes, and a thread
 * takes them as they are authenticated.  Names are bytes, relative to the tree; the tree itself
 * is ".".
 */
#ifndef CLI_TREE_BUNDLE_H
#define CLI_TREE_BUNDLE_H

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "cli/files/folder.h"
#include "gpucrypt/pipeline/handoff.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gen/libarchive.h"
#include "ppf/shared_library.h"
#include "command/program.h"

/* libarchive's functions, loaded for the first tree or compressed file. */

struct libarchive {
	LIBARCHIVE_FUNCTIONS(SHARED_LIBRARY_MEMBER)
};

extern struct libarchive libarchive;

/* Load libarchive, before any other function of cli/tree/ is called.  GPUCRYPT_UNKNOWN. */
int libarchive_load(const char *needed_by);

struct bundle; /* a tree, or a file to compress, that is being read */

/* Options for reading a tree. */
struct bundle_terms {
	int fd;           /* the tree; stays the caller's; -1: a file, which the source reads */
	const char *name; /* for messages; not owned */
	struct walk_limits limits;
	struct stat skip; /* a file that is not part of it: the output; all zero: none */
	int zstd_level;   /* 0: not compressed */
	bool quiet;       /* no message about entries that are left out on purpose */
};

/* Make the source give the tree's bytes, or its own bytes compressed: size unknown, content CONTENT_PAX,
 * CONTENT_PAX_ZSTD, or CONTENT_BYTES_ZSTD. */
int bundle_open(struct bundle **bundle, struct source *source, const struct bundle_terms *terms);

/* GPUCRYPT_IO if entries are missing or changed while they were read; each of these had its own warning.  Warns of
 * owners and device nodes that only the superuser can restore. */
int bundle_result(const struct bundle *bundle);

void bundle_close(struct bundle *bundle); /* NULL is fine */

/* Members of an archive, chosen by paths and patterns by the rules of tar(1). */

/* Shorten a long name: struct handoff has room for 1023 bytes, and the reason follows the name. */
#define QUOTED_NAME "'%.400s'"

struct selection {
	const char *name;                 /* of the container, for messages; not owned */
	const struct name_list *excluded; /* patterns; not owned */
	bool extracts;                    /* the folders around a member are visited too, before it */
	unsigned n_paths;                 /* 0: all members */
	struct selected_path {
		const char *given; /* not owned */
		char *path;        /* owned: the same without ./ at its start and slashes at its end */
		bool found;
	} * paths; /* owned */
	/* Of the thread that reads the archive. */
	struct folder_around *folders; /* owned: of the last entry, innermost first; not members themselves */
	unsigned long long n_members, n_missed_links;
};

int selection_open(struct selection *selection, const struct parsed *parsed, const struct name_list *excluded,
        const char *name, bool extracts);

/* Call visit for the entry if it is a member, and before it for folders around it, with the archive NULL. */
int selection_visit(struct selection *selection, struct archive *archive, struct archive_entry *entry,
        int (*visit)(void *self, struct archive *archive, struct archive_entry *entry), void *self);

/* GPUCRYPT_IO if a path matched nothing, or the content of a hard link was not among the members. */
int selection_result(const struct selection *selection);

void selection_close(struct selection *selection); /* zeroed is fine */

/* A consumer of an archive's entries, in a thread of its own. */
struct bundle_visitor {
	void *self;
	int (*start)(void *self); /* in that thread, before the first entry; NULL: nothing to do */
	/* The entry's data is read from the archive if it is wanted. */
	int (*visit)(void *self, struct archive *archive, struct archive_entry *entry);
	/* Instead of visit, for a container of CONTENT_BYTES_ZSTD: the next decompressed bytes. */
	int (*take)(void *self, const void *bytes, size_t n_bytes);
	/* The whole archive was there and authentic; NULL: nothing to do. */
	int (*finish)(void *self);
	void (*stop)(void *self);    /* in that thread, whatever happened; NULL: nothing to do */
	struct selection *selection; /* the entries to visit; not owned; NULL: all */
};

/* A sink for the decrypted archive. */
struct bundle_sink {
	struct handoff handoff; /* its status and text become the thread's */
	struct bundle_visitor visitor;
	const char *name;        /* of the container; not owned */
	struct archive *archive; /* owned */
	struct archive *zstd;    /* owned: decompresses for `archive`; NULL: not compressed */
	bool has_bytes;          /* some were decrypted */
	const void *piece;       /* of the archive's bytes, not read yet */
	size_t piece_bytes;
	bool in_metadata; /* between two entries' data */
	size_t metadata_bytes;
	pthread_t thread;
	bool running;
};

/* name and visitor->self must stay until the sink is closed. */
int bundle_sink_open(
        struct bundle_sink *sink, unsigned content, const char *name, const struct bundle_visitor *visitor);

/* status: of the decryption.  Only if that is GPUCRYPT_OK the visitor's finish() is called.  Returns
 * status, or what the thread found wrong. */
int bundle_sink_close(struct bundle_sink *sink, int status);

/* libarchive's failure as ours: text "name: what: why". */
int bundle_failed(int status, struct archive *archive, const char *name, const char *what);

/* A sink that decompresses, for a decryption of compressed content. */
struct decompression {
	struct bundle_sink bundle;
	struct sink *sink; /* NULL: nothing is decompressed */
	uint64_t n_bytes;
};

/* *sink is replaced if the container has this content and *sink is not NULL.  name and *sink must stay until the
 * end. */
int decompression_begin(struct decompression *decompression, unsigned content, const char *name, struct sink **sink);

/* status: of the decryption.  Returns it, or what is wrong with the compressed bytes; the report's length becomes that
 * of what was written. */
int decompression_end(struct decompression *decompression, int status, struct report *report);

/* A visitor that prints the entries of an archive in words, a line each, or as JSON. */
struct listing {
	bool json, verbose;
	unsigned long long n_entries;
};

struct bundle_visitor listing_visitor(struct listing *listing, struct selection *selection);

/* The entries of an archive, made in a folder that is empty and private. */

struct extraction {
	int folder_fd;         /* not owned */
	const char *name;      /* of the container, for messages; not owned */
	bool devices;          /* device nodes may be made */
	bool same_permissions; /* else what gives rights to others is dropped, and counted */
	bool fills_zeros;      /* else blocks of zeros become holes */
	bool quiet;            /* no message about single members */
	unsigned long long n_incomplete, n_restricted, n_left_out;
	char refused[512]; /* the first member with an attribute that the target refused, and why; "": none */
	/* Used only by the thread that extracts. */
	mode_t mask;                /* the umask */
	size_t block_bytes;         /* block size of the file system; 0: zeros are written */
	struct archive *disk;       /* owned */
	struct archive_entry *root; /* owned: the attributes that the tree's own folder will get */
	int left_fd;                /* the working folder before; -1: the process has not left it */
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

/* Between bundle_extract.c and bundle_member.c. */

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
