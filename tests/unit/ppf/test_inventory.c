/* The inventory in the cache, which may be missing, stale, damaged, or no file. */
#include "tests/unit/cache_folder.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gpucrypt/device/device.h"
#include "ppf/record/cache.h"
#include "ppf/record/inventory.h"
#include "tests/unit/two_devices.h"

EACH_TEST_HAS_A_CACHE_FOLDER

static void path_of(char path[4096])
{
	assert_ok(cache_path(path, 4096));
}

static bool read_inventory(struct inventory *inventory, char note[CACHE_NOTE])
{
	json_t *cache;
	bool found;

	note[0] = '\0';
	cache = cache_read(note);
	found = inventory_read(inventory, cache, note);
	json_decref(cache);
	assert_string_equal(gpucrypt_error(), "");
	assert_null(strchr(note, '\n'));
	return found;
}

TEST(what_is_kept_is_found)
{
	struct inventory found;
	char note[CACHE_NOTE];

	assert_false(read_inventory(&found, note));
	assert_string_equal(note, "");
	inventory_keep(&two, NULL);
	assert_true(read_inventory(&found, note));
	assert_memory_equal(&found, &two, sizeof(two));
}

/* For each device and driver version, whatever else changes. */
TEST(forms_are_kept_by_driver_version)
{
	struct device other = two.devices[0];
	char note[CACHE_NOTE] = "";
	json_t *cache;

	strcpy(other.driver, "another");
	forms_keep(&two.devices[0], "aes 4 passed");
	forms_keep(&other, "aes 1 passed");
	forms_keep(&two.devices[0], "aes 4 rejected");
	inventory_keep(&two, NULL);
	cache = cache_read(note);
	assert_string_equal(forms_kept(cache, &two.devices[0]), "aes 4 rejected");
	assert_string_equal(forms_kept(cache, &other), "aes 1 passed");
	strcpy(other.driver, "a third");
	assert_null(forms_kept(cache, &other));
	assert_null(forms_kept(NULL, &other));
	json_decref(cache);
}

TEST(other_surroundings_make_it_stale)
{
	static const char *const variables[] = { "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH",
		"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
		"ZE_AFFINITY_MASK", "POCL_DEVICES", "POCL_MAX_PTHREAD_COUNT" };
	struct inventory found;
	char note[CACHE_NOTE];

	for (size_t i = 0; i < N_OF(variables); i++)
		unsetenv(variables[i]);
	inventory_keep(&two, NULL);
	for (size_t i = 0; i < N_OF(variables); i++) {
		setenv(variables[i], "/nonexistent", 1);
		assert_false(read_inventory(&found, note));
		assert_string_equal(note, "");
		unsetenv(variables[i]);
		assert_true(read_inventory(&found, note));
	}
}

/* A driver that is installed, replaced, removed. */
TEST(changed_icd_files_make_it_stale)
{
	const struct timespec early[2] = { { 1000, 0 }, { 1000, 0 } };
	struct inventory found;
	char vendors[64], icd[80], note[CACHE_NOTE];

	snprintf(vendors, sizeof(vendors), "%s/vendors", cache_folder);
	snprintf(icd, sizeof(icd), "%s/a.icd", vendors);
	mkdir(vendors, 0700);
	setenv("OCL_ICD_VENDORS", vendors, 1);
	inventory_keep(&two, NULL);
	assert_true(read_inventory(&found, note));
	fclose(fopen(icd, "w"));
	assert_false(read_inventory(&found, note));
	inventory_keep(&two, NULL);
	assert_true(read_inventory(&found, note));
	assert_int_equal(utimensat(AT_FDCWD, icd, early, 0), 0);
	assert_false(read_inventory(&found, note));
	unsetenv("OCL_ICD_VENDORS");
}

static void replace(const char *from, const char *to)
{
	char path[4096], *text, *at, *changed;

	path_of(path);
	text = file_text(path);
	assert_non_null(text);
	at = strstr(text, from);
	assert_non_null(at);
	assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	assert_ok(file_write(path, changed));
	free(changed);
	free(text);
}

