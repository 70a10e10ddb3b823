/*
 * A directory tree as a stream of bytes, and back: a pax archive, by libarchive, possibly in zstd.
 * There is never an archive in a file: the encryptor asks for the bytes as it goes, and a thread
 * takes them as they are authenticated.  Names are bytes, relative to the tree; the tree itself
 * is ".".
 */
#ifndef CLI_TREE_BUNDLE_H
#define CLI_TREE_BUNDLE_H

#include <sys/stat.h>

#include "cli/tree/libarchive.h"
#include "cli/tree/selection.h"
#include "cli/files/walk.h"
#include "gpucrypt/pipeline/handoff.h"
#include "gpucrypt/pipeline/report.h"

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

#endif
