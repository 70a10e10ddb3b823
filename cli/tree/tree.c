#include "cli/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/memory.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"

int tree_open(struct tree *tree, struct input *input, const struct output *output, const struct name_list *excluded,
        const struct options *options)
{
	struct bundle_terms terms = { .fd = input->tree ? input->source.fd : -1,
		.name = input->name,
		.limits = { excluded, input->name, options->one_file_system },
		.zstd_level = (int)options->zstd_level,
		.quiet = options->quiet };

	if (input->tree && fstat(output->fd, &terms.skip) != 0)
		return fail_errno(output->name, "cannot examine");
	return bundle_open(&tree->bundle, &input->source, &terms);
}

/* A member that is left out replaces nothing. */
static int visit_merging(void *self, struct archive *archive, struct archive_entry *entry)
{
	struct tree *tree = self;
	const char *path = libarchive.entry_pathname(entry);
	char *name = path ? memory_or_exit(strdup(path)) : NULL;
	bool folder = libarchive.entry_filetype(entry) == AE_IFDIR;
	unsigned long long n_left_out = tree->extraction.n_left_out;
	int status = tree->extract ? tree->extract(self, archive, entry) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK && name && tree->extraction.n_left_out == n_left_out)
		status = merge_examine(&tree->merge, name, folder);
	free(name);
	return status;
}

static void merge_members(struct tree *tree, const struct output *output, bool dry_run, struct bundle_visitor *visitor)
{
	tree->merge = (struct merge){ .output = output };
	tree->extract = dry_run ? NULL : visitor->visit;
	visitor->visit = visit_merging;
	if (!dry_run)
		return;
	visitor->start = visitor->finish = NULL;
	visitor->stop = NULL;
}

int tree_extract(struct tree *tree, struct input *input, const struct output *output, unsigned content,
        const struct name_list *excluded, const struct options *options, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct bundle_visitor visitor;
	struct bundle_sink sink;
	int status;

	tree->extraction = (struct extraction){ .folder_fd = output->fd,
		.name = input->name,
		.devices = options->devices,
		.same_permissions = options->same_permissions,
		.fills_zeros = options->no_sparse,
		.quiet = options->quiet };
	status = selection_open(&tree->selection, &options->parsed, excluded, input->name, true);
	if (status != GPUCRYPT_OK)
		return status;
	visitor = extraction_visitor(&tree->extraction, &tree->selection);
	if (output->merges)
		merge_members(tree, output, options->dry_run, &visitor);
	status = bundle_sink_open(&sink, content, input->name, &visitor);
	if (status == GPUCRYPT_OK)
		status = container_decrypt(&input->source, &sink.handoff.sink, plan, secret, progress, report);
	status = bundle_sink_close(&sink, status);
	if (status == GPUCRYPT_OK && output->merges && (options->dry_run || !options->quiet))
		merge_announce(&tree->merge);
	return status ?: options->dry_run ? tree_result(tree) : GPUCRYPT_OK;
}

int tree_result(const struct tree *tree)
{
	if (tree->bundle)
		return bundle_result(tree->bundle);
	return extraction_result(&tree->extraction) ?: selection_result(&tree->selection);
}

void tree_close(struct tree *tree)
{
	bundle_close(tree->bundle);
	tree->bundle = NULL;
	selection_close(&tree->selection);
}
