#include "cli/files/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/status.h"

struct walk_level {
	int fd;       /* owned */
	char **names; /* owned, each */
	size_t n_names, next;
	size_t path_length; /* of the folder's own path */
};

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(struct walk_level *level)
{
	while (level->n_names > 0)
		free(level->names[--level->n_names]);
	free(level->names);
}

static bool add_name(struct walk_level *level, const char *name)
{
	const size_t n = level->n_names;

	if ((n & (n - 1)) == 0) { /* the room is the next power of two */
		char **more = realloc(level->names, (n ? 2 * n : 1) * sizeof *more);

		if (!more)
			return false;
		level->names = more;
	}
	level->names[n] = strdup(name);
	level->n_names += level->names[n] != NULL;
	return level->names[n] != NULL;
}

/* By a descriptor with an offset of its own.  If not, errno says why. */
static bool list_names(struct walk_level *level)
{
	const int fd = openat(level->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int error;

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (errno = 0, (entry = readdir(folder)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		        !add_name(level, entry->d_name))
			break;
	error = errno;
	closedir(folder);
	if (error == 0 && level->n_names > 0)
		qsort(level->names, level->n_names, sizeof *level->names, by_bytes);
	errno = error;
	return error == 0;
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
	if (!list_names(&level)) {
		free_names(&level);
		close(fd);
		return GPUCRYPT_IO;
	}
	walk->levels[walk->n_levels++] = level;
	return GPUCRYPT_OK;
}

static void leave(struct walk *walk)
{
	struct walk_level *level = &walk->levels[--walk->n_levels];

	free_names(level);
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
	*name = level->names[level->next++];
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
