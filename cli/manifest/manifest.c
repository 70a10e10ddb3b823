#include "cli/manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"

void manifest_record_free(struct manifest_record *record)
{
	free(record->name);
	free(record->container);
}

static int make_room(struct manifest *manifest)
{
	size_t room = manifest->room ? 2 * manifest->room : 64;
	struct manifest_record *records;

	if (manifest->n < manifest->room)
		return GPUCRYPT_OK;
	records = realloc(manifest->records, room * sizeof *records);
	if (!records)
		return fail(GPUCRYPT_OTHER, "out of memory");
	manifest->records = records;
	manifest->room = room;
	return GPUCRYPT_OK;
}

int manifest_add(struct manifest *manifest, const struct manifest_record *record)
{
	struct manifest_record copy = *record;
	int status = make_room(manifest);

	if (status != GPUCRYPT_OK)
		return status;
	copy.name = strdup(record->name);
	copy.container = strdup(record->container);
	copy.number = manifest->n;
	if (!copy.name || !copy.container) {
		manifest_record_free(&copy);
		return fail(GPUCRYPT_OTHER, "out of memory");
	}
	manifest->records[manifest->n++] = copy;
	return GPUCRYPT_OK;
}

static int compare_records(const void *a, const void *b)
{
	const struct manifest_record *x = a, *y = b;
	int by_name = strcmp(x->name, y->name);

	return by_name ? by_name : (x->number > y->number) - (x->number < y->number);
}

void manifest_sort(struct manifest *manifest)
{
	struct manifest_record *records = manifest->records;
	size_t kept = 0;

	if (manifest->n > 0)
		qsort(records, manifest->n, sizeof *records, compare_records);
	for (size_t i = 0; i < manifest->n; i++) {
		if (i + 1 < manifest->n && !strcmp(records[i].name, records[i + 1].name)) {
			if (memcmp(records[i].digest, records[i + 1].digest, DIGEST_BYTES) != 0)
				manifest->disputed = records[i + 1].name;
			manifest_record_free(&records[i]);
			continue;
		}
		records[kept] = records[i];
		records[kept].number = kept;
		kept++;
	}
	manifest->n = kept;
}

static int compare_name(const void *name, const void *record)
{
	return strcmp(name, ((const struct manifest_record *)record)->name);
}

struct manifest_record *manifest_find(const struct manifest *manifest, const char *name)
{
	return manifest->n == 0
	               ? NULL
	               : bsearch(name, manifest->records, manifest->n, sizeof *manifest->records, compare_name);
}

void manifest_forget(struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->n; i++)
		manifest_record_free(&manifest->records[i]);
	manifest->n = 0;
}

void manifest_free(struct manifest *manifest)
{
	manifest_forget(manifest);
	free(manifest->records);
	manifest_unlock(manifest);
	*manifest = (struct manifest){ 0 };
}
