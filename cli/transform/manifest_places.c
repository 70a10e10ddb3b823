/* Where containers are: names that two inputs would share, and containers without a record in the folders of those that
 * have one. */
#include "cli/transform/manifest_run.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files/folder.h"
#include "cli/files/output.h"
#include "cli/files/walk.h"
#include "cli/terminal/memory.h"
#include "cli/transform/job.h"
#include "gpucrypt/status.h"

/* A file or a folder, whatever its name. */
struct place {
	dev_t device;
	ino_t inode;
	const char *name; /* of the file, or of one in the folder; not owned */
};

struct places {
	struct place *list; /* owned */
	size_t n;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->inode > y->inode) - (x->inode < y->inode);
}

/* Find the place of a file or folder.  False: the path does not exist. */
static bool place_find(struct place *place, const char *path, const char *name)
{
	struct stat there;

	if (stat(path, &there) != 0)
		return false;
	*place = (struct place){ .device = there.st_dev, .inode = there.st_ino, .name = name };
	return true;
}

static bool folder_find(struct place *place, const char *name)
{
	char *folder = folder_name(name);
	bool found = place_find(place, folder, name);

	free(folder);
	return found;
}

/* known: the containers that the manifests record, and the manifests; folders: the folders of the containers. */
static void find_known(struct places *known, struct places *folders, const struct job *job)
{
	const struct text_list *manifests = &job->options->manifest;

	for (size_t i = 0; i < job->operands.n; i++) {
		const char *name = job->operands.names[i];

		known->n += place_find(&known->list[known->n], name, name);
		folders->n += folder_find(&folders->list[folders->n], name);
	}
	for (unsigned i = 0; i < manifests->n; i++)
		known->n += place_find(&known->list[known->n], manifests->texts[i], NULL);
	qsort(known->list, known->n, sizeof *known->list, compare_places);
	qsort(folders->list, folders->n, sizeof *folders->list, compare_places);
}

static void add_if_extra(struct job *job, const struct places *known, const char *name)
{
	struct stat there;
	struct place place;

	if (output_name_stem(name) == 0 || stat(name, &there) != 0 || !S_ISREG(there.st_mode))
		return;
	place = (struct place){ .device = there.st_dev, .inode = there.st_ino };
	if (!bsearch(&place, known->list, known->n, sizeof place, compare_places))
		name_list_add(&job->operands, name);
}

static int list_folder(struct job *job, const struct places *known, const char *container)
{
	char *prefix = memory_or_exit(strndup(container, (size_t)(folder_base(container) - container))), *name;
	const char *folder = *prefix ? prefix : ".", *entry;
	struct walk walk = { 0 };
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), status = GPUCRYPT_OK;

	if (fd < 0 || !walk_enter(&walk, fd))
		status = fail_errno(folder, "cannot read");
	while ((entry = walk_next(&walk, &fd)) != NULL) {
		name = format_or_exit("%s%s", prefix, entry);
		add_if_extra(job, known, name);
		free(name);
	}
	walk_close(&walk);
	free(prefix);
	return status;
}

int manifest_run_find_extra(struct job *job)
{
	size_t room = job->operands.n + job->options->manifest.n;
	struct places known = { memory_or_exit(calloc(room, sizeof *known.list)), 0 },
	              folders = { memory_or_exit(calloc(room, sizeof *known.list)), 0 };
	int status = GPUCRYPT_OK;

	find_known(&known, &folders, job);
	for (size_t i = 0; i < folders.n && status == GPUCRYPT_OK; i++)
		if (i == 0 || compare_places(&folders.list[i - 1], &folders.list[i]) != 0)
			status = list_folder(job, &known, folders.list[i].name);
	free(known.list);
	free(folders.list);
	return status;
}

/* Rejecting inputs that would get the same container. */

/* An entry of a folder; the folder is compared by its place, not by its path. */
struct entry {
	struct place folder;
	char *name;          /* owned */
	const char *base;    /* in the folder; the whole name if the folder cannot be examined */
	const char *operand; /* whose container it is, not owned; NULL: of the manifest */
	size_t number;       /* of the operand */
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int by_folder = compare_places(&x->folder, &y->folder);

	return by_folder ? by_folder : strcmp(x->base, y->base);
}

/* Of one entry the manifest comes first, then its inputs by name, and those of one name in their order. */
static int compare_inputs(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_entries(x, y);

	if (order == 0)
		order = strcmp(x->operand ? x->operand : "", y->operand ? y->operand : "");
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Takes ownership of the name. */
static struct entry find_entry(char *name, const char *operand, size_t number)
{
	struct entry entry = { .name = name, .operand = operand, .number = number };

	entry.base = folder_find(&entry.folder, name) ? folder_base(name) : name;
	return entry;
}

/* Returns their number. */
static size_t find_entries(struct entry *entries, const struct job *job)
{
	size_t n = 0;

	entries[n++] = find_entry(memory_or_exit(strdup(job->options->manifest.texts[0])), NULL, 0);
	for (size_t i = 0; i < job->operands.n; i++) {
		char *name = manifest_run_container(job, job->operands.names[i]);

		if (name)
			entries[n++] = find_entry(name, job->operands.names[i], i);
	}
	return n;
}

/* Sorted entries: two of one operand differ in nothing but their number. */
static int check_pair(bool *again, const struct entry *before, const struct entry *entry)
{
	*again = false;
	if (compare_entries(before, entry) != 0)
		return GPUCRYPT_OK;
	if (!before->operand)
		return fail(GPUCRYPT_USAGE, "%s: is the manifest, and would be the container of %s", entry->name,
		        entry->operand);
	*again = !strcmp(before->operand, entry->operand);
	return *again ? GPUCRYPT_OK
	              : fail(GPUCRYPT_USAGE, "%s: would be the container of two inputs, %s and %s", entry->name,
	                        before->operand, entry->operand);
}

/* The first of several with one name stays. */
static void drop_operands(struct name_list *operands, const bool *dropped)
{
	size_t kept = 0;

	for (size_t i = 0; i < operands->n; i++)
		if (dropped[i])
			free(operands->names[i]);
		else
			operands->names[kept++] = operands->names[i];
	operands->n = kept;
}

int manifest_run_check_containers(struct job *job)
{
	struct entry *entries = memory_or_exit(calloc(job->operands.n + 1, sizeof *entries));
	bool *again = memory_or_exit(calloc(job->operands.n + 1, sizeof *again));
	size_t n = find_entries(entries, job);
	int status = GPUCRYPT_OK;

	qsort(entries, n, sizeof *entries, compare_inputs);
	for (size_t i = 1; i < n && status == GPUCRYPT_OK; i++)
		status = check_pair(&again[entries[i].number], &entries[i - 1], &entries[i]);
	if (status == GPUCRYPT_OK)
		drop_operands(&job->operands, again);
	for (size_t i = 0; i < n; i++)
		free(entries[i].name);
	free(entries);
	free(again);
	return status;
}
