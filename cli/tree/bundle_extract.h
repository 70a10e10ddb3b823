/* The entries of an archive, made in a folder that is empty and private. */
#ifndef BUNDLE_EXTRACT_H
#define BUNDLE_EXTRACT_H

#include "cli/tree/bundle.h"

struct extraction {
	int folder_fd;         /* not owned */
	const char *name;      /* of the container, for messages; not owned */
	bool devices;          /* device nodes may be made */
	bool same_permissions; /* else what gives rights to others is dropped, and counted */
	bool quiet;            /* no message about metadata that is dropped on purpose */
	unsigned long long n_incomplete, n_restricted;
	/* Its thread's. */
	mode_t mask;                /* the umask */
	struct archive *disk;       /* owned */
	struct archive_entry *root; /* owned: what the tree's own folder will be */
	int left_fd;                /* where the process stood; -1: it stands there still */
};

/* For an extraction whose folder_fd, name, devices, same_permissions and quiet are set. */
struct bundle_visitor extraction_visitor(struct extraction *extraction, struct selection *selection);

/* GPUCRYPT_IO if something could not be set as it was; each has had a warning.  What was dropped on
 * purpose is one warning here, and no failure. */
int extraction_result(const struct extraction *extraction);

#endif
