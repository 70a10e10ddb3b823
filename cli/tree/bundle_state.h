/* Inside bundle_write.c and bundle_copy.c: a tree on its way into an archive. */
#ifndef BUNDLE_STATE_H
#define BUNDLE_STATE_H

#include <locale.h>

#include "cli/tree/bundle.h"
#include "cli/tree/bundle_ahead.h"
#include "cli/tree/bundle_entry.h"
#include "cli/tree/packer.h"
#include "cli/files/walk.h"

#define ZEROS_BYTES ((size_t)1 << 30) /* of address space: they are never written */

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

struct bundle {
	struct bundle_terms terms;
	int name_length; /* of terms.name, without slashes at its end */
	struct packer packer;
	struct archive *disk;                     /* owned */
	struct archive_entry_linkresolver *links; /* owned */
	locale_t utf8;                            /* 0: the system has none */
	struct walk walk;
	struct ahead *ahead; /* owned; may be NULL */
	struct copied file;
	uint8_t *piece, *zeros; /* owned */
	unsigned long long n_incomplete;
	bool started;
};

/* Report and count an entry that is missing in the archive or has changed. */
void bundle_miss(struct bundle *bundle, const char *path, const char *what, const char *why);

/* Find the size of a regular file, before its header is written.  A file of /proc or /sys is read as a whole for this.
 * A file that cannot be read is reported. */
int bundle_copy_measure(struct bundle *bundle, const struct place *place, struct archive_entry *entry);

/* Start the content of a file. The bundle owns entry and place->fd. */
int bundle_copy_begin(struct bundle *bundle, const struct place *place, struct archive_entry *entry);

/* One more piece of it; or it has ended. */
int bundle_copy(struct bundle *bundle);

/* Also after bundle_copy_measure() alone. */
void bundle_copy_end(struct bundle *bundle);

#endif
