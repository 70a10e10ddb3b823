#include "ppf/record/cache.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/status.h"

#define FORMAT "gcrypt machine 1"

/* The file of this machine, and its folder as a descriptor for *at() calls. */
struct cache_file {
	char path[4096];
	const char *name; /* the last part of the path */
	int folder;
};

void cache_clean_name(char *name)
{
	for (char *c = name; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && strchr("-_.+", *c) == NULL)
			*c = '_';
}

int cache_path(char *path, size_t n)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char host[65] = "";
	int length;

	gethostname(host, sizeof(host) - 1);
	cache_clean_name(host);
	/* XDG Base Directory Specification: a path that is not absolute is ignored. */
	if (cache != NULL && cache[0] == '/')
		length = snprintf(path, n, "%s/gcrypt/machine-%s.json", cache, host);
	else if (home != NULL && home[0] == '/')
		length = snprintf(path, n, "%s/.cache/gcrypt/machine-%s.json", home, host);
	else
		return fail(GPUCRYPT_IO, "no cache folder: XDG_CACHE_HOME and HOME are not set");
	return length > 0 && (size_t)length < n ? GPUCRYPT_OK
	                                        : fail(GPUCRYPT_IO, "no cache folder: its path is too long");
}

/* path is for messages. */
static char *text_at(int folder, const char *name, int flags, const char *path)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | flags);
	char *text = fd < 0 ? NULL : calloc(1, MAX_CACHED_BYTES + 2);
	size_t n_bytes = 0;
	ssize_t got = text == NULL ? -1 : 1;

	while (got > 0 && n_bytes <= MAX_CACHED_BYTES) {
		got = read(fd, text + n_bytes, MAX_CACHED_BYTES + 1 - n_bytes);
		n_bytes += got > 0 ? (size_t)got : 0;
	}
	if (got < 0)
		fail(GPUCRYPT_IO, "%s: cannot %s: %s", path, text == NULL ? "open" : "read", strerror(errno));
	else if (n_bytes > MAX_CACHED_BYTES)
		fail(GPUCRYPT_IO, "%s: larger than 1 MiB", path);
	if (fd >= 0)
		close(fd);
	if (got >= 0 && n_bytes <= MAX_CACHED_BYTES)
		return text;
	free(text);
	return NULL;
}

char *file_text(const char *path)
{
	return text_at(AT_FDCWD, path, 0, path);
}

/* This function closes fd, which is -1 if the file could not be opened. */
static int write_text(int fd, const char *text, const char *path)
{
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	bool good = out != NULL && fputs(text, out) >= 0;

	if (out == NULL)
		return fail(GPUCRYPT_IO, "%s: cannot create: %s", path, strerror(errno));
	return fclose(out) == 0 && good ? GPUCRYPT_OK
	                                : fail(GPUCRYPT_IO, "%s: cannot write: %s", path, strerror(errno));
}

/* Write the text to a temporary file, which was opened as fd, and rename that file to name. */
static int replace_at(int folder, const char *name, int fd, const char *temporary, const char *text, const char *path)
{
	int status;

	if (fd >= 0)
		fchmod(fd, 0644);
	status = write_text(fd, text, path);
	if (status == GPUCRYPT_OK && renameat(folder, temporary, folder, name) != 0)
		status = fail(GPUCRYPT_IO, "%s: cannot rename to it: %s", path, strerror(errno));
	if (status != GPUCRYPT_OK && fd >= 0)
		unlinkat(folder, temporary, 0);
	return status;
}

int file_write(const char *path, const char *text)
{
	char temporary[4096];
	struct stat there;

	if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
		return write_text(open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY), text, path);
	if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary)
		return fail(GPUCRYPT_IO, "%s: the path is too long", path);
	return replace_at(AT_FDCWD, path, mkostemp(temporary, O_CLOEXEC), temporary, text, path);
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

/* The caller closes the folder.  Errors: GPUCRYPT_EXISTS if other users can change the folder, which is then neither
 * read nor written; GPUCRYPT_IO if there is no folder. */