TEST(damage_is_noticed)
{
	static const char *const changes[][2] = { { "{", "" }, { "gcrypt machine 1", "x" },
		{ "\"surroundings\"", "\"s\"" }, { "\"devices\": [", "\"devices\": [7," },
		{ "\"compute_units\": 132", "\"compute_units\": 0" },
		{ "\"compute_units\": 132", "\"compute_units\": -1" },
		{ "\"compute_units\": 132", "\"compute_units\": 99999999999" },
		{ "\"max_work_items\": 1024", "\"max_work_items\": 1.5" },
		{ "\"local_bytes\": 49152", "\"local_bytes\": -3" }, { "\"gpu\": true", "\"gpu\": \"true\"" },
		{ "\"driver\": \"1.2\",", "" },
		{ "\"V\"", "\"0123456789012345678901234567890123456789012345678901234567890123\"" },
		{ "\"failure\": \"\"", "\"failure\": null" }, { "\"left_out\": []", "\"left_out\": [{}]" },
		{ "\"left_out\": []", "\"left_out\": [{\"icd\": \"a\", \"library\": \"b\", \"fault\": \"\"}]" } };
	struct inventory found;
	char note[CACHE_NOTE];

	for (size_t i = 0; i < N_OF(changes); i++) {
		inventory_keep(&two, NULL);
		replace(changes[i][0], changes[i][1]);
		if (read_inventory(&found, note)) {
			print_error("not noticed: %s\n", changes[i][1]);
			assert_true(false);
		}
		assert_true(strcmp(changes[i][1], "\"s\"") == 0 || strstr(note, "damaged"));
	}
}

/* The inventory holds MAX_DEVICES devices. */
TEST(too_many_devices_are_refused)
{
	struct inventory many = two, found;
	char note[CACHE_NOTE], another[1024], path[4096], *text, *device;

	for (many.n_devices = 0; many.n_devices < MAX_DEVICES; many.n_devices++)
		many.devices[many.n_devices] = two.devices[0];
	inventory_keep(&many, NULL);
	assert_true(read_inventory(&found, note));
	assert_int_equal(found.n_devices, MAX_DEVICES);
	path_of(path);
	text = file_text(path);
	device = strchr(strstr(text, "\"devices\""), '{');
	snprintf(another, sizeof(another), "\"devices\": [ %.*s,", (int)(strchr(device, '}') + 1 - device), device);
	free(text);
	replace("\"devices\": [", another);
	assert_false(read_inventory(&found, note));
	assert_non_null(strstr(note, "damaged"));
}

/* A name that JSON cannot hold: nothing is written that would be found damaged each time. */
TEST(what_cannot_be_read_again_is_not_kept)
{
	struct inventory odd = two, found;
	char note[CACHE_NOTE];

	strcpy(odd.devices[0].name, "\xff\xfe");
	inventory_keep(&odd, NULL);
	assert_false(read_inventory(&found, note));
	assert_string_equal(note, "");
	odd = two;
	odd.devices[0].max_buffer_bytes = UINT64_MAX;
	inventory_keep(&odd, NULL);
	assert_true(read_inventory(&found, note));
	assert_true(found.devices[0].max_buffer_bytes == INT64_MAX);
}

/* An inventory that is too long is rejected, not truncated. */
TEST(a_path_that_is_too_long)
{
	static char home[4097];
	char path[4096];

	for (size_t i = 0; i < sizeof(home) - 1; i++)
		home[i] = "/."[i % 2];
	setenv("XDG_CACHE_HOME", home, 1);
	assert_status(cache_path(path, sizeof(path)), GPUCRYPT_IO);
	assert_status(cache_set("inventory", json_object()), GPUCRYPT_IO);
	setenv("XDG_CACHE_HOME", cache_folder, 1);
}

/* Reading never blocks, whatever kind of file has the name. */
TEST(what_is_no_file_is_passed_over)
{
	struct inventory found;
	char path[4096], note[CACHE_NOTE];

	inventory_keep(&two, NULL);
	path_of(path);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(read_inventory(&found, note));
	assert_non_null(strstr(note, "damaged: skipped"));
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(read_inventory(&found, note));
}
