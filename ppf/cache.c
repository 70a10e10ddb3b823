#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gpucrypt/status.h"

/* What mkstemp() makes of it: XXXXXX becomes six letters and digits. */
#define BESIDE         ".XXXXXX"
#define BESIDE_PATTERN "*.[0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z]"
#define OLD_S          60 /* nobody takes as long to write a file of the cache */

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
	return length > 0 && (size_t)length < n
	               ? GPUCRYPT_OK
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

/* Not blocking: whatever lies there, a run does not wait for it. */
char *file_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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

/* Beside its place first, then renamed over it. */
static int write_beside(const char *text, const char *path, char *beside)
{
	int fd = mkstemp(beside), status;

	if (fd < 0)
		return fail(GPUCRYPT_IO, "%s: cannot create: %s", path, strerror(errno));
	status = write_all(fd, text, path);
	if (status == GPUCRYPT_OK && fchmod(fd, 0644) != 0)
		status = fail(GPUCRYPT_IO, "%s: cannot write: %s", path, strerror(errno));
	if (close(fd) != 0 && status == GPUCRYPT_OK)
		status = fail(GPUCRYPT_IO, "%s: cannot write: %s", path, strerror(errno));
	if (status == GPUCRYPT_OK && rename(beside, path) != 0)
		status = fail(GPUCRYPT_IO, "%s: cannot rename to it: %s", path, strerror(errno));
	if (status != GPUCRYPT_OK)
		unlink(beside);
	return status;
}

int file_replace(const char *path, const char *text)
{
	char *beside;
	int status;

	if (asprintf(&beside, "%s" BESIDE, path) < 0)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = write_beside(text, path, beside);
	free(beside);
	return status;
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

/* The folders above a file. */
static int make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return fail(GPUCRYPT_IO, "%s: cannot create the cache folder: %s", path,
			        strerror(errno));
		*slash = '/';
	}
	return GPUCRYPT_OK;
}

/* What those left beside who were killed while they wrote. */
static void remove_old(const char *folder)
{
	DIR *files = opendir(folder);
	time_t now = time(NULL);
	struct dirent *file;
	struct stat there;

	while (files != NULL && (file = readdir(files)) != NULL)
		if (fnmatch(BESIDE_PATTERN, file->d_name, 0) == 0 &&
		        fstatat(dirfd(files), file->d_name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
		        S_ISREG(there.st_mode) && there.st_mtim.tv_sec < now - OLD_S)
			unlinkat(dirfd(files), file->d_name, 0);
	if (files != NULL)
		closedir(files);
}

int cache_keep(const char *file, const char *text)
{
	char path[4096], folder[4096];
	int status = cache_path(path, sizeof(path), file);

	if (status == GPUCRYPT_OK)
		status = make_folders(path);
	if (status == GPUCRYPT_OK)
		status = cache_path(folder, sizeof(folder), "");
	if (status != GPUCRYPT_OK)
		return status;
	remove_old(folder);
	return file_replace(path, text);
}
