#include "cli/files/folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal/memory.h"
#include "gpucrypt/status.h"

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

void name_list_add(struct name_list *list, const char *name)
{
	size_t room = list->room ? 2 * list->room : 64;

	if (list->n == list->room) {
		list->names = memory_or_exit(realloc(list->names, room * sizeof *list->names));
		list->room = room;
	}
	list->names[list->n++] = memory_or_exit(strdup(name));
}

static int read_names(struct name_list *list, FILE *file, int end, const char *file_name)
{
	char *name = NULL;
	size_t room = 0;
	ssize_t length;
	int status = GPUCRYPT_OK;

	while (status == GPUCRYPT_OK && (length = getdelim(&name, &room, end, file)) >= 0) {
		if (length > 0 && name[length - 1] == end)
			name[--length] = '\0';
		if (strlen(name) < (size_t)length)
			status = fail(GPUCRYPT_USAGE, "%s: a name holds a zero byte (see --null)", file_name);
		else if (length > 0)
			name_list_add(list, name);
	}
	if (status == GPUCRYPT_OK && ferror(file))
		status = fail(GPUCRYPT_IO, "%s: cannot read: %s", file_name, strerror(errno));
	free(name);
	return status;
}

int name_list_read(struct name_list *list, const char *name, int end)
{
	bool standard = !strcmp(name, "-");
	FILE *file = standard ? stdin : fopen(name, "re");
	int status;

	if (!file)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", name, strerror(errno));
	status = read_names(list, file, end, standard ? "standard input" : name);
	if (!standard)
		fclose(file);
	return status;
}

int name_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void name_list_sort(struct name_list *list)
{
	if (list->n > 0)
		qsort(list->names, list->n, sizeof *list->names, name_compare);
}

void name_list_free(struct name_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct name_list){ 0 };
}

char *path_trim(const char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return memory_or_exit(strndup(path, length));
}

const char *path_below(const char *folder, size_t length, const char *name)
{
	if (strncmp(folder, name, length) != 0 || (length > 0 && name[length] != '/' && name[length] != '\0'))
		return NULL;
	return name + length + strspn(name + length, "/");
}

bool path_covers(const char *path, const char *name)
{
	return path_below(path, strlen(path), name) ||
	       (strpbrk(path, "*?[") && fnmatch(path, name, FNM_LEADING_DIR) == 0);
}

static void add_pattern(struct name_list *patterns, const char *given)
{
	char *trimmed = path_trim(given);

	name_list_add(patterns, trimmed);
	free(trimmed);
}

/* tar ignores blanks at the end of a line, and lines of blanks. */
static void add_lines(struct name_list *patterns, const struct name_list *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		char *line = lines->names[i];
		size_t n = strlen(line);

		while (n > 0 && isspace((unsigned char)line[n - 1]))
			line[--n] = '\0';
		if (n > 0)
			add_pattern(patterns, line);
	}
}

int patterns_read(struct name_list *patterns, const struct options *options)
{
	struct name_list lines = { 0 };
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < options->exclude.n; i++)
		add_pattern(patterns, options->exclude.texts[i]);
	for (unsigned i = 0; i < options->exclude_from.n && status == GPUCRYPT_OK; i++)
		status = name_list_read(&lines, options->exclude_from.texts[i], '\n');
	add_lines(patterns, &lines);
	name_list_free(&lines);
	return status;
}

/* The first n_top bytes of the name are `top`, the tree itself. */
static bool excludes(const char *pattern, const char *name, const char *top, size_t n_top)
{
	const char *at = name, *slash;

	do {
		size_t start = (size_t)(at - name);

		if (path_covers(pattern, at) && !(start < n_top && path_covers(pattern, top + start)))
			return true;
		slash = strchr(at, '/');
		at = slash + 1;
	} while (slash);
	return false;
}

bool patterns_exclude(const struct name_list *patterns, const char *top, const char *path)
{
	char *tree, *member, *name;
	bool excluded = false;
	size_t n_top;

	if (patterns->n == 0)
		return false;
	tree = path_trim(top);
	member = path_trim(path);
	n_top = strcmp(tree, "/") == 0 ? 0 : strlen(tree);
	name = format_or_exit("%.*s/%s", (int)n_top, tree, member);
	for (size_t i = 0; i < patterns->n && !excluded; i++)
		excluded = excludes(patterns->names[i], name, tree, n_top);
	free(tree);
	free(member);
	free(name);
	return excluded;
}
