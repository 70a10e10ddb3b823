/* enc, dec and list of directories, and enc of files with or without compression. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/args/options.h"
#include "cli/files/output.h"
#include "cli/terminal/memory.h"
#include "cli/transform/job.h"
#include "cli/tree/bundle.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"

/* The state of a file. */
struct tree {
	struct extraction extraction; /* first */
	struct bundle *bundle;        /* owned */
	struct selection selection;   /* owned: of the extraction */
	struct merge merge;           /* --merge: into an existing folder */
	/* Extracts a member, before merge_examine() counts the member; NULL: a dry run. */
	int (*extract)(void *self, struct archive *archive, struct archive_entry *entry);
};

/* Make the input's source give the tree's bytes, or those of a file compressed.  The output, open, is no part of the
 * tree. */
static int open_bundle(struct tree *tree, const struct job *job, struct job_file *file)
{
	struct input *input = &file->input;
	struct bundle_terms terms = { .fd = input->tree ? input->source.fd : -1,
		.name = input->name,
		.limits = { &job->excluded, input->name, job->options->one_file_system },
		.zstd_level = (int)job->options->zstd_level,
		.quiet = job->options->quiet };

	if (input->tree && fstat(file->output.fd, &terms.skip) != 0)
		return fail_errno(file->output.name, "cannot examine");
	return bundle_open(&tree->bundle, &input->source, &terms);
}

int job_encrypt(struct job *job, struct job_file *file)
{
	int status = GPUCRYPT_OK;

	if (file->input.tree || job->options->zstd_level != 0)
		status = open_bundle(file->state, job, file);
	return status
	               ?: container_encrypt(&file->input.source, file->sink, &file->plan.run, job_secrets(job),
	                          file->progress, &file->report);
}

/* Extract a member, then count it for the merge unless it was left out. */
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

static void merge_members(struct tree *tree, bool dry_run, struct bundle_visitor *visitor)
{
	tree->extract = dry_run ? NULL : visitor->visit;
	visitor->visit = visit_merging;
	if (!dry_run)
		return;
	visitor->start = visitor->finish = NULL;
	visitor->stop = NULL;
}

static int visit_members(struct job *job, struct job_file *file, struct bundle_visitor *visitor)
{
	struct bundle_sink sink;
	int status = bundle_sink_open(&sink, file->plan.content, file->input.name, visitor);

	if (status == GPUCRYPT_OK)
		status = container_decrypt(&file->input.source, &sink.handoff.sink, &file->plan.run, job_secrets(job),
		        file->progress, &file->report);
	return bundle_sink_close(&sink, status);
}

static int finish_tree(struct job *job, struct job_file *file)
{
	const struct tree *tree = file->state;

	(void)job;
	if (tree->bundle)
		return bundle_result(tree->bundle);
	return extraction_result(&tree->extraction) ?: selection_result(&tree->selection);
}

/* Extract into the output's new folder.  For a merge, also count and announce the files to replace; a dry run only
 * counts and announces. */
static int extract_tree(struct job *job, struct job_file *file)
{
	const struct options *options = job->options;
	struct tree *tree = file->state;
	struct bundle_visitor visitor;
	int status;

	tree->extraction = (struct extraction){ .folder_fd = file->output.fd,
		.name = file->input.name,
		.devices = options->devices,
		.same_permissions = options->same_permissions,
		.fills_zeros = options->no_sparse,
		.quiet = options->quiet };
	tree->merge.output = &file->output;
	status = selection_open(&tree->selection, &options->parsed, &job->excluded, file->input.name, true);
	visitor = extraction_visitor(&tree->extraction, &tree->selection);
	if (file->output.merges)
		merge_members(tree, options->dry_run, &visitor);
	status = status ?: visit_members(job, file, &visitor);
	if (status == GPUCRYPT_OK && file->output.merges && (options->dry_run || !options->quiet))
		merge_announce(&tree->merge);
	return status ?: options->dry_run ? finish_tree(job, file) : GPUCRYPT_OK;
}

static int close_tree(struct job *job, struct job_file *file, int status)
{
	struct tree *tree = file->state;

	(void)job;
	bundle_close(tree->bundle);
	selection_close(&tree->selection);
	return status;
}

/* list */

static int check_listed(const struct job_file *file)
{
	return content_is_tree(file->plan.content)
	               ? libarchive_load(file->input.name)
	               : fail(GPUCRYPT_USAGE, "%s: cannot list: the container holds a file, not a directory",
	                         file->input.name);
}

/* The model chooses the engine, as for dec: the library's automatic choice would open a device for a small container.
 */
static int look_at_listed(struct job *job, struct job_file *file, const char *operand)
{
	int status = job_open_input(job, file, operand, false) ?: job_examine_input(job, file, operand);

	file->output.kind = OUTPUT_DESCRIPTOR;
	file->output.descriptor = STDOUT_FILENO;
	return status == GPUCRYPT_OK && file->plan.content_known ? check_listed(file) : status;
}

static int unlock_listed(struct job *job, struct job_file *file)
{
	return job_get_secret(job, file, false) ?: job_authenticate(job, file) ?: check_listed(file);
}

static int list_members(struct job *job, struct job_file *file)
{
	struct listing listing = { .json = job->options->json, .verbose = job->options->verbose };
	struct tree *tree = file->state;
	struct bundle_visitor visitor = listing_visitor(&listing, &tree->selection);

	return selection_open(&tree->selection, &job->options->parsed, &job->excluded, file->input.name, false)
	               ?: visit_members(job, file, &visitor);
}

static const struct job_kind list_kind = { .direction = DECRYPT,
	.chooses = true,
	.prints_json = true,
	.look = look_at_listed,
	.unlock = unlock_listed,
	.state_bytes = sizeof(struct tree),
	.run = list_members,
	.finish = finish_tree,
	.close = close_tree };

/* No progress: the names of the list go to the same terminal. */
int cmd_list(const struct options *options)
{
	struct options listed = *options;

	listed.progress = CHOICE_NO;
	return job_check_options(options, DECRYPT) ?: job_run(&list_kind, &listed);
}

const struct job_kind enc_kind = { ENC_STEPS, .state_bytes = sizeof(struct tree), .takes_trees = true,
	.run = job_encrypt, .check_stored = job_read_back, .finish = finish_tree, .close = close_tree };
const struct job_kind dec_tree_kind = { DEC_CONTAINER_STEPS, .state_bytes = sizeof(struct tree), .run = extract_tree,
	.finish = finish_tree, .close = close_tree };
