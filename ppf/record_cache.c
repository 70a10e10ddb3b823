/* Which record stands for a device: the cache, then what is built in. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin.h"
#include "gpucrypt/status.h"
#include "record.h"

/* What stands for a device that nothing is known about. */
#define DEFAULT_CPU "cpu"
#define DEFAULT_GPU "h200"

const char *record_builtin(const char *short_name)
{
	for (const struct builtin_record *b = builtin_records; b->name != NULL; b++)
		if (strcmp(b->name, short_name) == 0)
			return b->text;
	return NULL;
}

/* The cache folder; GPUCRYPT_IO where there is no home. */
static int cache_folder(char *path, size_t n)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	/* XDG Base Directory Specification: a path that is not absolute is ignored. */
	if (cache != NULL && cache[0] == '/')
		snprintf(path, n, "%s/gcrypt", cache);
	else if (home != NULL && home[0] == '/')
		snprintf(path, n, "%s/.cache/gcrypt", home);
	else
		return fail(GPUCRYPT_IO, "no cache folder: XDG_CACHE_HOME and HOME are not set");
	return GPUCRYPT_OK;
}

/* "NVIDIA H200", "580.159.03" → NVIDIA_H200-580.159.03.json */
static void file_name(char *text, size_t n, const char *name, const char *driver)
{
	snprintf(text, n, "%s-%s.json", name, driver);
	for (char *c = text; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && strchr("-_.+", *c) == NULL)
			*c = '_';
}

static int cache_path(char *path, size_t n, const char *name, const char *driver)
{
	char folder[3072], file[192];
	int status = cache_folder(folder, sizeof(folder));

	file_name(file, sizeof(file), name, driver);
	if (status == GPUCRYPT_OK)
		snprintf(path, n, "%s/%s", folder, file);
	return status;
}

/* Whether the cache has a good record; if there is a bad one, the note says so. */
static bool find_cached(
        struct record *record, const char *name, const char *driver, char *note, size_t note_bytes)
{
	char path[4096], has[192], wanted[192];

	note[0] = '\0';
	if (cache_path(path, sizeof(path), name, driver) != GPUCRYPT_OK ||
	        access(path, F_OK) != 0) {
		fail_clear();
		return false;
	}
	fail_clear();
	if (record_read(record, path) != GPUCRYPT_OK) {
		snprintf(note, note_bytes, "%s", gpucrypt_error());
		fail_clear();
		return false;
	}
	file_name(has, sizeof(has), record->name, record->driver);
	file_name(wanted, sizeof(wanted), name, driver);
	if (strcmp(has, wanted) == 0)
		return true;
	snprintf(note, note_bytes, "%.60s: of another device or driver: %.60s", wanted, has);
	return false;
}

static bool same_name(const struct record *record, const char *name, const char *vendor)
{
	(void)vendor;
	return strcasecmp(record->name, name) == 0;
}

/* "NVIDIA" and "NVIDIA Corporation" are the same. */
static bool same_vendor(const struct record *record, const char *name, const char *vendor)
{
	(void)name;
	return strncasecmp(record->vendor, vendor, strcspn(record->vendor, " ")) == 0;
}

static bool is_default(const struct record *record, const char *name, const char *vendor)
{
	(void)record, (void)name, (void)vendor;
	return true;
}

/* The first built-in record of this kind of device that fits; the defaults come first. */
static bool find_builtin(struct record *record, const char *name, const char *vendor, bool is_cpu,
        bool (*fits)(const struct record *, const char *, const char *))
{
	static const char *const first[] = { DEFAULT_GPU, DEFAULT_CPU };

	for (size_t i = 0; i < 2; i++)
		if (record_parse(record, record_builtin(first[i]), first[i]) == GPUCRYPT_OK &&
		        record->is_cpu == is_cpu && fits(record, name, vendor))
			return true;
	for (const struct builtin_record *b = builtin_records; b->name != NULL; b++)
		if (record_parse(record, b->text, b->name) == GPUCRYPT_OK &&
		        record->is_cpu == is_cpu && fits(record, name, vendor))
			return true;
	return false;
}

int record_find(struct record *record, const char *name, const char *vendor, const char *driver,
        bool is_cpu, bool *fresh)
{
	static bool (*const ways[])(const struct record *, const char *,
	        const char *) = { same_name, same_vendor, is_default };
	char note[sizeof(record->note)];
	bool found;

	*fresh = found = find_cached(record, name, driver, note, sizeof(note));
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && !found; i++)
		found = find_builtin(record, name, vendor, is_cpu, ways[i]);
	if (!found)
		return fail(GPUCRYPT_OTHER, "%s: no device record fits", name);
	snprintf(record->note, sizeof(record->note), "%s", note);
	return GPUCRYPT_OK;
}

/* The folder and those above it, for the user alone. */
static int make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash != NULL)
			*slash = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return fail(GPUCRYPT_IO, "%s: cannot create the cache folder: %s", path,
			        strerror(errno));
		if (slash == NULL)
			return GPUCRYPT_OK;
		*slash = '/';
	}
}

int record_keep(const struct record *record)
{
	char folder[3072], path[4096];
	int status = cache_folder(folder, sizeof(folder));

	if (status == GPUCRYPT_OK)
		status = make_folders(folder);
	if (status == GPUCRYPT_OK)
		status = cache_path(path, sizeof(path), record->name, record->driver);
	return status == GPUCRYPT_OK ? record_write(record, path) : status;
}
