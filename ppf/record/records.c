/* Records as text with one member per line, in the cache, and built in. */
#include "ppf/record/records.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/status.h"

#define MAX_OTHER_WORK 0.2
#define MAX_SPREAD     0.3

#define PACE(tag, number) MEMBER_GROUPED(struct host_record, tag, number)

static const struct member members[] = {
	MEMBER_ROW(struct host_record, MEMBER_TEXT, libcrypto, .optional = MEMBER_ALL),
	MEMBER_ROW(struct host_record, MEMBER_TEXT, forms, .optional = MEMBER_ALL),
	MEMBER_ROW(struct host_record, MEMBER_COUNT, cpu_threads),
	MEMBER_ROW(struct host_record, MEMBER_SPEEDS, cpu),
	PACE(tag, one_thread),
	PACE(tag, all_threads),
	PACE(copy, one_thread),
	PACE(copy, all_threads),
	MEMBER_ROW(struct host_record, MEMBER_NUMBER, run_s),
	MEMBER_ROW(struct host_record, MEMBER_NUMBER, other_work, .optional = MEMBER_ALL),
	MEMBER_ROW(struct host_record, MEMBER_NUMBER, host_spread, .optional = MEMBER_ALL),
};

static const struct member_table host_record_members = MEMBER_TABLE("host record", members, struct host_record);

#define STORAGE_AT(member) MEMBER_AT(struct storage_record, member)

static const struct member storage_members[] = {
	{ NULL, "cpu_threads", MEMBER_COUNT, STORAGE_AT(cpu_threads) },
	{ "storage", "read", MEMBER_NUMBER, STORAGE_AT(read.one_thread) },
	{ "storage", "read_all_threads", MEMBER_NUMBER, STORAGE_AT(read.all_threads) },
	{ "storage", "write", MEMBER_NUMBER, STORAGE_AT(write) },
	{ "storage", "sync", MEMBER_NUMBER, STORAGE_AT(sync) },
};

static const struct member_table storage_record_members =
        MEMBER_TABLE("storage record", storage_members, struct storage_record);

bool host_record_is_disturbed(const struct host_record *record)
{
	return record->other_work > MAX_OTHER_WORK || record->host_spread > MAX_SPREAD;
}

void host_record_set_code(struct host_record *record)
{
	snprintf(record->libcrypto, sizeof(record->libcrypto), "%s", OpenSSL_version(OPENSSL_VERSION_STRING));
	instruction_forms_text(record->forms, sizeof(record->forms));
}

/* Texts. */

enum { PART_DEVICE, PART_HOST, PART_STORAGE, N_PARTS };

/* A text with a device record may also hold the host and storage records. */
static const char *const formats[N_PARTS] = { "gcrypt device record 2", "gcrypt host record 1",
	"gcrypt storage record 1" };

static const struct member_table *const tables[N_PARTS] = { &device_record_members, &host_record_members,
	&storage_record_members };

static void list_parts(void *parts[N_PARTS], const struct records *records)
{
	parts[PART_DEVICE] = records->device;
	parts[PART_HOST] = records->host;
	parts[PART_STORAGE] = records->storage;
}

/* Reading. */

static int read_part(void *part, int kind, const json_t *root, const char *name)
{
	const char *format = json_string_value(json_object_get(root, "format"));

	if (format == NULL || (strcmp(format, formats[kind]) != 0 && strcmp(format, formats[PART_DEVICE]) != 0))
		return fail(GPUCRYPT_CORRUPT, "%s: not a %s: format is not \"%s\"", name, tables[kind]->what,
		        formats[kind]);
	return members_read(part, tables[kind], root, name);
}

int records_parse(const struct records *records, const char *text, const char *name)
{
	void *parts[N_PARTS];
	json_t *root;
	int status;

	list_parts(parts, records);
	status = members_load(&root, tables[parts[PART_DEVICE] ? PART_DEVICE : PART_HOST]->what, text, name);
	for (int i = 0; i < N_PARTS && status == GPUCRYPT_OK; i++)
		if (parts[i] != NULL)
			status = read_part(parts[i], i, root, name);
	json_decref(root);
	return status;
}

const char *records_builtin(const char *name)
{
	for (const struct builtin_record *b = builtin_records; b->name != NULL; b++)
		if (strcmp(b->name, name) == 0)
			return b->text;
	return NULL;
}

/* Writing. */

static void print_members(FILE *out, json_t *object, const char *indent)
{
	const char *name, *separator = "";
	json_t *value;

	json_object_foreach(object, name, value)
	{
		fprintf(out, "%s\n%s\"%s\": ", separator, indent, name);
		if (json_is_object(value)) {
			fputc('{', out);
			print_members(out, value, "    ");
			fprintf(out, "\n%s}", indent);
		} else {
			json_dumpf(value, out, JSON_ENCODE_ANY | RECORD_DIGITS);
		}
		separator = ",";
	}
}

int records_json(json_t *root, const struct records *records)
{
	void *parts[N_PARTS];
	int status = GPUCRYPT_OK;

	list_parts(parts, records);
	for (int i = 0; i < N_PARTS && status == GPUCRYPT_OK; i++) {
		if (parts[i] == NULL)
			continue;
		if (json_object_size(root) == 0)
			json_object_set_new(root, "format", json_string(formats[i]));
		status = members_write(parts[i], tables[i], root);
	}
	return status;
}

char *members_text(json_t *root)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (out != NULL) {
		fputc('{', out);
		print_members(out, root, "  ");
		fputs("\n}\n", out);
	}
	if (out != NULL && fclose(out) == 0)
		return text;
	free(text);
	fail(GPUCRYPT_OTHER, "out of memory");
	return NULL;
}

char *records_text(const struct records *records)
{
	json_t *root = json_object();
	char *text = records_json(root, records) == GPUCRYPT_OK ? members_text(root) : NULL;

	json_decref(root);
	return text;
}

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

bool storage_record_cached(
        struct storage_record *record, const json_t *cache, const char *folder, char note[CACHE_NOTE])
{
	char key[KEY_BYTES];

	storage_key(key, folder);
	return read_cached(record, &storage_record_members, cache, key, note);
}

static int keep_part(const char *key, const void *part, int kind)
{
	json_t *json = json_object();
	int status = part != NULL ? members_write(part, tables[kind], json) : GPUCRYPT_OK;

	if (part != NULL && status == GPUCRYPT_OK)
		return cache_set(key, json);
	json_decref(json);
	return status;
}

int records_keep(const struct records *records, const char *folder)
{
	char of_device[KEY_BYTES] = "", of_storage[KEY_BYTES] = "";

	if (records->device != NULL)
		device_key(of_device, records->device->name, records->device->driver);
	if (records->storage != NULL)
		storage_key(of_storage, folder);
	return keep_part(of_device, records->device, PART_DEVICE)
	        ?: keep_part(HOST_KEY, records->host, PART_HOST)
	        ?: keep_part(of_storage, records->storage, PART_STORAGE);
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
	if (record->derived)
		return 0;
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
