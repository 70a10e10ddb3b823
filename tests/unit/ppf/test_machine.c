/* The machine: its devices from the cache, with the records that stand for them. */
#include "tests/unit/cache_folder.h"

#include <openssl/crypto.h>
#include <stdbool.h>

#include "ppf/record/cache.h"
#include "ppf/record/inventory.h"
#include "ppf/model/machine.h"
#include "tests/unit/two_devices.h"

EACH_TEST_HAS_A_CACHE_FOLDER

TEST(the_machine_is_there_without_a_cache)
{
	static struct machine machine, again;

	assert_false(machine_cached(&machine));
	assert_false(machine.asked);
	assert_int_equal(machine.n_devices, 0);
	assert_true(machine.cpu_threads >= 1);
	assert_int_equal(machine.host.cpu_threads, machine.cpu_threads);
	assert_non_null(cpu_speed_find(&machine.host.cpu, "aes-256-ctr"));
	assert_false(machine.host_measured);
	setenv("XDG_CACHE_HOME", "/proc/none", 1);
	machine_take(&machine);
	assert_true(machine.asked);
	assert_string_equal(gpucrypt_error(), "");
	assert_false(machine_cached(&again));
	setenv("XDG_CACHE_HOME", cache_folder, 1);
	machine_take(&machine);
	assert_true(machine_cached(&again));
	assert_int_equal(again.n_devices, machine.n_devices);
	assert_string_equal(again.failure, machine.failure);
}

/* Built-in records under another device's name, as measured now. */
static struct device_record device;
static struct host_record host;
static struct storage_record storage;
static const struct records records = { &device, &host, &storage };

static void take_records(const char *builtin, const char *name, const char *driver)
{
	assert_ok(records_parse(&records, records_builtin(builtin), builtin));
	snprintf(device.name, sizeof(device.name), "%s", name);
	snprintf(device.driver, sizeof(device.driver), "%s", driver);
	host_record_set_code(&host);
}

static void assert_scaled(const struct machine *machine)
{
	assert_true(machine->host_measured && machine->storage_measured);
	assert_int_equal(machine->host.cpu_threads, machine->cpu_threads);
	assert_true(machine->host.tag.one_thread == host.tag.one_thread);
	assert_true(
	        machine->host.tag.all_threads * host.cpu_threads > 0.99 * host.tag.all_threads * machine->cpu_threads);
	assert_true(machine->storage.write == storage.write);
	assert_true(machine->storage.read.all_threads * host.cpu_threads >
	            0.99 * storage.read.all_threads * machine->cpu_threads);
}

TEST(figures_of_this_machine_come_first)
{
	static struct machine machine;

	take_records("h200", "One", "1.2");
	assert_ok(records_keep(&(struct records){ .device = &device }, NULL));
	inventory_keep(&two, NULL);
	assert_true(machine_cached(&machine));
	assert_true(machine.devices[0].measured);
	assert_false(machine.devices[1].measured);
	assert_false(machine.host_measured || machine.storage_measured);
	assert_ok(records_keep(&(struct records){ .host = &host }, NULL));
	assert_ok(records_keep(&(struct records){ .storage = &storage }, "."));
	assert_true(machine_cached(&machine));
	assert_scaled(&machine);
	assert_string_equal(machine.note, "");
}

/* A record that stands for another device: speeds of the whole device grow with the number of units. */
TEST(a_builtin_record_is_scaled)
{
	struct inventory half = two;
	static struct machine machine;
	struct device_record record;

	half.devices[0].compute_units = 66;
	assert_ok(device_record_parse(&record, records_builtin("h200"), "h200"));
	inventory_keep(&half, NULL);
	assert_true(machine_cached(&machine));
	assert_false(machine.devices[0].measured);
	assert_int_equal(machine.devices[0].record.compute_units, 66);
	assert_true(machine.devices[0].record.global_bytes_per_s == record.global_bytes_per_s / 2);
}

