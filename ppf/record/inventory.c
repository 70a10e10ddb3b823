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

#include "ppf/record/cache.h"
#include "gpucrypt/status.h"

#define FILE_NAME "inventory.json"
#define FORMAT    "gcrypt inventory 1"

/* What the devices depend on. */

/* Variables that change which platforms or devices there are: of the ICD loaders, and of drivers.
 */
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

/* The ICD files of a folder in the order of their names; or the one file. */
static void add_vendors(FILE *out, const char *path)
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

static void add_boot(FILE *out)
{
	char id[64];
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, id, sizeof(id));

	fprintf(out, "boot %.*s\n", n > 0 ? (int)n : 0, id);
	if (fd >= 0)
		close(fd);
}

char *inventory_surroundings(void)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (out == NULL)
		return NULL;
	add_boot(out);
	add_vendors(out, "/etc/OpenCL/vendors");
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);
		fprintf(out, "%s=%s\n", variables[i], value == NULL ? "" : value);
		if (value != NULL && value[0] == '/')
			add_vendors(out, value);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* The members of a device. */

enum member_type { MEMBER_TEXT, MEMBER_FLAG, MEMBER_COUNT, MEMBER_BYTES };

struct member {
	const char *name;
	enum member_type type;
	size_t offset, size;
};

/* clang-format off */
#define AT(type, member) \
	{ #member, type, offsetof(struct device, member), sizeof(((struct device *)0)->member) }
/* clang-format on */

static const struct member members[] = {
	AT(MEMBER_TEXT, name),
	AT(MEMBER_TEXT, vendor),
	AT(MEMBER_TEXT, driver),
	AT(MEMBER_TEXT, platform_name),
	AT(MEMBER_TEXT, version),
	AT(MEMBER_FLAG, cpu),
	AT(MEMBER_FLAG, gpu),
	AT(MEMBER_FLAG, ptx),
	AT(MEMBER_COUNT, compute_units),
	AT(MEMBER_COUNT, max_work_items),
	AT(MEMBER_COUNT, vector_words),
	AT(MEMBER_BYTES, local_bytes),
	AT(MEMBER_BYTES, constant_bytes),
	AT(MEMBER_BYTES, global_bytes),
	AT(MEMBER_BYTES, max_buffer_bytes),
	AT(MEMBER_TEXT, unusable),
};
#define N_MEMBERS (sizeof(members) / sizeof(members[0]))

/* Reading: whatever is in the file, only what fits gets into a device. */

static bool read_text(const json_t *json, char *text, size_t n)
{
	if (!json_is_string(json) || json_string_length(json) >= n)
		return false;
	memcpy(text, json_string_value(json), json_string_length(json) + 1);
	return true;
}

static bool read_member(const json_t *json, const struct member *member, struct device *device)
{
	void *at = (char *)device + member->offset;
	json_int_t number = json_integer_value(json);

	switch (member->type) {
	case MEMBER_TEXT:
		return read_text(json, at, member->size);
	case MEMBER_FLAG:
		*(bool *)at = json_is_true(json);
		return json_is_boolean(json);
	case MEMBER_COUNT:
		*(unsigned *)at = (unsigned)number;
		return json_is_integer(json) && number >= 0 && number <= 1 << 24;
	default:
		*(uint64_t *)at = (uint64_t)number;
		return json_is_integer(json) && number >= 0;
	}
}

static bool read_device(const json_t *json, struct device *device)
{
	bool good = true;

	for (size_t i = 0; i < N_MEMBERS && good; i++)
		good = read_member(json_object_get(json, members[i].name), &members[i], device);
	/* What is divided by. */
	return good && (device->unusable[0] != '\0' || (device->compute_units > 0 && device->max_work_items > 0));
}

static bool read_devices(const json_t *root, struct inventory *inventory)
{
	const json_t *devices = json_object_get(root, "devices");
	bool good = json_is_array(devices) && json_array_size(devices) <= MAX_DEVICES &&
	            read_text(json_object_get(root, "failure"), inventory->failure, sizeof(inventory->failure));

	inventory->n_devices = (unsigned)json_array_size(devices);
	for (unsigned i = 0; i < inventory->n_devices && good; i++)
		good = read_device(json_array_get(devices, i), &inventory->devices[i]);
	return good;
}

static bool current(const json_t *root)
{
	const char *then = json_string_value(json_object_get(root, "surroundings"));
	char *now = inventory_surroundings();
	bool same = then != NULL && now != NULL && strcmp(then, now) == 0;

	free(now);
	return same;
}

static bool parse(struct inventory *inventory, const char *text, const char *path, char *note, size_t note_bytes)
{
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const char *format = json_string_value(json_object_get(root, "format"));
	bool good = format != NULL && strcmp(format, FORMAT) == 0, stale = good && !current(root);

	if (good && !stale)
		good = read_devices(root, inventory);
	if (!good)
		snprintf(note, note_bytes, "%.200s: damaged: skipped", path);
	json_decref(root);
	return good && !stale;
}

bool inventory_read(struct inventory *inventory, char *note, size_t note_bytes)
{
	char path[4096], *text = cache_text(FILE_NAME);
	bool good;

	snprintf(note, note_bytes, "%s", gpucrypt_error());
	fail_clear();
	memset(inventory, 0, sizeof(*inventory));
	good = text != NULL && cache_path(path, sizeof(path), FILE_NAME) == GPUCRYPT_OK &&
	       parse(inventory, text, path, note, note_bytes);
	free(text);
	return good;
}

/* Writing. */

static json_t *member_json(const struct member *member, const struct device *device)
{
	const void *at = (const char *)device + member->offset;
	uint64_t n;

	switch (member->type) {
	case MEMBER_TEXT:
		return json_string(at);
	case MEMBER_FLAG:
		return json_boolean(*(const bool *)at);
	case MEMBER_COUNT:
		return json_integer(*(const unsigned *)at);
	default:
		n = *(const uint64_t *)at;
		return json_integer(n < INT64_MAX ? (json_int_t)n : INT64_MAX);
	}
}

static json_t *device_json(const struct device *device)
{
	json_t *json = json_object();

	for (size_t i = 0; i < N_MEMBERS; i++)
		json_object_set_new(json, members[i].name, member_json(&members[i], device));
	return json;
}

/* Names that are not UTF-8 leave a member out: such an inventory is found damaged and taken again
 * each time, so it is not written. */
void inventory_keep(const struct inventory *inventory, const char *surroundings)
{
	char *now = surroundings == NULL ? inventory_surroundings() : strdup(surroundings), *text = NULL;
	json_t *devices = json_array(), *root;
	struct inventory again = { .n_devices = 0 };

	for (unsigned i = 0; i < inventory->n_devices; i++)
		json_array_append_new(devices, device_json(&inventory->devices[i]));
	root = json_pack("{s:s, s:s?, s:s, s:o}", "format", FORMAT, "surroundings", now, "failure", inventory->failure,
	        "devices", devices);
	if (root != NULL && now != NULL && read_devices(root, &again))
		text = json_dumps(root, JSON_INDENT(2));
	if (text != NULL)
		cache_keep(FILE_NAME, text);
	fail_clear();
	free(text);
	free(now);
	json_decref(root);
}