static int open_folder(struct cache_file *file, bool create)
{
	struct stat about;
	const char *why = NULL;
	char *slash;
	int status = cache_path(file->path, sizeof file->path);

	if (status == GPUCRYPT_OK && create)
		status = make_folders(file->path);
	if (status != GPUCRYPT_OK)
		return status;
	slash = strrchr(file->path, '/');
	*slash = '\0'; /* with a final slash, open() would follow a symbolic link */
	file->name = slash + 1;
	file->folder = open(file->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (file->folder < 0 || fstat(file->folder, &about) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", file->path, strerror(errno));
	if (!S_ISDIR(about.st_mode))
		why = "it is a symbolic link or no folder";
	else if (about.st_uid != geteuid())
		why = "it belongs to another user";
	else if (about.st_mode & (S_IWGRP | S_IWOTH))
		why = "other users can write to it; remove it";
	if (why) {
		close(file->folder);
		return fail(GPUCRYPT_EXISTS, "%s: cache not used: %s", file->path, why);
	}
	*slash = '/';
	return GPUCRYPT_OK;
}

bool cache_refused(void)
{
	struct cache_file file;
	int status = open_folder(&file, false);

	if (status == GPUCRYPT_OK)
		close(file.folder);
	fail_clear();
	return status == GPUCRYPT_EXISTS;
}

/* Returns NULL without an error if there is no file, or one of another release. */
static json_t *read_members(const struct cache_file *file)
{
	bool is_there = faccessat(file->folder, file->name, F_OK, 0) == 0;
	/* O_NONBLOCK: a run does not wait for a FIFO */
	char *text = is_there ? text_at(file->folder, file->name, O_NONBLOCK, file->path) : NULL;
	json_t *root = text == NULL ? NULL : json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const char *format = json_string_value(json_object_get(root, "format"));

	if (text != NULL && (format == NULL || strncmp(format, FORMAT, strlen(FORMAT) - 1) != 0))
		fail(GPUCRYPT_CORRUPT, "%s: damaged: skipped", file->path);
	if (format == NULL || strcmp(format, FORMAT) != 0) {
		json_decref(root);
		root = NULL;
	}
	free(text);
	return root;
}

void cache_note(char note[CACHE_NOTE])
{
	if (note[0] == '\0')
		snprintf(note, CACHE_NOTE, "%s", gpucrypt_error());
	fail_clear();
}

json_t *cache_read(char note[CACHE_NOTE])
{
	struct cache_file file;
	json_t *root = NULL;
	int status;

	fail_clear();
	status = open_folder(&file, false);
	if (status == GPUCRYPT_OK) {
		root = read_members(&file);
		close(file.folder);
	} else if (status != GPUCRYPT_EXISTS) {
		fail_clear();
	}
	cache_note(note);
	return root;
}

/* The folder is locked, so the temporary file can only be the leftover of a process that was killed. */
static int write_member(const struct cache_file *file, const char *key, json_t *value)
{
	json_t *root = read_members(file);
	char temporary[256], *text;
	int fd, status;

	fail_clear();
	if (root == NULL)
		root = json_pack("{s:s}", "format", FORMAT);
	text = json_object_set(root, key, value) == 0 ? json_dumps(root, JSON_INDENT(1) | RECORD_DIGITS) : NULL;
	json_decref(root);
	if (text == NULL)
		return fail(GPUCRYPT_OTHER, "%s: cannot be written as JSON", key);
	snprintf(temporary, sizeof temporary, "%s.new", file->name);
	fd = openat(file->folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	status = replace_at(file->folder, file->name, fd, temporary, text, file->path);
	free(text);
	return status;
}

int cache_set(const char *key, json_t *value)
{
	struct cache_file file;
	int lock, status = open_folder(&file, true);

	if (status == GPUCRYPT_OK) {
		lock = openat(file.folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (lock >= 0 && flock(lock, LOCK_EX) == 0)
			status = write_member(&file, key, value);
		else
			status = fail(GPUCRYPT_IO, "%s: cannot lock its folder: %s", file.path, strerror(errno));
		if (lock >= 0)
			close(lock);
		close(file.folder);
	}
	json_decref(value);
	return status;
}
