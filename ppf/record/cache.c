#include "ppf/record/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gpucrypt/status.h"

#define SIX   "[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]"
#define OLD_S 60 /* longer than any process needs to write a cache file */

/* Patterns of the temporary files for all cache files: the inventory, the list of built programs, and records named
 * DEVICE-DRIVER.json. */
static const char *const temporaries[] = { "inventory.json." SIX, "programs." SIX, "*-*.json." SIX };

int cache_path(char *path, size_t n, const char *file)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int length;

	/* XDG Base Directory Specification: a path that is not absolute is ignored. */
	if (cache != NULL && cache[0] == '/')
		length = snprintf(path, n, "%s/gcrypt/%s", cache, file);
	else if (home != NULL && home[0] == '/')
		length = snprintf(path, n, "%s/.cache/gcrypt/%s", home, file);
	else
		return fail(GPUCRYPT_IO, "no cache folder: XDG_CACHE_HOME and HOME are not set");
	return length > 0 && (size_t)length < n ? GPUCRYPT_OK
	                                        : fail(GPUCRYPT_IO, "no cache folder: its path is too long");
}

static char *read_all(int fd, size_t n_bytes, const char *path)
{
	char *text = malloc(n_bytes + 1);
	size_t done = 0;
	ssize_t n = 1;

	while (text != NULL && n > 0 && done < n_bytes) {
		n = read(fd, text + done, n_bytes - done);
		done += n > 0 ? (size_t)n : 0;
	}
	if (text != NULL && n >= 0) {
		text[done] = '\0';
		return text;
	}
	fail(GPUCRYPT_IO, "%s: cannot read: %s", path, strerror(errno));
	free(text);
	return NULL;
}

/* The file is opened with O_NONBLOCK, so that a run does not wait for a FIFO.  path is for messages. */
static char *text_at(int folder, const char *name, const char *path)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat;
	char *text = NULL;

	if (fd < 0 || fstat(fd, &stat) != 0)
		fail(GPUCRYPT_IO, "%s: cannot open: %s", path, strerror(errno));
	else if (!S_ISREG(stat.st_mode) || stat.st_size > MAX_CACHED_BYTES)
		fail(GPUCRYPT_IO, "%s: not a regular file under 1 MiB", path);
	else
		text = read_all(fd, (size_t)stat.st_size, path);
	if (fd >= 0)
		close(fd);
	return text;
}

char *file_text(const char *path)
{
	return text_at(AT_FDCWD, path, path);
}

static int write_all(int fd, const char *text, const char *path)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = write(fd, text, left);
		if (n < 0 && errno != EINTR)
			return fail(GPUCRYPT_IO, "%s: cannot write: %s", path, strerror(errno));
		if (n > 0) {
			text += n;
			left -= (size_t)n;
		}
	}
	return GPUCRYPT_OK;
}

/* As mkostemp(), relative to a folder.  name has room for a dot and six more digits. */
static int create_at(int folder, char *name)
{
	char *end = name + strlen(name);
	unsigned random;
	int fd;

	do {
		if (getrandom(&random, sizeof random, 0) != sizeof random)
			return -1;
		sprintf(end, ".%06x", random & 0xffffff);
		fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	} while (fd < 0 && errno == EEXIST);
	return fd;
}

/* Write a temporary file, and rename the temporary file to name.  path is for messages. */
static int replace_at(int folder, const char *name, const char *text, const char *path)
{
	char temporary[4096 + sizeof ".123456"];
	int fd, status;

	if (snprintf(temporary, sizeof temporary, "%s", name) >= 4096)
		return fail(GPUCRYPT_IO, "%s: the path is too long", path);
	fd = create_at(folder, temporary);
	if (fd < 0)
		return fail(GPUCRYPT_IO, "%s: cannot create: %s", path, strerror(errno));
	status = write_all(fd, text, path);
	if (status == GPUCRYPT_OK && fchmod(fd, 0644) != 0)
		status = fail(GPUCRYPT_IO, "%s: cannot write: %s", path, strerror(errno));
	if (close(fd) != 0 && status == GPUCRYPT_OK)
		status = fail(GPUCRYPT_IO, "%s: cannot write: %s", path, strerror(errno));
	if (status == GPUCRYPT_OK && renameat(folder, temporary, folder, name) != 0)
		status = fail(GPUCRYPT_IO, "%s: cannot rename to it: %s", path, strerror(errno));
	if (status != GPUCRYPT_OK)
		unlinkat(folder, temporary, 0);
	return status;
}

