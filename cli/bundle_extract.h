/* The entries of an archive, made in a folder that is empty and private. */
#ifndef BUNDLE_EXTRACT_H
#define BUNDLE_EXTRACT_H

#include "bundle.h"

struct extraction {
	int folder_fd;    /* not owned */
	const char *name; /* of the container, for messages; not owned */
	bool devices;     /* device nodes may be made */
	unsigned long long n_incomplete;
	/* Its thread's. */
	struct archive *disk;       /* owned */
	struct archive_entry *root; /* owned: what the tree's own folder will be */
	int left_fd;                /* where the process stood; -1: it stands there still */
};

/* For an extraction whose folder_fd, name and devices are set. */
struct bundle_visitor extraction_visitor(struct extraction *extraction);

/* GPUCRYPT_IO if something could not be set as it was; each has had a warning. */
int extraction_result(const struct extraction *extraction);

#endif
