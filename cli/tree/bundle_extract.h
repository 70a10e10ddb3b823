/* The entries of an archive, made in a folder that is empty and private. */
#ifndef BUNDLE_EXTRACT_H
#define BUNDLE_EXTRACT_H

#include "cli/tree/bundle.h"

struct extraction {
	int folder_fd;         /* not owned */
	const char *name;      /* of the container, for messages; not owned */
	bool devices;          /* device nodes may be made */
	bool same_permissions; /* else what gives rights to others is dropped, and counted */
	bool fills_zeros;      /* else blocks of zeros become holes */
	bool quiet;            /* no message about single members */
	unsigned long long n_incomplete, n_restricted, n_left_out;
	char refused[512]; /* what the target refused first, and why; "": nothing */
	/* Its thread's. */
	mode_t mask;                /* the umask */
	size_t block_bytes;         /* of the file system; 0: zeros are written */
	struct archive *disk;       /* owned */
	struct archive_entry *root; /* owned: what the tree's own folder will be */
	int left_fd;                /* where the process stood; -1: it stands there still */
};

/* Shorten a long name: struct handoff has room for 1023 bytes, and the reason follows the name. */
#define QUOTED_NAME "'%.400s'"

/* For an extraction whose fields up to quiet are set. */
struct bundle_visitor extraction_visitor(struct extraction *extraction, struct selection *selection);

/* GPUCRYPT_IO if a member was left out, or could not be set as it was; each has had a warning.  What was dropped on
 * purpose, and what the target refuses, is one warning each here, and no failure. */
int extraction_result(const struct extraction *extraction);

#endif
