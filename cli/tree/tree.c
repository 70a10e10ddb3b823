#include "cli/tree/tree.h"

#include <errno.h>
#include <string.h>

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
	status = bundle_sink_open(&sink, content, input->name, &visitor);
	if (status == GPUCRYPT_OK)
		status = container_decrypt(&input->source, &sink.handoff.sink, plan, secret, progress, report);
	return bundle_sink_close(&sink, status);
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
