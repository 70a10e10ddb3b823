/* Where containers are: names that two inputs would share, and containers without a record in the folders of those that
 * have one. */
#include "cli/transform/manifest_run.h"

#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files/folder.h"
#include "cli/files/output.h"
#include "cli/terminal/memory.h"
#include "cli/transform/job.h"
#include "gpucrypt/status.h"

/* A file or a folder, or an entry of a folder, by whatever path. */
struct place {
	dev_t device;
	ino_t inode;
	const char *path;    /* of an entry; owned in a set */
	size_t base;         /* in the path: the entry's name; 0 too if the folder cannot be examined */
	const char *operand; /* whose container the entry is, not owned; NULL: of the manifest */
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->inode != y->inode ? (x->inode < y->inode ? -1 : 1) : strcmp(x->path + x->base, y->path + y->base);
}

static void free_place(void *place)
{
	free((char *)(uintptr_t)((struct place *)place)->path);
	free(place);
}

/* Add to a set of tsearch(3).  Returns the equal place that was there before, or NULL. */
static const struct place *add_place(void **places, const struct place *place)
{
	struct place **there = tfind(place, places, compare_places), *added;

	if (there)
		return *there;
	added = memory_or_exit(malloc(sizeof *added));
	*added = *place;
	added->path = memory_or_exit(strdup(place->path));
	memory_or_exit(tsearch(added, places, compare_places));
	return NULL;
}

/* Containers without a record. */

/* Does the path exist, and was the place not in the set? */
static bool is_new(void **places, const char *path)
{
	struct stat there;

	return stat(path, &there) == 0 &&
	       !add_place(places, &(struct place){ .device = there.st_dev, .inode = there.st_ino, .path = "" });
}

static bool is_container(const char *name)
{
	struct stat there;

	return output_name_stem(name) != 0 && stat(name, &there) == 0 && S_ISREG(there.st_mode);
}

/* Add the containers without a record in this container's folder to the operands.  places: the containers with a
 * record, the manifests, and the folders that were listed. */
static int list_folder(struct job *job, void **places, const char *container)
{
	char *prefix = memory_or_exit(strndup(container, (size_t)(folder_base(container) - container))), *name;
	const char *folder = *prefix ? prefix : ".", *entry;
	struct walk walk = { 0 };
	int fd, status = GPUCRYPT_OK;

	if (is_new(places, folder)) {
		fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || !walk_enter(&walk, fd))
			status = fail_errno(folder, "cannot read");
	}
	while ((entry = walk_next(&walk, &fd)) != NULL) {
		name = format_or_exit("%s%s", prefix, entry);
		if (is_container(name) && is_new(places, name))
			name_list_add(&job->operands, name);
		free(name);
	}
	walk_close(&walk);
	free(prefix);
	return status;
}

int manifest_run_find_extra(struct job *job)
{
	const struct text_list *manifests = &job->options->manifest;
	size_t n_recorded = job->operands.n;
	void *places = NULL;
	int status = GPUCRYPT_OK;

	for (size_t i = 0; i < n_recorded; i++)
		is_new(&places, job->operands.names[i]);
	for (unsigned i = 0; i < manifests->n; i++)
		is_new(&places, manifests->texts[i]);
	for (size_t i = 0; i < n_recorded && status == GPUCRYPT_OK; i++)
		status = list_folder(job, &places, job->operands.names[i]);
	tdestroy(places, free_place);
	return status;
}

/* Rejecting inputs that would get the same container. */

static const struct place *add_entry(void **entries, const char *path, const char *operand)
{
	struct place entry = { .path = path, .operand = operand };
	char *folder = folder_name(path);
	struct stat there;

	if (stat(folder, &there) == 0) {
		entry.device = there.st_dev;
		entry.inode = there.st_ino;
		entry.base = (size_t)(folder_base(path) - path);
	}
	free(folder);
	return add_place(entries, &entry);
}

/* Report that two different operands would have the same container. */
static int fail_shared(const struct place *one, const struct place *other)
{
	return strcmp(one->operand, other->operand) > 0
	               ? fail_shared(other, one)
	               : fail(GPUCRYPT_USAGE, "%s: would be the container of two inputs, %s and %s", other->path,
	                         one->operand, other->operand);
}

/* *again: this operand was given before.  GPUCRYPT_USAGE: its container would be the manifest, or the container of
 * another operand. */
static int check_container(bool *again, void **entries, const struct job *job, const char *operand)
{
	char *path = manifest_run_container(job, operand);
	const struct place entry = { .path = path, .operand = operand },
	                   *before = path ? add_entry(entries, path, operand) : NULL;
	int status = GPUCRYPT_OK;

	*again = before && before->operand && !strcmp(before->operand, operand);
	if (before && !before->operand)
		status = fail(GPUCRYPT_USAGE, "%s: is the manifest, and would be the container of %s", path, operand);
	else if (before && !*again)
		status = fail_shared(before, &entry);
	free(path);
	return status;
}

/* Of several operands with the same name, only the first stays. */
int manifest_run_check_containers(struct job *job)
{
	struct name_list *operands = &job->operands;
	size_t kept = 0;
	void *entries = NULL;
	int status = GPUCRYPT_OK;
	bool again = false;

	add_entry(&entries, job->options->manifest.texts[0], NULL);
	for (size_t i = 0; i < operands->n; i++) {
		status = status ?: check_container(&again, &entries, job, operands->names[i]);
		if (again)
			free(operands->names[i]);
		else
			operands->names[kept++] = operands->names[i];
	}
	operands->n = kept;
	tdestroy(entries, free_place);
	return status;
}
