/* The machine: an inventory in the cache, which may be missing, stale, damaged, or not writable. */
#include "tests/cmocka_all.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gpucrypt/status.h"
#include "ppf/cache.h"
#include "ppf/inventory.h"
#include "ppf/machine.h"

static char folder[] = "/tmp/test_machine.XXXXXX";

/* An empty cache folder for each test. */
static int make_folder(void **state)
{
	(void)state;
	memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
	return mkdtemp(folder) == NULL || setenv("XDG_CACHE_HOME", folder, 1) != 0;
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static const struct inventory two = {
	.devices = { { .name = "One",
	                     .vendor = "V",
	                     .driver = "1.2",
	                     .platform_name = "P",
	                     .version = "OpenCL 3.0",
	                     .gpu = true,
	                     .ptx = true,
	                     .compute_units = 132,
	                     .max_work_items = 1024,
	                     .local_bytes = 49152,
	                     .constant_bytes = 65536,
	                     .global_bytes = UINT64_C(150) << 30,
	                     .max_buffer_bytes = UINT64_C(1) << 40 },
	        { .name = "Two \"quoted\"\n", .cpu = true, .unusable = "it is older" } },
	.n_devices = 2,
};

static void path_of(char path[4096])
{
	assert_int_equal(cache_path(path, 4096, "inventory.json"), GPUCRYPT_OK);
}

static bool read_inventory(struct inventory *inventory, char note[256])
{
	bool found = inventory_read(inventory, note, 256);

	assert_string_equal(gpucrypt_error(), "");
	assert_null(strchr(note, '\n'));
	return found;
}

static void what_is_kept_is_found(void **state)
{
	struct inventory found;
	char note[256];

	(void)state;
	assert_false(read_inventory(&found, note));
	assert_string_equal(note, "");
	inventory_keep(&two);
	assert_true(read_inventory(&found, note));
	assert_memory_equal(&found, &two, sizeof(two));
}

static void other_surroundings_make_it_stale(void **state)
{
	static const char *const variables[] = { "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES",
		"OPENCL_VENDOR_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
		"ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK", "POCL_DEVICES",
		"POCL_MAX_PTHREAD_COUNT" };
	struct inventory found;
	char note[256];

	(void)state;
	inventory_keep(&two);
	for (size_t i = 0; i < N_OF(variables); i++) {
		setenv(variables[i], "/nonexistent", 1);
		assert_false(read_inventory(&found, note));
		assert_string_equal(note, "");
		unsetenv(variables[i]);
		assert_true(read_inventory(&found, note));
	}
}

/* A driver that is installed, replaced, removed. */
static void changed_icd_files_make_it_stale(void **state)
{
	const struct timespec early[2] = { { 1000, 0 }, { 1000, 0 } };
	struct inventory found;
	char vendors[64], icd[80], note[256];

	(void)state;
	snprintf(vendors, sizeof(vendors), "%s/vendors", folder);
	snprintf(icd, sizeof(icd), "%s/a.icd", vendors);
	mkdir(vendors, 0700);
	setenv("OCL_ICD_VENDORS", vendors, 1);
	inventory_keep(&two);
	assert_true(read_inventory(&found, note));
	fclose(fopen(icd, "w"));
	assert_false(read_inventory(&found, note));
	inventory_keep(&two);
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
	assert_true(
	        asprintf(&changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	assert_int_equal(file_replace(path, changed), GPUCRYPT_OK);
	free(changed);
	free(text);
}

static void damage_is_noticed(void **state)
{
	static const char *const changes[][2] = { { "{", "" }, { "gcrypt inventory 1", "x" },
		{ "\"surroundings\"", "\"s\"" }, { "\"devices\": [", "\"devices\": [7," },
		{ "\"compute_units\": 132", "\"compute_units\": 0" },
		{ "\"compute_units\": 132", "\"compute_units\": -1" },
		{ "\"compute_units\": 132", "\"compute_units\": 99999999999" },
		{ "\"max_work_items\": 1024", "\"max_work_items\": 1.5" },
		{ "\"local_bytes\": 49152", "\"local_bytes\": -3" },
		{ "\"gpu\": true", "\"gpu\": \"true\"" }, { "\"driver\": \"1.2\",", "" },
		{ "\"V\"", "\"0123456789012345678901234567890123456789012345678901234567890123\"" },
		{ "\"failure\": \"\"", "\"failure\": null" } };
	struct inventory found;
	char note[256];

	(void)state;
	for (size_t i = 0; i < N_OF(changes); i++) {
		inventory_keep(&two);
		replace(changes[i][0], changes[i][1]);
		if (read_inventory(&found, note)) {
			print_error("not noticed: %s\n", changes[i][1]);
			assert_true(false);
		}
		assert_true(strcmp(changes[i][1], "\"s\"") == 0 || strstr(note, "damaged"));
	}
}

/* There is room for MAX_DEVICES. */
static void too_many_devices_are_refused(void **state)
{
	struct inventory many = two, found;
	char note[256], another[1024], path[4096], *text, *device;

	(void)state;
	for (many.n_devices = 0; many.n_devices < MAX_DEVICES; many.n_devices++)
		many.devices[many.n_devices] = two.devices[0];
	inventory_keep(&many);
	assert_true(read_inventory(&found, note));
	assert_int_equal(found.n_devices, MAX_DEVICES);
	path_of(path);
	text = file_text(path);
	device = strchr(strstr(text, "\"devices\""), '{');
	snprintf(another, sizeof(another), "\"devices\": [ %.*s,",
	        (int)(strchr(device, '}') + 1 - device), device);
	free(text);
	replace("\"devices\": [", another);
	assert_false(read_inventory(&found, note));
	assert_non_null(strstr(note, "damaged"));
}

/* A name that JSON cannot hold: nothing is written that would be found damaged each time. */
static void what_cannot_be_read_again_is_not_kept(void **state)
{
	struct inventory odd = two, found;
	char note[256];

	(void)state;
	strcpy(odd.devices[0].name, "\xff\xfe");
	inventory_keep(&odd);
	assert_false(read_inventory(&found, note));
	assert_string_equal(note, "");
	odd = two;
	odd.devices[0].max_buffer_bytes = UINT64_MAX;
	inventory_keep(&odd);
	assert_true(read_inventory(&found, note));
	assert_true(found.devices[0].max_buffer_bytes == INT64_MAX);
}

/* Nothing is cut off and written elsewhere. */
static void a_path_that_is_too_long(void **state)
{
	static char home[4097];
	char path[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(home) - 1; i++)
		home[i] = "/."[i % 2];
	setenv("XDG_CACHE_HOME", home, 1);
	assert_int_equal(cache_path(path, sizeof(path), "inventory.json"), GPUCRYPT_IO);
	assert_int_equal(cache_keep("inventory.json", "{}"), GPUCRYPT_IO);
	fail_clear();
	setenv("XDG_CACHE_HOME", folder, 1);
}

/* Whatever lies there: nothing is waited for. */
static void what_is_no_file_is_passed_over(void **state)
{
	struct inventory found;
	char path[4096], note[256];

	(void)state;
	inventory_keep(&two);
	path_of(path);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(read_inventory(&found, note));
	assert_non_null(strstr(note, "not a regular file"));
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(read_inventory(&found, note));
}

/* Bytes changed here and there: refused, or what is read is in its bounds. */
static void no_text_leads_out_of_bounds(void **state)
{
	char path[4096], note[256], *text;
	unsigned seed = 1, accepted = 0;
	struct inventory found;
	size_t n;

	(void)state;
	inventory_keep(&two);
	path_of(path);
	text = file_text(path);
	n = strlen(text);
	for (int round = 0; round < 3000; round++) {
		char *copy = strdup(text);
		for (int i = rand_r(&seed) % 3; i >= 0; i--)
			copy[(unsigned)rand_r(&seed) % n] = (char)(1 + rand_r(&seed) % 255);
		if (round % 5 == 0)
			copy[(unsigned)rand_r(&seed) % n] = '\0';
		assert_int_equal(file_replace(path, copy), GPUCRYPT_OK);
		if (read_inventory(&found, note)) {
			assert_in_range(found.n_devices, 0, MAX_DEVICES);
			for (unsigned i = 0; i < found.n_devices; i++)
				assert_true(strlen(found.devices[i].name) < 96 &&
				            (found.devices[i].unusable[0] != '\0' ||
				                    found.devices[i].compute_units > 0));
			accepted++;
		}
		free(copy);
	}
	free(text);
	assert_in_range(accepted, 1, 2999);
}

static void the_machine_is_there_without_a_cache(void **state)
{
	static struct machine machine, again;

	(void)state;
	assert_false(machine_cached(&machine));
	assert_false(machine.asked);
	assert_int_equal(machine.n_devices, 0);
	assert_true(machine.cpu_threads >= 1);
	assert_int_equal(machine.host.cpu_threads, machine.cpu_threads);
	assert_non_null(record_cpu_speed(&machine.host, "aes-256-ctr"));
	assert_false(machine.host_measured);
	setenv("XDG_CACHE_HOME", "/proc/none", 1);
	machine_take(&machine);
	assert_true(machine.asked);
	assert_string_equal(gpucrypt_error(), "");
	assert_false(machine_cached(&again));
	setenv("XDG_CACHE_HOME", folder, 1);
	machine_take(&machine);
	assert_true(machine_cached(&again));
	assert_int_equal(again.n_devices, machine.n_devices);
	assert_string_equal(again.failure, machine.failure);
}

static void figures_of_this_machine_come_first(void **state)
{
	static struct machine machine;
	struct record record;

	(void)state;
	assert_int_equal(record_parse(&record, record_builtin("h200"), "h200"), GPUCRYPT_OK);
	snprintf(record.name, sizeof(record.name), "One");
	snprintf(record.driver, sizeof(record.driver), "1.2");
	assert_int_equal(record_keep(&record), GPUCRYPT_OK);
	inventory_keep(&two);
	assert_true(machine_cached(&machine));
	assert_true(machine.devices[0].measured);
	assert_false(machine.devices[1].measured);
	assert_true(machine.host_measured);
	assert_int_equal(machine.host.cpu_threads, machine.cpu_threads);
	assert_true(machine.host.tag_one_thread == record.tag_one_thread);
	assert_true(machine.host.tag_all_threads * record.cpu_threads >
	            0.99 * record.tag_all_threads * machine.cpu_threads);
}

/* A record that stands for another device: what its units do together grows with their number. */
static void a_builtin_record_is_scaled(void **state)
{
	struct inventory half = two;
	static struct machine machine;
	struct record record;

	(void)state;
	half.devices[0].compute_units = 66;
	assert_int_equal(record_parse(&record, record_builtin("h200"), "h200"), GPUCRYPT_OK);
	inventory_keep(&half);
	assert_true(machine_cached(&machine));
	assert_false(machine.devices[0].measured);
	assert_int_equal(machine.devices[0].record.compute_units, 66);
	assert_true(machine.devices[0].record.global_bytes_per_s == record.global_bytes_per_s / 2);
}

static void a_damaged_record_is_noted(void **state)
{
	static struct machine machine;

	(void)state;
	inventory_keep(&two);
	assert_int_equal(cache_keep("One-1.2.json", "{}"), GPUCRYPT_OK);
	assert_true(machine_cached(&machine));
	assert_false(machine.devices[0].measured);
	assert_non_null(strstr(machine.note, "not a device record"));
}

static void built_programs_are_remembered(void **state)
{
	struct suite suite = { &cipher_aes, mode_by_name("ctr"), 32, ENCRYPT };
	struct program_shape shape = { .form = &cipher_aes.forms[0],
		.table_space = "local",
		.key_space = "local",
		.copies = 1,
		.work_items = 64 };
	static struct built built;

	(void)state;
	built_read(&built);
	assert_int_equal(built.n, 0);
	built_keep(&built, &two.devices[0], &suite, &shape);
	built_read(&built);
	assert_true(built_before(&built, &two.devices[0], &suite, &shape));
	assert_false(built_before(&built, &two.devices[1], &suite, &shape));
	shape.work_groups = 7;
	assert_true(built_before(&built, &two.devices[0], &suite, &shape));
	for (shape.work_items = 65; shape.work_items < 65 + MAX_BUILT; shape.work_items++)
		built_keep(&built, &two.devices[0], &suite, &shape);
	built_read(&built);
	assert_int_equal(built.n, MAX_BUILT);
	assert_true(shape.work_items-- && built_before(&built, &two.devices[0], &suite, &shape));
	shape.work_items = 64;
	assert_false(built_before(&built, &two.devices[0], &suite, &shape));
	assert_int_equal(cache_keep("programs", "12 zz"), GPUCRYPT_OK);
	built_read(&built);
	assert_int_equal(built.n, 1);
}

/* Said, not judged: the clock of a loaded machine is no test. */
static void the_cache_is_quick(void **state)
{
	static struct machine machine;
	struct timespec begin, end;

	(void)state;
	inventory_keep(&two);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	assert_true(machine_cached(&machine));
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("machine_cached: %.2f ms\n", 1e3 * (double)(end.tv_sec - begin.tv_sec) +
	                                            1e-6 * (double)(end.tv_nsec - begin.tv_nsec));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_kept_is_found),
		TEST(other_surroundings_make_it_stale),
		TEST(changed_icd_files_make_it_stale),
		TEST(damage_is_noticed),
		TEST(too_many_devices_are_refused),
		TEST(what_cannot_be_read_again_is_not_kept),
		TEST(a_path_that_is_too_long),
		TEST(what_is_no_file_is_passed_over),
		TEST(no_text_leads_out_of_bounds),
		TEST(the_machine_is_there_without_a_cache),
		TEST(figures_of_this_machine_come_first),
		TEST(a_builtin_record_is_scaled),
		TEST(a_damaged_record_is_noted),
		TEST(built_programs_are_remembered),
		TEST(the_cache_is_quick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
