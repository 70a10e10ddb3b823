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
	char refused[512]; /* the first member with an attribute that the target refused, and why; "": none */
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

/* GPUCRYPT_IO if a member was left out or an attribute could not be restored; each of these had its own warning. Prints
 * one warning for all attributes that were dropped on purpose, and one for all that the target refused. */
int extraction_result(const struct extraction *extraction);

#endif
