/* The record of a device, of this host or of a file system, from the cache or else from the built-in records. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "gpucrypt/status.h"
#include "ppf/record/builtin.h"
#include "ppf/record/cache.h"
#include "ppf/record/records.h"

/* The built-in records for unknown devices. */
#define DEFAULT_CPU "cpu"
#define DEFAULT_GPU "h200"

#define HOST_KEY  "host"
#define KEY_BYTES 192

/* Members of the cache. */

/* "device-NVIDIA_H200-580.159.03" */
static void device_key(char key[KEY_BYTES], const char *name, const char *driver)
{
	snprintf(key, KEY_BYTES, "device-%.96s-%.64s", name, driver);
	cache_clean_name(key);
}

/* Name the record by the identity of the file system that survives a reboot, or else by the identity of the mount. */
static void storage_key(char key[KEY_BYTES], const char *folder)
{
	struct statfs system = { 0 };
	struct stat about = { 0 };
	unsigned long long id;

	if (statfs(folder, &system) != 0 || stat(folder, &about) != 0)
		memset(&system, 0, sizeof(system));
	memcpy(&id, &system.f_fsid, sizeof(id));
	snprintf(key, KEY_BYTES, "storage-%lx-%llx", (unsigned long)system.f_type,
	        id != 0 ? id : (unsigned long long)about.st_dev);
}

static bool read_cached(
        void *record, const struct member_table *table, const json_t *cache, const char *key, char note[CACHE_NOTE])
{
	const json_t *json = json_object_get(cache, key);
	bool good = json != NULL && members_read(record, table, json, key) == GPUCRYPT_OK;

	cache_note(note);
	return good;
}

static int keep_record(const void *record, const struct member_table *table, const char *key)
{
	json_t *json = json_object();
	int status = members_write(record, table, json);

	if (status == GPUCRYPT_OK)
		return cache_set(key, json);
	json_decref(json);
	return status;
}

bool device_record_cached(
        struct device_record *record, const json_t *cache, const char *name, const char *driver, char note[CACHE_NOTE])
{
	char has[KEY_BYTES], wanted[KEY_BYTES];
	int status = GPUCRYPT_OK;

	device_key(wanted, name, driver);
	if (!read_cached(record, &device_record_members, cache, wanted, note))
		return false;
	device_key(has, record->name, record->driver);
	if (strcmp(has, wanted) != 0)
		status = fail(GPUCRYPT_CORRUPT, "%.60s: of another device or driver: %.60s", wanted, has);
	else if (record->is_cpu && !device_record_has_slices(record) && !device_record_has_trials(record))
		status = fail(GPUCRYPT_CORRUPT, "%.60s: its record has no figures of vectors", name);
	cache_note(note);
	return status == GPUCRYPT_OK;
}

int device_record_keep(const struct device_record *record)
{
	char key[KEY_BYTES];

	device_key(key, record->name, record->driver);
	return keep_record(record, &device_record_members, key);
}

/* Another version of libcrypto or of this program may have faster code. */
static bool is_same_code(const char *what, const char *measured, const char *present)
{
	if (strcmp(measured, present) == 0)
		return true;
	fail(GPUCRYPT_CORRUPT, "the record of the CPU was measured with %s%s, not with %.60s", what,
	        *measured != '\0' ? measured : "of an earlier release", present);
	return false;
}

bool host_record_cached(struct host_record *record, const json_t *cache, char note[CACHE_NOTE])
{
	struct host_record present;
	bool good = read_cached(record, &host_record_members, cache, HOST_KEY, note);

	host_record_set_code(&present);
	good = good && is_same_code("libcrypto ", record->libcrypto, present.libcrypto) &&
	       is_same_code("instruction forms ", record->forms, present.forms);
	cache_note(note);
	return good;
}

int host_record_keep(const struct host_record *record)
{
	return keep_record(record, &host_record_members, HOST_KEY);
}

bool storage_record_cached(
        struct storage_record *record, const json_t *cache, const char *folder, char note[CACHE_NOTE])
{
	char key[KEY_BYTES];

	storage_key(key, folder);
	return read_cached(record, &storage_record_members, cache, key, note);
}

int storage_record_keep(const struct storage_record *record, const char *folder)
{
	char key[KEY_BYTES];

	storage_key(key, folder);
	return keep_record(record, &storage_record_members, key);
}

/* Built-in records. */

/* Score of a built-in record for a device; 0: the record does not fit. "NVIDIA" and "NVIDIA Corporation" count as
 * equal. */
static int fitness_of(const char *builtin, const struct device_record *record, const struct device *device)
{
	bool is_default = strcmp(builtin, device->cpu ? DEFAULT_CPU : DEFAULT_GPU) == 0;

	if (record->is_cpu != device->cpu)
		return 0;
	if (strcasecmp(record->name, device->name) == 0)
		return 6;
	if (strncasecmp(record->vendor, device->vendor, strcspn(record->vendor, " ")) == 0)
		return 4 + is_default;
	return 1 + is_default;
}

static bool find_builtin(struct device_record *record, const struct device *device)
{
	struct device_record candidate;
	const struct records records = { .device = &candidate };
	int best = 0;

	for (const struct builtin_record *b = builtin_records; b->name != NULL; b++) {
		int fitness = records_parse(&records, b->text, b->name) == GPUCRYPT_OK
		                      ? fitness_of(b->name, &candidate, device)
		                      : 0;
		if (fitness > best) {
			best = fitness;
			*record = candidate;
		}
	}
	return best > 0;
}

int device_record_find(struct device_record *record, const struct device *device, const json_t *cache, bool *fresh,
        char note[CACHE_NOTE])
{
	*fresh = device_record_cached(record, cache, device->name, device->driver, note);
	if (*fresh || find_builtin(record, device))
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_OTHER, "%s: no device record fits", device->name);
}
