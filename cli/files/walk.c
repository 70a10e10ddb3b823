#include "cli/files/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal/memory.h"

struct walk_level {
	int fd;                /* owned */
	struct name_list list; /* owned */
	size_t next;
	size_t path_length; /* of the folder's own path */
};

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
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			name_list_add(&level->list, entry->d_name);
	error = errno;
	closedir(folder);
	if (error == 0)
		name_list_sort(&level->list);
	errno = error;
	return error == 0;
}

/* False: see errno. */
static bool on_file_system(struct walk *walk, int fd)
{
	struct stat folder;

	if (!walk->limits || !walk->limits->one_file_system)
		return true;
	if (fstat(fd, &folder) != 0)
		return false;
	if (walk->n_levels == 0)
		walk->device = folder.st_dev;
	errno = EXDEV;
	return folder.st_dev == walk->device;
}

bool walk_enter(struct walk *walk, int fd)
{
	struct walk_level level = { .fd = fd, .path_length = walk->path ? strlen(walk->path) : 0 };
	int error;

	if (!on_file_system(walk, fd) || !list_names(&level)) {
		error = errno;
		name_list_free(&level.list);
		close(fd);
		errno = error;
		return false;
	}
	walk->levels = memory_or_exit(realloc(walk->levels, (walk->n_levels + 1) * sizeof *walk->levels));
	walk->levels[walk->n_levels++] = level;
	return true;
}

static void leave(struct walk *walk)
{
	struct walk_level *level = &walk->levels[--walk->n_levels];

	name_list_free(&level->list);
	close(level->fd);
}

/* The folder's path, a slash where there is one, the name. */
static void set_path(struct walk *walk, size_t folder_length, const char *name)
{
	size_t need = folder_length + strlen(name) + 2;

	if (need > walk->path_capacity) {
		walk->path_capacity = 2 * need;
		walk->path = memory_or_exit(realloc(walk->path, walk->path_capacity));
	}
	if (folder_length > 0)
		walk->path[folder_length++] = '/';
	strcpy(walk->path + folder_length, name);
}

static bool excluded(const struct walk *walk)
{
	return walk->limits && patterns_exclude(walk->limits->excluded, walk->limits->top, walk->path);
}

const char *walk_next(struct walk *walk, int *folder_fd)
{
	struct walk_level *level;

	while (walk->n_levels > 0) {
		level = &walk->levels[walk->n_levels - 1];
		if (level->next == level->list.n) {
			leave(walk);
			continue;
		}
		*folder_fd = level->fd;
		set_path(walk, level->path_length, level->list.names[level->next++]);
		if (!excluded(walk))
			return level->list.names[level->next - 1];
	}
	return NULL;
}

void walk_close(struct walk *walk)
{
	while (walk->n_levels > 0)
		leave(walk);
	free(walk->levels);
	free(walk->path);
	*walk = (struct walk){ 0 };
}