/* The host needs no figures of vectors; the processor's OpenCL device does. */
TEST(the_hosts_record_needs_no_vectors)
{
	static struct machine machine;
	char note[CACHE_NOTE] = "";
	json_t *cache;

	take_records("cpu", "Two", "");
	device.slice_words = 0;
	host.tag.one_thread = 123456789;
	assert_ok(records_keep(&(struct records){ .device = &device }, NULL));
	assert_ok(records_keep(&(struct records){ .host = &host }, NULL));
	inventory_keep(&two, NULL);
	assert_true(machine_cached(&machine));
	assert_true(machine.host_measured);
	assert_string_equal(machine.note, "");
	assert_true(machine.host.tag.one_thread == 123456789);
	cache = cache_read(note);
	assert_false(device_record_cached(&device, cache, "Two", "", note));
	assert_non_null(strstr(note, "no figures of vectors"));
	json_decref(cache);
}

/* Another version of libcrypto may be faster: speeds measured with the old one are discarded. Device records do not
 * depend on it. */
TEST(a_record_of_other_code_is_stale)
{
	static struct machine machine;

	take_records("h200", "One", "1.2");
	strcpy(host.libcrypto, "1.1.1w");
	assert_ok(records_keep(&(struct records){ .device = &device }, NULL));
	assert_ok(records_keep(&(struct records){ .host = &host }, NULL));
	inventory_keep(&two, NULL);
	assert_true(machine_cached(&machine));
	assert_true(machine.devices[0].measured);
	assert_false(machine.host_measured);
	assert_non_null(strstr(machine.note, "measured with libcrypto 1.1.1w, not with "));
	*host.libcrypto = '\0';
	assert_ok(records_keep(&(struct records){ .host = &host }, NULL));
	assert_true(machine_cached(&machine));
	assert_false(machine.host_measured);
	assert_non_null(strstr(machine.note, "measured with libcrypto of an earlier release, not with "));
	host_record_set_code(&host);
	strcpy(host.forms, "aes abacus");
	assert_ok(records_keep(&(struct records){ .host = &host }, NULL));
	assert_true(machine_cached(&machine));
	assert_false(machine.host_measured);
	assert_non_null(strstr(machine.note, "measured with instruction forms aes abacus, not with "));
}

static void read_built(struct built *built)
{
	char note[CACHE_NOTE] = "";
	json_t *cache = cache_read(note);

	built_read(built, cache);
	json_decref(cache);
}

TEST(built_programs_are_remembered)
{
	struct suite suite = { &cipher_aes, &modes[MODE_CTR], 32, ENCRYPT };
	struct kernel_config kernel = { TABLE_4, MEMORY_LOCAL, MEMORY_LOCAL, .replicas = 1, .work_items = 64 };
	static struct built built;

	read_built(&built);
	assert_int_equal(built.n, 0);
	built_keep(&built, &two.devices[0], &suite, &kernel);
	read_built(&built);
	assert_true(built_before(&built, &two.devices[0], &suite, &kernel));
	assert_false(built_before(&built, &two.devices[1], &suite, &kernel));
	kernel.work_groups = 7;
	assert_true(built_before(&built, &two.devices[0], &suite, &kernel));
	for (kernel.work_items = 65; kernel.work_items < 65 + MAX_BUILT; kernel.work_items++)
		built_keep(&built, &two.devices[0], &suite, &kernel);
	read_built(&built);
	assert_int_equal(built.n, MAX_BUILT);
	assert_true(kernel.work_items-- && built_before(&built, &two.devices[0], &suite, &kernel));
	kernel.work_items = 64;
	assert_false(built_before(&built, &two.devices[0], &suite, &kernel));
	assert_ok(cache_set("programs", json_pack("[s,{}]", "12 zz")));
	read_built(&built);
	assert_false(built_before(&built, &two.devices[0], &suite, &kernel));
	assert_ok(cache_set("programs", json_string("12 zz")));
	read_built(&built);
	assert_int_equal(built.n, 0);
}
