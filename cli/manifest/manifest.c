/* The records of a manifest, and their text: JSON lines. */
#include "cli/manifest/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/text.h"
#include "command/json.h"
#include "cli/terminal/memory.h"
#include "gpucrypt/status.h"

#define VERSION_NUMBER 1

/* Records. */

void manifest_record_free(struct manifest_record *record)
{
	free(record->name);
	free(record->container);
}

void manifest_add(struct manifest *manifest, const struct manifest_record *record)
{
	struct manifest_record *added;

	if (manifest->n == manifest->room) {
		manifest->room = manifest->room ? 2 * manifest->room : 64;
		manifest->records =
		        memory_or_exit(realloc(manifest->records, manifest->room * sizeof *manifest->records));
	}
	added = &manifest->records[manifest->n];
	*added = *record;
	added->name = memory_or_exit(strdup(record->name));
	added->container = memory_or_exit(strdup(record->container));
	added->number = manifest->n++;
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

/* Text. */

/* Seconds and nanoseconds; JSON's numbers are not exact enough in every reader. */
static json_t *time_json(const struct timespec *time)
{
	char text[TIME_TEXT];

	snprintf(text, sizeof text, "%lld.%09ld", (long long)time->tv_sec, time->tv_nsec);
	return json_string(text);
}

static bool time_parse(struct timespec *time, const char *text)
{
	uint64_t nanoseconds;
	char *end;

	if (!text)
		return false;
	errno = 0;
	time->tv_sec = strtoll(text, &end, 10);
	if (errno != 0 || *end != '.' || strlen(end + 1) != 9 || number_parse(&nanoseconds, end + 1, false))
		return false;
	time->tv_nsec = (long)nanoseconds;
	return true;
}

static json_t *record_json(const struct manifest_record *record)
{
	json_t *json = json_object();

	json_set_name(json, "name", record->name);
	json_set_name(json, "container", record->container);
	json_set(json, "size", json_count(record->size_bytes));
	if (record->container_bytes > 0)
		json_set(json, "container_size", json_count(record->container_bytes));
	json_set(json, "mtime", time_json(&record->mtime));
	json_set(json, "ctime", time_json(&record->ctime));
	json_set(json, "digest", json_hex(record->digest, sizeof record->digest));
	return json;
}

/* The MAC is zero until manifest_mac_set(). */
static json_t *first_json(const struct manifest *manifest)
{
	static const uint8_t no_mac[MAC_BYTES];
	json_t *json = json_object();

	json_set(json, "manifest", json_integer(VERSION_NUMBER));
	json_set(json, "time", json_string(manifest->time));
	json_set(json, "files", json_count(manifest->n));
	json_set(json, "mac", json_hex(no_mac, sizeof no_mac));
	return json;
}

static void print_line(FILE *text, json_t *json)
{
	memory_or_exit(json_dumpf(json, text, JSON_COMPACT) == 0 ? text : NULL);
	putc('\n', text);
	json_decref(json);
}

char *manifest_format(const struct manifest *manifest)
{
	char *text = NULL;
	size_t n_bytes;
	FILE *stream = memory_or_exit(open_memstream(&text, &n_bytes));
	bool failed;

	print_line(stream, first_json(manifest));
	for (size_t i = 0; i < manifest->n; i++)
		print_line(stream, record_json(&manifest->records[i]));
	failed = ferror(stream) != 0;
	return memory_or_exit(fclose(stream) == 0 && !failed ? text : NULL);
}

/* The name, which the caller frees: NAME_hex has one that is not UTF-8.  NULL: there is none. */
static char *name_parse(const json_t *json, const char *key)
{
	char key_hex[32], *name;
	const char *digits, *text = json_string_value(json_object_get(json, key));
	size_t n;

	snprintf(key_hex, sizeof key_hex, "%s_hex", key);
	digits = json_string_value(json_object_get(json, key_hex));
	if (!digits)
		return text && *text ? strdup(text) : NULL;
	n = strlen(digits) / 2;
	name = calloc(1, n + 1);
	if (name && n > 0 && strlen(digits) == 2 * n && hex_decode((uint8_t *)name, n, digits) && strlen(name) == n)
		return name;
	free(name);
	return NULL;
}

static bool count_parse(uint64_t *count, const json_t *json)
{
	const char *text = json_string_value(json);

	if (text)
		return !number_parse(count, text, false);
	*count = (uint64_t)json_integer_value(json);
	return json_is_integer(json) && json_integer_value(json) >= 0;
}

/* Manifests of earlier releases do not have the container's size. */
static int record_parse(struct manifest *manifest, const json_t *json, const char *file, size_t line)
{
	struct manifest_record record = { .name = name_parse(json, "name"),
		.container = name_parse(json, "container") };
	const json_t *container_size = json_object_get(json, "container_size");
	const char *digest = json_string_value(json_object_get(json, "digest"));
	bool good = record.name && record.container && count_parse(&record.size_bytes, json_object_get(json, "size")) &&
	            (!container_size || count_parse(&record.container_bytes, container_size)) &&
	            time_parse(&record.mtime, json_string_value(json_object_get(json, "mtime"))) &&
	            time_parse(&record.ctime, json_string_value(json_object_get(json, "ctime"))) && digest &&
	            strlen(digest) == 2 * (size_t)DIGEST_BYTES && hex_decode(record.digest, DIGEST_BYTES, digest);

	if (good)
		manifest_add(manifest, &record);
	manifest_record_free(&record);
	return good ? GPUCRYPT_OK : fail(GPUCRYPT_CORRUPT, "%s: line %zu is not a record of a manifest", file, line);
}

static int first_parse(struct manifest *manifest, uint64_t *n_files, const json_t *json, const char *file)
{
	const char *time = json_string_value(json_object_get(json, "time"));
	const json_t *version = json_object_get(json, "manifest");

	if (!json_is_integer(version) || !time || strlen(time) >= sizeof manifest->time ||
	        !count_parse(n_files, json_object_get(json, "files")))
		return fail(GPUCRYPT_CORRUPT, "%s: is not a manifest", file);
	if (json_integer_value(version) != VERSION_NUMBER)
		return fail(GPUCRYPT_UNKNOWN,
		        "%s: unknown version %" JSON_INTEGER_FORMAT " of the manifest: made by a later release?", file,
		        json_integer_value(version));
	if (json_object_get(json, "parts"))
		return fail(GPUCRYPT_UNKNOWN,
		        "%s: cannot read a part of a manifest, which an earlier release wrote: join the parts by "
		        "`gcrypt join` of that release",
		        file);
	if (!*manifest->time || strcmp(time, manifest->time) < 0)
		strcpy(manifest->time, time);
	return GPUCRYPT_OK;
}

int manifest_parse(struct manifest *manifest, const char *text, const char *file)
{
	size_t line = 0, before = manifest->n;
	uint64_t n_files = 0;
	int status = GPUCRYPT_OK;

	do {
		size_t length = strcspn(text, "\n");
		json_t *json = json_loadb(text, length, 0, NULL);

		line++;
		status = line == 1 ? first_parse(manifest, &n_files, json, file)
		                   : record_parse(manifest, json, file, line);
		json_decref(json);
		text += length + (text[length] == '\n');
	} while (status == GPUCRYPT_OK && *text);
	if (status == GPUCRYPT_OK && manifest->n - before != n_files)
		status = fail(GPUCRYPT_CORRUPT, "%s: has %zu records, but its first line promises %" PRIu64, file,
		        manifest->n - before, n_files);
	return status;
}
