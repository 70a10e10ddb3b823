/* Containers that have no record, in the folders of those that have one. */
#include "cli/transform/manifest_run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files/folder.h"
#include "cli/files/output_name.h"
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

/* The containers of the manifest, and the manifest. */
static void find_known(struct places *known, const struct job *job)
{
	struct stat there;

	for (size_t i = 0; i < job->operands.n; i++)
		if (stat(job->operands.names[i], &there) == 0)
			add_place(known, &there, job->operands.names[i]);
	if (stat(job->options->manifest, &there) == 0)
		add_place(known, &there, job->options->manifest);
	qsort(known->list, known->n, sizeof *known->list, compare_places);
}

/* The folders of the containers, each once. */
static int find_folders(struct places *folders, const struct job *job)
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
		folder = folder_name(name);
		if (!folder)
			return fail(GPUCRYPT_OTHER, "out of memory");
		if (stat(folder, &there) == 0)
			add_place(folders, &there, name);
		free(folder);
	}
	qsort(folders->list, folders->n, sizeof *folders->list, compare_places);
	return GPUCRYPT_OK;
}

static int add_if_extra(struct job *job, const struct places *known, const char *name)
{
	struct stat there;

	if (output_name_stem(name) == 0 || stat(name, &there) != 0 || !S_ISREG(there.st_mode) ||
	        has_place(known, &there))
		return GPUCRYPT_OK;
	return operands_add(&job->operands, "", name);
}

static int list_folder(struct job *job, const struct places *known, const struct place *folder)
{
	char *prefix = strndup(folder->name, folder->n_prefix), *name;
	struct dirent **entries;
	int n = prefix ? scandir(*prefix ? prefix : ".", &entries, NULL, alphasort) : 0, status = GPUCRYPT_OK;

	if (!prefix)
		return fail(GPUCRYPT_OTHER, "out of memory");
	if (n < 0)
		status = fail(GPUCRYPT_IO, "%s: cannot read: %s", *prefix ? prefix : ".", strerror(errno));
	for (int i = 0; i < n; i++) {
		if (status == GPUCRYPT_OK && asprintf(&name, "%s%s", prefix, entries[i]->d_name) < 0)
			status = fail(GPUCRYPT_OTHER, "out of memory");
		if (status == GPUCRYPT_OK) {
			status = add_if_extra(job, known, name);
			free(name);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	free(prefix);
	return status;
}

int manifest_run_find_extra(struct job *job)
{
	size_t room = job->operands.n + 1;
	struct places known = { calloc(room, sizeof *known.list), 0 },
	              folders = { calloc(room, sizeof *known.list), 0 };
	int status = known.list && folders.list ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");

	if (status == GPUCRYPT_OK) {
		find_known(&known, job);
		status = find_folders(&folders, job);
	}
	for (size_t i = 0; i < folders.n && status == GPUCRYPT_OK; i++)
		if (i == 0 || compare_places(&folders.list[i - 1], &folders.list[i]) != 0)
			status = list_folder(job, &known, &folders.list[i]);
	free(known.list);
	free(folders.list);
	return status;
}
