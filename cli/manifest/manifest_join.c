/* gcrypt join FILE, if FILE is a manifest whose parts are there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/manifest/manifest_parts.h"
#include "gpucrypt/status.h"

struct joining {
	const char *file;
	const struct gpucrypt_secret *secrets;
	bool force;
	struct manifest whole, old; /* old: the manifest before */
	struct stat *parts;         /* owned; as they were read */
	unsigned n;
	char missing[64]; /* their numbers, as many as fit */
	unsigned n_missing;
	unsigned n_joined, n_others; /* parts that are there: already in the old manifest, and not */
};

static int check_part(const struct joining *joining, const struct manifest *part, const char *name)
{
	static const uint8_t none[DIGEST_BYTES];

	if (memcmp(part->base, joining->old.exists ? joining->old.digest : none, DIGEST_BYTES) != 0)
		return fail(GPUCRYPT_CORRUPT, "%s: %s was written by another run since: run this part again", name,
		        joining->file);
	return joining->force ? GPUCRYPT_OK : manifest_check_slots(name, joining->secrets);
}

static bool same_records(const struct manifest *whole, const struct manifest *part)
{
	bool same = true;

	for (size_t i = 0; i < part->n && same; i++) {
		const struct manifest_record *record = &part->records[i], *joined = manifest_find(whole, record->name);

		same = joined != NULL && strcmp(joined->container, record->container) == 0 &&
		       memcmp(joined->digest, record->digest, DIGEST_BYTES) == 0;
	}
	return same;
}

/* Has a join that was killed before it removed this part written all of it into the manifest? */
static bool was_joined(const struct manifest *whole, const struct manifest *part)
{
	return whole->joined && part->complete && memcmp(part->base, whole->base, DIGEST_BYTES) == 0 &&
	       same_records(whole, part);
}

static int add_records(struct manifest *whole, const struct manifest *part)
{
	int status = GPUCRYPT_OK;

	for (size_t i = 0; i < part->n && status == GPUCRYPT_OK; i++)
		status = manifest_add(whole, &part->records[i]);
	return status;
}

static void note_missing(struct joining *joining, unsigned number)
{
	size_t used = strlen(joining->missing);

	joining->n_missing++;
	if (used + 16 < sizeof joining->missing)
		snprintf(joining->missing + used, sizeof joining->missing - used, "%s%u", used ? ", " : "", number);
	else if (joining->missing[used - 1] != '.')
		snprintf(joining->missing + used, sizeof joining->missing - used, ", ...");
}

/* Under the part's lock: a run writes its manifest in several steps. */
static int read_locked(struct joining *joining, const char *name, struct shard number)
{
	struct manifest part = { .part = number };
	bool joined;
	int status = manifest_lock(&part, name);

	if (status == GPUCRYPT_OK && stat(name, &joining->parts[number.index - 1]) != 0)
		status = fail_errno(name, "cannot open");
	if (status == GPUCRYPT_OK)
		status = manifest_read(&part, name, joining->secrets);
	if (status == GPUCRYPT_OK && part.unbound)
		status = fail(GPUCRYPT_CORRUPT, "%s: not bound to this secret: run this part again", name);
	joined = status == GPUCRYPT_OK && was_joined(&joining->old, &part);
	joining->n_joined += joined;
	joining->n_others += !joined;
	if (status == GPUCRYPT_OK && (joined || !part.complete))
		note_missing(joining, number.index);
	else if (status == GPUCRYPT_OK)
		status = check_part(joining, &part, name);
	if (status == GPUCRYPT_OK)
		status = add_records(&joining->whole, &part);
	manifest_free(&part);
	return status;
}

static int read_part(struct joining *joining, unsigned number)
{
	struct shard part = { number, joining->n };
	char *name = manifest_part_name(joining->file, part);
	int status = GPUCRYPT_OK;

	if (!name)
		return fail(GPUCRYPT_OTHER, "out of memory");
	if (access(name, F_OK) != 0 && errno == ENOENT)
		note_missing(joining, number);
	else
		status = read_locked(joining, name, part);
	free(name);
	return status;
}

static int read_parts(struct joining *joining)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 1; i <= joining->n && status == GPUCRYPT_OK; i++)
		status = read_part(joining, i);
	return status;
}

static int write_whole(struct joining *joining, const struct key_files *keys)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU };
	struct manifest *whole = &joining->whole;

	if (joining->n_missing > 0)
		return fail(GPUCRYPT_CORRUPT, "%s: not joined: part%s %s of %u %s missing or incomplete: run %s again",
		        joining->file, joining->n_missing == 1 ? "" : "s", joining->missing, joining->n,
		        joining->n_missing == 1 ? "is" : "are", joining->n_missing == 1 ? "it" : "them");
	manifest_sort(whole);
	whole->joined = true;
	if (joining->old.exists)
		memcpy(whole->base, joining->old.digest, DIGEST_BYTES);
	return manifest_write(whole, joining->file, &plan, joining->secrets, keys);
}

static int read_old(struct joining *joining)
{
	struct stat there;

	if (lstat(joining->file, &there) != 0)
		return errno == ENOENT ? GPUCRYPT_OK : fail_errno(joining->file, "cannot open");
	if (S_ISLNK(there.st_mode))
		return fail(GPUCRYPT_USAGE, "%s: is a symbolic link: name the manifest itself", joining->file);
	joining->whole.exists = true;
	return manifest_read(&joining->old, joining->file, joining->secrets);
}

/* A part that has run again meanwhile is another file, and stays. */
static int remove_part(const struct joining *joining, unsigned number)
{
	char *name = manifest_part_name(joining->file, (struct shard){ number, joining->n });
	const struct stat *read = &joining->parts[number - 1];
	struct manifest lock = { 0 };
	struct stat there;
	int status = name ? manifest_lock(&lock, name) : fail(GPUCRYPT_OTHER, "out of memory");

	if (status == GPUCRYPT_OK && stat(name, &there) == 0 && there.st_dev == read->st_dev &&
	        there.st_ino == read->st_ino && unlink(name) != 0)
		status = fail_errno(name, "cannot remove");
	manifest_free(&lock);
	free(name);
	return status;
}

static int join_locked(struct joining *joining, const struct key_files *keys)
{
	int status = manifest_parts_find(joining->file, &joining->n);

	joining->parts = calloc(joining->n + 1, sizeof *joining->parts);
	if (status == GPUCRYPT_OK && !joining->parts)
		status = fail(GPUCRYPT_OTHER, "out of memory");
	if (status == GPUCRYPT_OK)
		status = read_old(joining);
	if (status == GPUCRYPT_OK)
		status = read_parts(joining);
	if (status == GPUCRYPT_OK && (joining->n_joined == 0 || joining->n_others > 0))
		status = write_whole(joining, keys);
	for (unsigned i = 1; i <= joining->n && status == GPUCRYPT_OK; i++)
		status = remove_part(joining, i);
	return status;
}

int manifest_join(const char *file, const struct gpucrypt_secret *secrets, const struct key_files *keys, bool force)
{
	struct joining joining = { .file = file, .secrets = secrets, .force = force };
	int status = manifest_lock(&joining.whole, file);

	if (status == GPUCRYPT_OK)
		status = join_locked(&joining, keys);
	manifest_free(&joining.whole);
	manifest_free(&joining.old);
	free(joining.parts);
	return status;
}
