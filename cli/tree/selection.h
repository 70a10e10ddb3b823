/* Members of an archive, chosen by paths and patterns by the rules of tar(1). */
#ifndef CLI_TREE_SELECTION_H
#define CLI_TREE_SELECTION_H

#include <stdbool.h>

#include "command/program.h"
#include "cli/files/patterns.h"
#include "cli/tree/libarchive.h"

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

#endif
