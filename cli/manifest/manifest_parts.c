#include "cli/manifest/manifest_parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "gpucrypt/status.h"

bool manifest_part_has(struct shard part, const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
	hash ^= hash >> 32;
	return hash % part.count + 1 == part.index;
}

/* Names. */

char *manifest_part_name(const char *file, struct shard part)
{
	char *name;

	return asprintf(&name, "%s.files-%u-of-%u", file, part.index, part.count) < 0 ? NULL : name;
}

/* Is name that of a part of the file with this base?  The numbers make the same name again, so they are as it has them.
 */
static bool part_of_name(struct shard *part, const char *name, const char *base)
{
	static const char first[] = ".files-", second[] = "-of-";
	size_t n = strlen(base);
	char *same, *end;
	bool good;

	if (strncmp(name, base, n) != 0 || strncmp(name + n, first, strlen(first)) != 0)
		return false;
	part->index = (unsigned)strtoul(name + n + strlen(first), &end, 10);
	if (strncmp(end, second, strlen(second)) != 0)
		return false;
	part->count = (unsigned)strtoul(end + strlen(second), NULL, 10);
	if (part->index == 0 || part->index > part->count)
		return false;
	same = manifest_part_name(base, *part);
	good = same && !strcmp(name, same);
	free(same);
	return good;
}

static int count_parts(unsigned *count, DIR *folder, const char *file)
{
	struct shard part;

	for (struct dirent *entry; (entry = readdir(folder));) {
		if (!part_of_name(&part, entry->d_name, folder_base(file)))
			continue;
		if (*count > 0 && *count != part.count)
			return fail(GPUCRYPT_USAGE, "%s: parts of %u and of %u are there: remove those of one kind",
			        file, *count, part.count);
		*count = part.count;
	}
	return GPUCRYPT_OK;
}

int manifest_parts_find(const char *file, unsigned *count)
{
	char *name = folder_name(file);
	DIR *folder = name ? opendir(name) : NULL;
	int status = GPUCRYPT_OK;

	*count = 0;
	if (!name)
		status = fail(GPUCRYPT_OTHER, "out of memory");
	else if (!folder)
		status = fail_errno(file, "cannot open its folder");
	if (folder) {
		status = count_parts(count, folder, file);
		closedir(folder);
	}
	free(name);
	return status;
}

/* A run of one part. */

static void keep_part(struct manifest *manifest, struct shard part)
{
	size_t kept = 0;

	for (size_t i = 0; i < manifest->n; i++) {
		struct manifest_record record = manifest->records[i];

		if (!manifest_part_has(part, record.name)) {
			manifest_record_free(&record);
			continue;
		}
		record.number = kept; /* before those that are added */
		manifest->records[kept++] = record;
	}
	manifest->n = kept;
}

static int read_if_there(struct manifest *manifest, const char *file, const struct gpucrypt_secret *secret)
{
	manifest->exists = access(file, F_OK) == 0 || errno != ENOENT;
	return manifest->exists ? manifest_read(manifest, file, secret) : GPUCRYPT_OK;
}

/* Add the records that the manifest has of the part's files. */
static int read_whole(
        struct manifest *manifest, const char *file, struct shard part, const struct gpucrypt_secret *secret)
{
	int status;

	manifest->part = (struct shard){ 0 };
	status = read_if_there(manifest, file, secret);
	if (status == GPUCRYPT_OK)
		keep_part(manifest, part);
	manifest->part = part;
	return status;
}

/* The part's own records take the place of the whole's, from which it was started: it may have dropped some.  If the
 * manifest was written after the part was started, its records are the newer ones. */
static int read_own(struct manifest *manifest, const char *file, const char *own, const uint8_t base[DIGEST_BYTES],
        const struct gpucrypt_secret *secret)
{
	bool whole = manifest->exists, exists = access(own, F_OK) == 0 || errno != ENOENT;
	int status = GPUCRYPT_OK;

	if (exists) {
		manifest_forget(manifest);
		status = manifest_read(manifest, own, secret);
	}
	if (status == GPUCRYPT_OK && whole && exists && memcmp(manifest->base, base, DIGEST_BYTES) != 0)
		status = read_whole(manifest, file, manifest->part, secret);
	manifest->exists = exists;
	return status;
}

int manifest_part_read(
        struct manifest *manifest, const char *file, struct shard part, const struct gpucrypt_secret *secret)
{
	uint8_t base[DIGEST_BYTES] = { 0 };
	char *own = manifest_part_name(file, part);
	int status = own ? read_whole(manifest, file, part, secret) : fail(GPUCRYPT_OTHER, "out of memory");

	if (status == GPUCRYPT_OK) {
		if (manifest->exists)
			memcpy(base, manifest->digest, sizeof base);
		status = read_own(manifest, file, own, base, secret);
	}
	memcpy(manifest->base, base, sizeof base);
	free(own);
	return status;
}
