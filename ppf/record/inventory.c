#include "ppf/record/inventory.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/crypto/names.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/status.h"
#include "ppf/record/members.h"

#define KEY      "inventory"
#define PROGRAMS "programs"

/* The surroundings that the list of devices depends on. */

/* Environment variables of ICD loaders and drivers that change the list of platforms or devices. */
static const char *const variables[] = { "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH",
	"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK",
	"POCL_DEVICES", "POCL_MAX_PTHREAD_COUNT", "LD_PRELOAD", "LD_LIBRARY_PATH" };

static void add_file(FILE *out, const char *path)
{
	struct stat stat_of;

	if (stat(path, &stat_of) == 0)
		fprintf(out, "%s %lld %lld.%09ld\n", path, (long long)stat_of.st_size,
		        (long long)stat_of.st_mtim.tv_sec, stat_of.st_mtim.tv_nsec);
}

/* An ICD file may name a library without a folder.  The loader then finds the library by the dynamic linker's cache,
 * which changes when libraries are installed. */
static void add_drivers(FILE *out)
{
	struct drivers drivers;

	drivers_list(&drivers);
	for (unsigned i = 0; i < drivers.n; i++) {
		const struct driver *driver = &drivers.of[i];
		add_file(out, driver->icd);
		add_file(out, strchr(driver->library, '/') != NULL ? driver->library : "/etc/ld.so.cache");
	}
}

/* Add the files of a folder in the order of their names, or a single file. */
static void add_files(FILE *out, const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort);
	char file[PATH_MAX];

	add_file(out, path);
	for (int i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			add_file(out, file);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* A text that changes when the list of devices may change.  The caller frees the text.  Returns NULL if memory is
 * exhausted.  Call this before OpenCL is opened, because Khronos' ICD loader modifies the text of OCL_ICD_FILENAMES in
 * the environment. */
static char *inventory_surroundings(void)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	char *boot = file_text("/proc/sys/kernel/random/boot_id");

	fail_clear();
	if (out == NULL) {
		free(boot);
		return NULL;
	}
	fprintf(out, "boot %s\n", boot != NULL ? boot : "");
	free(boot);
	add_drivers(out);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);
		fprintf(out, "%s=%s\n", variables[i], value == NULL ? "" : value);
		if (value != NULL && value[0] == '/')
			add_files(out, value);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* The members of a device and of a driver. */

#define TEXT_OF(type, member) MEMBER_ROW(struct type, MEMBER_EXACT, member, .required = MEMBER_ALL)
#define TEXT(member)          TEXT_OF(device, member)
#define FLAG(member)          MEMBER_ROW(struct device, MEMBER_FLAG, member, .required = MEMBER_ALL)
#define COUNT(member)         MEMBER_ROW(struct device, MEMBER_COUNT, member)
#define BYTES(member)         MEMBER_ROW(struct device, MEMBER_BYTES, member)

static const struct member members[] = {
	TEXT(name),
	TEXT(vendor),
	TEXT(driver),
	TEXT(platform_name),
	TEXT(version),
	FLAG(cpu),
	FLAG(gpu),
	FLAG(ptx),
	FLAG(ecc),
	COUNT(compute_units),
	COUNT(max_work_items),
	COUNT(vector_words),
	BYTES(local_bytes),
	BYTES(constant_bytes),
	BYTES(global_bytes),
	BYTES(max_buffer_bytes),
	TEXT(unusable),
};

static const struct member_table device_members = MEMBER_TABLE("device", members, struct device);

static const struct member driver_texts[] = { TEXT_OF(driver, icd), TEXT_OF(driver, library), TEXT_OF(driver, fault) };

static const struct member_table driver_members = MEMBER_TABLE("driver", driver_texts, struct driver);

/* Reading.  The file is not trusted: values are checked before a device gets them. */

static bool read_devices(const json_t *root, struct inventory *inventory)
{
	const json_t *devices = json_object_get(root, "devices"), *failure = json_object_get(root, "failure");
	bool good = json_is_array(devices) && json_array_size(devices) <= MAX_DEVICES && json_is_string(failure) &&
	            json_string_length(failure) < sizeof(inventory->failure);

	if (good)
		memcpy(inventory->failure, json_string_value(failure), json_string_length(failure) + 1);
	inventory->n_devices = (unsigned)json_array_size(devices);
	for (unsigned i = 0; i < inventory->n_devices && good; i++) {
		struct device *device = &inventory->devices[i];

		/* Both counts are divisors for usable devices, and must not be 0. */
		good = members_read(device, &device_members, json_array_get(devices, i), KEY) == GPUCRYPT_OK &&
		       (device->unusable[0] != '\0' || (device->compute_units > 0 && device->max_work_items > 0));
	}
	return good;
}

/* Leave out the drivers that the inventory leaves out.  A driver that is no longer listed is kept for messages. */
static bool read_driver(const json_t *json, struct drivers *drivers)
{
	struct driver driver;
	unsigned i = 0;

	if (members_read(&driver, &driver_members, json, KEY) != GPUCRYPT_OK || driver.fault[0] == '\0')
		return false;
	while (i < drivers->n && strcmp(drivers->of[i].icd, driver.icd) != 0)
		i++;
	if (i == MAX_DRIVERS)
		return false;
	if (i == drivers->n)
		drivers->of[drivers->n++] = driver;
	memcpy(drivers->of[i].fault, driver.fault, sizeof(driver.fault));
	return true;
}

