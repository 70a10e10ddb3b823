#include "cli/files/walk.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/status.h"

struct walk_level {
	int fd;                /* owned */
	struct dirent **names; /* owned, each */
	int n_names, next;
	size_t path_length; /* of the folder's own path */
};

static int real_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int walk_enter(struct walk *walk, int fd)
{
	struct walk_level level = { .fd = fd, .path_length = walk->path ? strlen(walk->path) : 0 };
	struct walk_level *more = realloc(walk->levels, (walk->n_levels + 1) * sizeof *more);

	if (!more) {
		close(fd);
		return fail(GPUCRYPT_OTHER, "out of memory");
	}
	walk->levels = more;
	level.n_names = scandirat(fd, ".", &level.names, real_entry, by_bytes);
	if (level.n_names < 0) {
		close(fd);
		return GPUCRYPT_IO;
	}
	walk->levels[walk->n_levels++] = level;
	return GPUCRYPT_OK;
}

static void leave(struct walk *walk)
{
	struct walk_level *level = &walk->levels[--walk->n_levels];

	for (int i = 0; i < level->n_names; i++)
		free(level->names[i]);
	free(level->names);
	close(level->fd);
}

/* The folder's path, a slash where there is one, the name. */
static int set_path(struct walk *walk, size_t folder_length, const char *name)
{
	size_t need = folder_length + strlen(name) + 2;

	if (need > walk->path_capacity) {
		char *more = realloc(walk->path, 2 * need);

		if (!more)
			return fail(GPUCRYPT_OTHER, "out of memory");
		walk->path = more;
		walk->path_capacity = 2 * need;
	}
	if (folder_length > 0)
		walk->path[folder_length++] = '/';
	strcpy(walk->path + folder_length, name);
	return GPUCRYPT_OK;
}

int walk_next(struct walk *walk, int *folder_fd, const char **name)
{
	struct walk_level *level;

	*name = NULL;
	while (walk->n_levels > 0) {
		level = &walk->levels[walk->n_levels - 1];
		if (level->next < level->n_names)
			break;
		leave(walk);
	}
	if (walk->n_levels == 0)
		return GPUCRYPT_OK;
	*name = level->names[level->next++]->d_name;
	*folder_fd = level->fd;
	return set_path(walk, level->path_length, *name);
}

void walk_close(struct walk *walk)
{
	while (walk->n_levels > 0)
		leave(walk);
	free(walk->levels);
	free(walk->path);
	*walk = (struct walk){ 0 };
}
