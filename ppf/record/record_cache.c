/* The record of a device, of this host or of a file system, from the cache or else from the built-in records. */
#include <ctype.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "gpucrypt/status.h"
#include "ppf/record/builtin.h"
#include "ppf/record/cache.h"
#include "ppf/record/records.h"

/* The built-in records for unknown devices. */
#define DEFAULT_CPU "cpu"
#define DEFAULT_GPU "h200"

#define FILE_NAME 192

/* Names of files. */

/* "NVIDIA H200-580.159.03" → NVIDIA_H200-580.159.03.json */
static void clean_name(char file[FILE_NAME])
{
	for (char *c = file; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && strchr("-_.+", *c) == NULL)
			*c = '_';
}

static void name_device_file(char file[FILE_NAME], const char *name, const char *driver)
{
	snprintf(file, FILE_NAME, "%.96s-%.64s.json", name, driver);
	clean_name(file);
}

static void name_host_file(char file[FILE_NAME])
{
	char host[65] = "";

	gethostname(host, sizeof(host) - 1);
	snprintf(file, FILE_NAME, "host-%s.json", host);
	clean_name(file);
}

/* Name the record by the identity of the file system that survives a reboot, or else by the identity of the mount. */
static void name_storage_file(char file[FILE_NAME], const char *folder)
{
	struct statfs system = { 0 };
	struct stat about = { 0 };
	unsigned long long id;

	if (statfs(folder, &system) != 0 || stat(folder, &about) != 0)
		memset(&system, 0, sizeof(system));
	memcpy(&id, &system.f_fsid, sizeof(id));
	snprintf(file, FILE_NAME, "storage-%lx-%llx.json", (unsigned long)system.f_type,
	        id != 0 ? id : (unsigned long long)about.st_dev);
}

/* Reading and writing. */

static bool read_cached(const struct records *records, const char *file, char note[RECORD_NOTE])
{
	char path[4096], *text = cache_text(file);
	bool good = text != NULL && cache_path(path, sizeof(path), file) == GPUCRYPT_OK &&
	            records_parse(records, text, path) == GPUCRYPT_OK;

	free(text);
	snprintf(note, RECORD_NOTE, "%s", good ? "" : gpucrypt_error());
	fail_clear();
	return good;
}

static int keep_records(const struct records *records, const char *file)
{
	char *text = records_text(records);
	int status = text == NULL ? GPUCRYPT_OTHER : cache_keep(file, text);

	free(text);
	return status;
}

bool device_record_cached(struct device_record *record, const char *name, const char *driver, char note[RECORD_NOTE])
{
	char has[FILE_NAME], wanted[FILE_NAME];

	name_device_file(wanted, name, driver);
	if (!read_cached(&(struct records){ .device = record }, wanted, note))
		return false;
	name_device_file(has, record->name, record->driver);
	if (strcmp(has, wanted) != 0)
		snprintf(note, RECORD_NOTE, "%.60s: of another device or driver: %.60s", wanted, has);
	else if (record->is_cpu && !device_record_has_slices(record) && !device_record_has_trials(record))
		snprintf(note, RECORD_NOTE, "%.60s: its record has no figures of vectors", name);
	return *note == '\0';
}

int device_record_keep(const struct device_record *record)
{
	struct device_record copy = *record;
	char file[FILE_NAME];

	name_device_file(file, record->name, record->driver);
	return keep_records(&(struct records){ .device = &copy }, file);
}

static bool note_other_code(
        char note[RECORD_NOTE], const char *file, const char *what, const char *measured, const char *present)
{
	snprintf(note, RECORD_NOTE, "%.60s: measured with %s%s, not with %.60s", file, what,
	        *measured != '\0' ? measured : "of an earlier release", present);
	return false;
}

/* Another version of libcrypto or of this program may have faster code. */
static bool has_this_code(const struct host_record *record, const char *file, char note[RECORD_NOTE])
{
	struct host_record present;

	host_record_set_code(&present);
	if (strcmp(record->libcrypto, present.libcrypto) != 0)
		return note_other_code(note, file, "libcrypto ", record->libcrypto, present.libcrypto);
	if (strcmp(record->forms, present.forms) != 0)
		return note_other_code(note, file, "instruction forms ", record->forms, present.forms);
	return true;
}

bool host_record_cached(struct host_record *record, char note[RECORD_NOTE])
{
	char file[FILE_NAME];

	name_host_file(file);
	return read_cached(&(struct records){ .host = record }, file, note) && has_this_code(record, file, note);
}

int host_record_keep(const struct host_record *record)
{
	struct host_record copy = *record;
	char file[FILE_NAME];

	name_host_file(file);
	return keep_records(&(struct records){ .host = &copy }, file);
}

bool storage_record_cached(struct storage_record *record, const char *folder, char note[RECORD_NOTE])
{
	char file[FILE_NAME];

	name_storage_file(file, folder);
	return read_cached(&(struct records){ .storage = record }, file, note);
}

int storage_record_keep(const struct storage_record *record, const char *folder)
{
	struct storage_record copy = *record;
	char file[FILE_NAME];

	name_storage_file(file, folder);
	return keep_records(&(struct records){ .storage = &copy }, file);
}

bool records_cached_with_device(
        const struct records *records, const char *name, const char *driver, char note[RECORD_NOTE])
{
	char file[FILE_NAME];

	name_device_file(file, name, driver);
	if (read_cached(records, file, note) && records->host->cpu.n > 0)
		return has_this_code(records->host, file, note);
	*note = '\0'; /* that of a present release */
	return false;
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

int device_record_find(struct device_record *record, const struct device *device, bool *fresh, char note[RECORD_NOTE])
{
	*fresh = device_record_cached(record, device->name, device->driver, note);
	if (*fresh || find_builtin(record, device))
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_OTHER, "%s: no device record fits", device->name);
}