int file_replace(const char *path, const char *text)
{
	return replace_at(AT_FDCWD, path, text, path);
}

int file_write(const char *path, const char *text)
{
	struct stat there;
	int fd, status;

	if (stat(path, &there) != 0 || S_ISREG(there.st_mode))
		return file_replace(path, text);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", path, strerror(errno));
	status = write_all(fd, text, path);
	close(fd);
	return status;
}

/* Create the parent folders of a file. */
static int make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return fail(GPUCRYPT_IO, "%s: cannot create the cache folder: %s", path, strerror(errno));
		*slash = '/';
	}
	return GPUCRYPT_OK;
}

/* Open the cache folder.  The descriptor is for *at() calls only; the caller closes the descriptor.
 * Errors: GPUCRYPT_EXISTS if other users can change the folder, which is then neither read nor written; GPUCRYPT_IO if
 * there is no folder. */
static int open_folder(int *folder)
{
	char path[4096];
	struct stat about;
	const char *why = NULL;
	int status = cache_path(path, sizeof path, "");

	if (status != GPUCRYPT_OK)
		return status;
	path[strlen(path) - 1] = '\0'; /* with a final slash, open() would follow a symbolic link */
	*folder = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (*folder < 0 || fstat(*folder, &about) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", path, strerror(errno));
	if (!S_ISDIR(about.st_mode))
		why = "it is a symbolic link or no folder";
	else if (about.st_uid != geteuid())
		why = "it belongs to another user";
	else if (about.st_mode & (S_IWGRP | S_IWOTH))
		why = "other users can write to it; remove it";
	if (!why)
		return GPUCRYPT_OK;
	close(*folder);
	return fail(GPUCRYPT_EXISTS, "%s: cache not used: %s", path, why);
}

bool cache_refused(void)
{
	int folder, status = open_folder(&folder);

	if (status == GPUCRYPT_OK)
		close(folder);
	fail_clear();
	return status == GPUCRYPT_EXISTS;
}

char *cache_text(const char *file)
{
	char path[4096], *text = NULL;
	int folder, status;

	fail_clear();
	status = open_folder(&folder);
	if (status == GPUCRYPT_OK) {
		if (faccessat(folder, file, F_OK, 0) == 0 && cache_path(path, sizeof path, file) == GPUCRYPT_OK)
			text = text_at(folder, file, path);
		close(folder);
	} else if (status != GPUCRYPT_EXISTS)
		fail_clear();
	return text;
}

static bool is_temporary(const char *name)
{
	for (size_t i = 0; i < sizeof temporaries / sizeof *temporaries; i++)
		if (fnmatch(temporaries[i], name, 0) == 0)
			return true;
	return false;
}

/* Remove the temporary files of processes that were killed during a write. */
static void remove_old(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *files = fd < 0 ? NULL : fdopendir(fd);
	time_t now = time(NULL);
	struct dirent *file;
	struct stat there;

	while (files != NULL && (file = readdir(files)) != NULL)
		if (is_temporary(file->d_name) && fstatat(folder, file->d_name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
		        S_ISREG(there.st_mode) && there.st_mtim.tv_sec < now - OLD_S)
			unlinkat(folder, file->d_name, 0);
	if (files != NULL)
		closedir(files);
	else if (fd >= 0)
		close(fd);
}

int cache_keep(const char *file, const char *text)
{
	char path[4096];
	int folder, status = cache_path(path, sizeof path, file);

	if (status == GPUCRYPT_OK)
		status = make_folders(path);
	if (status == GPUCRYPT_OK)
		status = open_folder(&folder);
	if (status != GPUCRYPT_OK)
		return status;
	remove_old(folder);
	status = replace_at(folder, file, text, path);
	close(folder);
	return status;
}
