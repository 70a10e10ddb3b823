/* The text of a manifest: JSON lines. */
#include "cli/manifest/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/hex.h"
#include "command/number.h"
#include "command/json.h"
#include "gpucrypt/status.h"

#define VERSION_NUMBER 1
#define TIME_TEXT      32

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

static bool print_line(FILE *text, json_t *json)
{
	bool good = json_dumpf(json, text, JSON_COMPACT) == 0 && putc('\n', text) != EOF;

	json_decref(json);
	return good;
}

char *manifest_format(const struct manifest *manifest)
{
	char *text = NULL;
	size_t n_bytes;
	FILE *stream = open_memstream(&text, &n_bytes);
	bool good = stream && print_line(stream, first_json(manifest));

	for (size_t i = 0; i < manifest->n && good; i++)
		good = print_line(stream, record_json(&manifest->records[i]));
	if (stream && fclose(stream) == 0 && good)
		return text;
	free(text);
	return NULL;
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

static bool digest_parse(uint8_t digest[DIGEST_BYTES], const char *digits)
{
	return digits && strlen(digits) == 2 * (size_t)DIGEST_BYTES && hex_decode(digest, DIGEST_BYTES, digits);
}

/* Manifests of releases before it do not have the container's size. */
static bool container_size_parse(struct manifest_record *record, const json_t *json)
{
	return !json || count_parse(&record->container_bytes, json);
}

static int record_parse(struct manifest *manifest, const json_t *json, const char *file, size_t line)
{
	struct manifest_record record = { .name = name_parse(json, "name"),
		.container = name_parse(json, "container") };
	bool good = record.name && record.container && count_parse(&record.size_bytes, json_object_get(json, "size")) &&
	            container_size_parse(&record, json_object_get(json, "container_size")) &&
	            time_parse(&record.mtime, json_string_value(json_object_get(json, "mtime"))) &&
	            time_parse(&record.ctime, json_string_value(json_object_get(json, "ctime"))) &&
	            digest_parse(record.digest, json_string_value(json_object_get(json, "digest")));
	int status = good ? manifest_add(manifest, &record)
	                  : fail(GPUCRYPT_CORRUPT, "%s: line %zu is no record of a manifest", file, line);

	free(record.name);
	free(record.container);
	return status;
}

static int first_parse(struct manifest *manifest, uint64_t *n_files, const json_t *json, const char *file)
{
	const char *time = json_string_value(json_object_get(json, "time"));
	const json_t *version = json_object_get(json, "manifest");

	if (!json_is_integer(version) || !time || strlen(time) >= sizeof manifest->time ||
	        !count_parse(n_files, json_object_get(json, "files")))
		return fail(GPUCRYPT_CORRUPT, "%s: is no manifest", file);
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
		status = fail(
		        GPUCRYPT_CORRUPT, "%s: has %zu records, not %" PRIu64, file, manifest->n - before, n_files);
	return status;
}
