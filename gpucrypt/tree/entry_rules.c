#include "gpucrypt/tree/entry_rules.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"
#include "gpucrypt/tree/pax.h"

#define QUOTED "'%.400s'"

/* A directory or a symbolic link; the length is that of the part of path that counts. */
struct known {
	size_t length;
	bool directory;
	char *path; /* not terminated; owned by nodes of the tree */
};

static int compare(const void *left, const void *right)
{
	const struct known *a = left, *b = right;
	int order = memcmp(a->path, b->path, a->length < b->length ? a->length : b->length);

	return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static const struct known *find(const struct entry_rules *rules, const char *path, size_t length)
{
	const struct known wanted = { .length = length, .path = (char *)path };
	struct known *const *found = tfind(&wanted, &rules->names, compare);

	return found != NULL ? *found : NULL;
}

static bool add(struct entry_rules *rules, const char *path, bool directory)
{
	struct known *known = malloc(sizeof *known);

	if (known == NULL)
		return false;
	*known = (struct known){ strlen(path), directory, strdup(path) };
	if (known->path != NULL && tsearch(known, &rules->names, compare) != NULL)
		return true;
	free(known->path);
	free(known);
	return false;
}

static void free_known(void *self)
{
	struct known *known = self;

	wipe(known->path, strlen(known->path));
	free(known->path);
	free(known);
}

void entry_rules_close(struct entry_rules *rules)
{
	tdestroy(rules->names, free_known);
	rules->names = NULL;
}

/* NULL: the path is relative, has no empty part, and neither "." nor "..". */
static const char *wrong_path(const char *path)
{
	if (path == NULL || *path == '\0')
		return "has no name";
	if (strlen(path) > PAX_PATH_LENGTH)
		return "has a name of more than 4094 bytes";
	if (strcmp(path, ".") == 0)
		return NULL;
	for (const char *part = path;; part++) {
		size_t length = strcspn(part, "/");

		if (length == 0)
			return "has a name with a slash too many";
		if (part[0] == '.' && (length == 1 || (length == 2 && part[1] == '.')))
			return "has a name with '.' or '..'";
		part += length;
		if (*part == '\0')
			return NULL;
	}
}

/* The directory of the path was there before, and is no symbolic link. */
static bool has_parent(const struct entry_rules *rules, const char *path)
{
	const char *slash = strrchr(path, '/');
	const struct known *parent = slash != NULL ? find(rules, path, (size_t)(slash - path)) : find(rules, ".", 1);

	return parent != NULL && parent->directory;
}

static const char *wrong_link(const struct entry_rules *rules, const struct gpucrypt_entry *entry)
{
	const char *link = entry->link;

	if (!entry->hard_link && !S_ISLNK(entry->mode))
		return NULL;
	if (link == NULL || *link == '\0' || strlen(link) >= PAX_NAME_BYTES)
		return "is a link without a target, or with one of more than 4095 bytes";
	if (!entry->hard_link)
		return NULL;
	if (!S_ISREG(entry->mode) || wrong_path(link) != NULL || find(rules, link, strlen(link)) != NULL ||
	        !has_parent(rules, link))
		return "is a hard link to no file of the tree";
	return NULL;
}

static const char *wrong_place(const struct entry_rules *rules, const struct gpucrypt_entry *entry)
{
	bool root = strcmp(entry->path, ".") == 0;

	if (rules->names == NULL && !(root && S_ISDIR(entry->mode)))
		return "comes before the directory '.', which is the first entry";
	if (find(rules, entry->path, strlen(entry->path)) != NULL)
		return "is there twice";
	if (!root && !has_parent(rules, entry->path))
		return "comes before its directory, or leads through a symbolic link";
	return NULL;
}

static const char *wrong_kind(const struct gpucrypt_entry *entry)
{
	mode_t type = entry->mode & S_IFMT;

	if (type != S_IFREG && type != S_IFDIR && type != S_IFLNK && type != S_IFIFO && type != S_IFCHR &&
	        type != S_IFBLK)
		return "is of an unknown kind";
	if (entry->mtime_seconds <= -INT64_MAX || entry->mtime_seconds == INT64_MAX)
		return "has a time out of range";
	return entry->mtime_ns < 1000000000 ? NULL : "has a time with more than 999999999 nanoseconds";
}

int entry_admit(struct entry_rules *rules, const struct gpucrypt_entry *entry, enum gpucrypt_status wrong)
{
	const char *why = wrong_path(entry->path);

	if (why == NULL)
		why = wrong_kind(entry);
	if (why == NULL)
		why = wrong_place(rules, entry);
	if (why == NULL)
		why = wrong_link(rules, entry);
	if (why != NULL)
		return fail(wrong, "tree: " QUOTED " %s", entry->path != NULL ? entry->path : "", why);
	if ((S_ISDIR(entry->mode) || S_ISLNK(entry->mode)) && !add(rules, entry->path, S_ISDIR(entry->mode)))
		return fail(GPUCRYPT_OTHER, "out of memory");
	return GPUCRYPT_OK;
}
