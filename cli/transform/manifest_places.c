/* Where containers are: names that two inputs would share, and containers without a record in the folders of those that
 * have one. */
#include "cli/transform/manifest_run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files/folder.h"
#include "cli/files/output_name.h"
#include "cli/terminal/memory.h"
#include "cli/transform/job.h"
#include "gpucrypt/status.h"

/* A file or a folder, whatever its name. */
struct place {
	dev_t device;
	ino_t inode;
	const char *name; /* not owned */
	size_t n_prefix;  /* bytes of the name: a folder, with its slash */
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

static void add_place(struct places *places, const struct stat *there, const char *name)
{
	places->list[places->n++] = (struct place){ .device = there->st_dev,
		.inode = there->st_ino,
		.name = name,
		.n_prefix = (size_t)(folder_base(name) - name) };
}

static bool has_place(const struct places *places, const struct stat *there)
{
	const struct place place = { .device = there->st_dev, .inode = there->st_ino };

	return bsearch(&place, places->list, places->n, sizeof place, compare_places) != NULL;
}

/* List the recorded containers, and the manifests themselves. */
static void find_known(struct places *known, const struct job *job)
{
	const struct text_list *manifests = &job->options->manifest;
	struct stat there;

	for (size_t i = 0; i < job->operands.n; i++)
		if (stat(job->operands.names[i], &there) == 0)
			add_place(known, &there, job->operands.names[i]);
	for (unsigned i = 0; i < manifests->n; i++)
		if (stat(manifests->texts[i], &there) == 0)
			add_place(known, &there, manifests->texts[i]);
	qsort(known->list, known->n, sizeof *known->list, compare_places);
}

/* The folders of the containers, each once. */
static void find_folders(struct places *folders, const struct job *job)
{
	const char *before = NULL;
	struct stat there;

	for (size_t i = 0; i < job->operands.n; i++) {
		const char *name = job->operands.names[i];
		size_t n_prefix = (size_t)(folder_base(name) - name);
		char *folder;

		if (before && (size_t)(folder_base(before) - before) == n_prefix && !memcmp(before, name, n_prefix))
			continue;
		before = name;
		folder = memory_or_exit(folder_name(name));
		if (stat(folder, &there) == 0)
			add_place(folders, &there, name);
		free(folder);
	}
	qsort(folders->list, folders->n, sizeof *folders->list, compare_places);
}

static void add_if_extra(struct job *job, const struct places *known, const char *name)
{
	struct stat there;

	if (output_name_stem(name) != 0 && stat(name, &there) == 0 && S_ISREG(there.st_mode) &&
	        !has_place(known, &there))
		name_list_add(&job->operands, name);
}

static int list_folder(struct job *job, const struct places *known, const struct place *folder)
{
	char *prefix = memory_or_exit(strndup(folder->name, folder->n_prefix)), *name;
	struct dirent **entries;
	int n = scandir(*prefix ? prefix : ".", &entries, NULL, alphasort), status = GPUCRYPT_OK;

	if (n < 0)
		status = fail(GPUCRYPT_IO, "%s: cannot read: %s", *prefix ? prefix : ".", strerror(errno));
	for (int i = 0; i < n; i++) {
		name = format_or_exit("%s%s", prefix, entries[i]->d_name);
		add_if_extra(job, known, name);
		free(name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	free(prefix);
	return status;
}

int manifest_run_find_extra(struct job *job)
{
	size_t room = job->operands.n + job->options->manifest.n;
	struct places known = { memory_or_exit(calloc(room, sizeof *known.list)), 0 },
	              folders = { memory_or_exit(calloc(room, sizeof *known.list)), 0 };
	int status = GPUCRYPT_OK;

	find_known(&known, job);
	find_folders(&folders, job);
	for (size_t i = 0; i < folders.n && status == GPUCRYPT_OK; i++)
		if (i == 0 || compare_places(&folders.list[i - 1], &folders.list[i]) != 0)
			status = list_folder(job, &known, &folders.list[i]);
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

static void find_entry(struct entry *entry)
{
	char *folder = memory_or_exit(folder_name(entry->name));
	struct stat there;

	entry->base = entry->name;
	if (stat(folder, &there) == 0) {
		entry->folder = (struct place){ .device = there.st_dev, .inode = there.st_ino };
		entry->base = folder_base(entry->name);
	}
	free(folder);
}

/* Returns their number. */
static size_t find_entries(struct entry *entries, const struct job *job)
{
	size_t n = 1;

	entries[0] = (struct entry){ .name = memory_or_exit(strdup(job->options->manifest.texts[0])) };
	find_entry(&entries[0]);
	for (size_t i = 0; i < job->operands.n; i++) {
		const char *operand = job->operands.names[i];
		char *name = manifest_run_container(job, operand);

		if (!name)
			continue;
		entries[n] = (struct entry){ .name = name, .operand = operand, .number = i };
		find_entry(&entries[n++]);
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
