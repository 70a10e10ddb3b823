/* Inside bundle_write.c and bundle_copy.c: a tree on its way into an archive. */
#ifndef BUNDLE_STATE_H
#define BUNDLE_STATE_H

#include <locale.h>

#include "cli/tree/bundle.h"
#include "cli/tree/bundle_ahead.h"
#include "cli/tree/bundle_entry.h"
#include "cli/files/walk.h"

#define PIECE_BYTES ((size_t)256 << 10)
#define ZEROS_BYTES ((size_t)1 << 30) /* of address space: they are never written */

/* The regular file that is being copied. */
struct copied {
	struct place place;          /* fd -1: none */
	char *path;                  /* owned */
	struct archive_entry *entry; /* owned; has the parts with data */
	off_t at, data, data_end;    /* next byte; the next or current range of data */
	bool short_told;
};

struct bundle {
	struct bundle_terms terms;
	int name_length;                          /* of terms.name, without slashes at its end */
	struct archive *archive, *disk;           /* owned */
	struct archive_entry_linkresolver *links; /* owned */
	locale_t utf8;                            /* 0: the system has none */
	struct walk walk;
	struct ahead *ahead; /* owned; may be NULL */
	struct copied file;
	uint8_t *piece, *zeros; /* owned */
	/* The destination of the archive's bytes: first the buffer that was given, then the overflow buffer. */
	uint8_t *room;
	size_t room_bytes;
	uint8_t *rest; /* owned */
	size_t rest_from, rest_end, rest_capacity;
	unsigned long long n_incomplete;
	bool started, ended;
};

/* Report and count an entry that is missing in the archive or has changed. */
void bundle_miss(struct bundle *bundle, const char *path, const char *what, const char *why);

/* libarchive could not go on. */
int bundle_write_failed(struct bundle *bundle);

/* Start the content of a file. The bundle owns entry and place->fd. */
int bundle_copy_begin(struct bundle *bundle, const struct place *place, struct archive_entry *entry);

/* One more piece of it; or it has ended. */
int bundle_copy(struct bundle *bundle);

void bundle_copy_end(struct bundle *bundle);

#endif