static bool read_drivers(const json_t *root, struct drivers *drivers)
{
	const json_t *left_out = json_object_get(root, "left_out");
	bool good = json_is_array(left_out);

	drivers_list(drivers);
	for (size_t i = 0; i < json_array_size(left_out) && good; i++)
		good = read_driver(json_array_get(left_out, i), drivers);
	return good;
}

bool inventory_read(struct inventory *inventory, const json_t *cache, char note[CACHE_NOTE])
{
	const json_t *root = json_object_get(cache, KEY);
	const char *then = json_string_value(json_object_get(root, "surroundings"));
	char *now = root != NULL ? inventory_surroundings() : NULL;
	bool good = then != NULL && now != NULL && strcmp(then, now) == 0;
	struct drivers drivers;

	memset(inventory, 0, sizeof(*inventory));
	free(now);
	if (!good)
		return false;
	good = read_devices(root, inventory) && read_drivers(root, &drivers);
	fail_clear();
	if (good)
		loader_set_drivers(&drivers);
	else
		fail(GPUCRYPT_CORRUPT, "the list of devices in the cache is damaged: skipped");
	cache_note(note);
	return good;
}

/* Writing. */

static void append_members(json_t *array, const void *of, const struct member_table *table)
{
	json_t *object = json_object();

	members_write(of, table, object);
	json_array_append_new(array, object);
}

/* A name that is not UTF-8 cannot be written as a member.  An inventory without that member would be rejected as
 * damaged in every run, so the inventory is not written. */
void inventory_keep(const struct inventory *inventory, const char *surroundings)
{
	char *now = surroundings == NULL ? inventory_surroundings() : strdup(surroundings);
	json_t *devices = json_array(), *left_out = json_array(), *root;
	struct inventory again = { .n_devices = 0 };
	struct drivers drivers;

	for (unsigned i = 0; i < inventory->n_devices; i++)
		append_members(devices, &inventory->devices[i], &device_members);
	for (const struct driver *driver = NULL; (driver = loader_left_out(driver)) != NULL;)
		append_members(left_out, driver, &driver_members);
	root = json_pack("{s:s?, s:s, s:o, s:o}", "surroundings", now, "failure", inventory->failure, "devices",
	        devices, "left_out", left_out);
	if (root != NULL && now != NULL && read_devices(root, &again) && read_drivers(root, &drivers))
		cache_set(KEY, json_incref(root));
	fail_clear();
	free(now);
	json_decref(root);
}

void inventory_renew(struct inventory *inventory)
{
	char *surroundings = inventory_surroundings();

	if (!probe_drivers(inventory))
		inventory_take(inventory);
	inventory_keep(inventory, surroundings);
	free(surroundings);
}

/* Forms of ciphers. */

#define FORMS_KEY 192

static void forms_key(char key[FORMS_KEY], const struct device *device)
{
	snprintf(key, FORMS_KEY, "forms of %s, driver %s", device->name, device->driver);
}

void forms_keep(const struct device *device, const char *forms)
{
	char key[FORMS_KEY];

	forms_key(key, device);
	cache_set(key, json_string(forms));
	fail_clear();
}

const char *forms_kept(const json_t *cache, const struct device *device)
{
	char key[FORMS_KEY];

	forms_key(key, device);
	return json_string_value(json_object_get(cache, key));
}

/* Programs. */

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t sources_hash(void)
{
	static _Thread_local uint64_t hash;

	if (hash == 0) {
		hash = UINT64_C(0xcbf29ce484222325);
		hash = hash_text(hash, PROGRAM_OPTIONS);
		for (const struct kernel_source *s = kernel_sources; s->name != NULL; s++)
			hash = hash_text(hash, s->text);
	}
	return hash;
}

/* Hash everything that distinguishes programs; the number of work-groups does not. */
static uint64_t program_key(const struct device *device, const struct suite *suite, const struct kernel_config *kernel)
{
	char text[512];

	snprintf(text, sizeof(text), "%s %s %s %u %s %d %s %s %s %u %u %d", device->name, device->driver,
	        suite->cipher->name, suite->key_bytes, suite->mode->name, suite_direction(suite),
	        kernel_form(kernel, suite->cipher)->name, value_name(&table_space_names, kernel->table_space),
	        value_name(&key_space_names, kernel->key_space), kernel->replicas, kernel->work_items,
	        device->ptx && !kernel->portable);
	return hash_text(sources_hash(), text);
}

void built_read(struct built *built, const json_t *cache)
{
	const json_t *keys = json_object_get(cache, PROGRAMS);

	for (built->n = 0; built->n < MAX_BUILT && built->n < json_array_size(keys); built->n++)
		built->keys[built->n] = (uint64_t)json_integer_value(json_array_get(keys, built->n));
}

bool built_before(const struct built *built, const struct device *device, const struct suite *suite,
        const struct kernel_config *kernel)
{
	uint64_t wanted = program_key(device, suite, kernel);

	for (unsigned i = 0; i < built->n; i++)
		if (built->keys[i] == wanted)
			return true;
	return false;
}

void built_keep(
        struct built *built, const struct device *device, const struct suite *suite, const struct kernel_config *kernel)
{
	json_t *keys;

	if (built_before(built, device, suite, kernel))
		return;
	if (built->n == MAX_BUILT)
		memmove(built->keys, built->keys + 1, --built->n * sizeof(built->keys[0]));
	built->keys[built->n++] = program_key(device, suite, kernel);
	keys = json_array();
	for (unsigned i = 0; i < built->n; i++)
		json_array_append_new(keys, json_integer((json_int_t)built->keys[i]));
	cache_set(PROGRAMS, keys);
	fail_clear();
}
