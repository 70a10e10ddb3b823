/* A directory tree on its way into a container or out of one. */
#ifndef CLI_TREE_TREE_H
#define CLI_TREE_TREE_H

#include "cli/tree/bundle.h"
#include "cli/tree/bundle_extract.h"
#include "gpucrypt/gpucrypt.h"
#include "gpucrypt/pipeline/report.h"
#include "cli/files/input.h"
#include "cli/args/options.h"
#include "cli/files/merge.h"
#include "cli/files/output.h"

struct tree {
	struct extraction extraction; /* first */
	struct bundle *bundle;        /* owned */
	struct selection selection;   /* owned: of the extraction */
	struct merge merge;           /* into a folder that exists */
	/* Extract a member before it is counted for the merge; NULL: a dry run. */
	int (*extract)(void *self, struct archive *archive, struct archive_entry *entry);
};

/* Make the input's source give the tree's bytes, or those of a file compressed.  The output, open, is no part of the
 * tree. */
int tree_open(struct tree *tree, struct input *input, const struct output *output, const struct name_list *excluded,
        const struct options *options);

/* Decrypt a container into the output's new folder; for a merge, examine and announce what it will replace.  A dry run
 * does only that. */
int tree_extract(struct tree *tree, struct input *input, const struct output *output, unsigned content,
        const struct name_list *excluded, const struct options *options, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* Call it after a run without other failures.  GPUCRYPT_IO if not everything could be read or set. */
int tree_result(const struct tree *tree);

void tree_close(struct tree *tree); /* zeroed is fine */

#endif
