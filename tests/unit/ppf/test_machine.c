/* The machine: its devices from the cache, with the records that stand for them. */
#include "tests/unit/cache_folder.h"

#include <openssl/crypto.h>
#include <stdbool.h>

#include "gpucrypt/status.h"
#include "ppf/record/cache.h"
#include "ppf/record/inventory.h"
#include "ppf/model/machine.h"
#include "tests/unit/two_devices.h"

void test_set_up(void)
{
	make_cache_folder();
}

void test_tear_down(void)
{
	remove_cache_folder();
}

TEST(the_machine_is_there_without_a_cache)
{
	static struct machine machine, again;

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
	setenv("XDG_CACHE_HOME", cache_folder, 1);
	machine_take(&machine);
	assert_true(machine_cached(&again));
	assert_int_equal(again.n_devices, machine.n_devices);
	assert_string_equal(again.failure, machine.failure);
}

/* A built-in record under another device's name. */
static struct record record_of(const char *builtin, const char *name, const char *driver)
{
	struct record record;

	assert_int_equal(record_parse(&record, record_builtin(builtin), builtin), GPUCRYPT_OK);
	snprintf(record.name, sizeof(record.name), "%s", name);
	snprintf(record.driver, sizeof(record.driver), "%s", driver);
	snprintf(record.libcrypto, sizeof(record.libcrypto), "%s", OpenSSL_version(OPENSSL_VERSION_STRING));
	return record;
}

TEST(figures_of_this_machine_come_first)
{
	static struct machine machine;
	struct record record;

	record = record_of("h200", "One", "1.2");
	assert_int_equal(record_keep(&record), GPUCRYPT_OK);
	inventory_keep(&two, NULL);
	assert_true(machine_cached(&machine));
	assert_true(machine.devices[0].measured);
	assert_false(machine.devices[1].measured);
	assert_true(machine.host_measured);
	assert_int_equal(machine.host.cpu_threads, machine.cpu_threads);
	assert_true(machine.host.tag.one_thread == record.tag.one_thread);
	assert_true(machine.host.tag.all_threads * record.cpu_threads >
	            0.99 * record.tag.all_threads * machine.cpu_threads);
}

/* A record that stands for another device: what its units do together grows with their number. */
TEST(a_builtin_record_is_scaled)
{
	struct inventory half = two;
	static struct machine machine;
	struct record record;

	half.devices[0].compute_units = 66;
	assert_int_equal(record_parse(&record, record_builtin("h200"), "h200"), GPUCRYPT_OK);
	inventory_keep(&half, NULL);
	assert_true(machine_cached(&machine));
	assert_false(machine.devices[0].measured);
	assert_int_equal(machine.devices[0].record.compute_units, 66);
	assert_true(machine.devices[0].record.global_bytes_per_s == record.global_bytes_per_s / 2);
}

TEST(a_damaged_record_is_noted)
{
	static struct machine machine;

	inventory_keep(&two, NULL);
	assert_int_equal(cache_keep("One-1.2.json", "{}"), GPUCRYPT_OK);
	assert_true(machine_cached(&machine));
	assert_false(machine.devices[0].measured);
	assert_non_null(strstr(machine.note, "not a device record"));
}

/* What the processor does by itself needs no figures of vectors; its OpenCL device does. */
TEST(the_hosts_record_needs_no_vectors)
{
	static struct machine machine;
	struct record record;

	record = record_of("cpu", "host", "cpu");
	record.slice_words = 0;
	record.tag.one_thread = 123456789;
	assert_int_equal(record_keep(&record), GPUCRYPT_OK);
	inventory_keep(&two, NULL);
	assert_true(machine_cached(&machine));
	assert_true(machine.host_measured);
	assert_string_equal(machine.note, "");
	assert_true(machine.host.tag.one_thread == 123456789);
	assert_false(record_cached_device(&record, "host", "cpu"));
}

/* Another libcrypto may have faster code: what was measured with it does not hold. */
TEST(a_record_of_another_libcrypto_is_stale)
{
	static struct machine machine;
	struct record record = record_of("h200", "One", "1.2");

	strcpy(record.libcrypto, "1.1.1w");
	assert_int_equal(record_keep(&record), GPUCRYPT_OK);
	inventory_keep(&two, NULL);
	assert_true(machine_cached(&machine));
	assert_false(machine.devices[0].measured);
	assert_non_null(strstr(machine.note, "measured with libcrypto 1.1.1w, not with "));
	*record.libcrypto = '\0';
	assert_int_equal(record_keep(&record), GPUCRYPT_OK);
	assert_true(machine_cached(&machine));
	assert_false(machine.devices[0].measured);
	assert_non_null(strstr(machine.note, "measured with libcrypto of an earlier release, not with "));
}

TEST(built_programs_are_remembered)
{
	struct suite suite = { &cipher_aes, &modes[MODE_CTR], 32, ENCRYPT };
	struct program_shape shape = { .form = &cipher_aes.forms[0],
		.kernel.table_space = MEMORY_LOCAL,
		.kernel.key_space = MEMORY_LOCAL,
		.kernel.replicas = 1,
		.kernel.work_items = 64 };
	static struct built built;

	built_read(&built);
	assert_int_equal(built.n, 0);
	built_keep(&built, &two.devices[0], &suite, &shape);
	built_read(&built);
	assert_true(built_before(&built, &two.devices[0], &suite, &shape));
	assert_false(built_before(&built, &two.devices[1], &suite, &shape));
	shape.kernel.work_groups = 7;
	assert_true(built_before(&built, &two.devices[0], &suite, &shape));
	for (shape.kernel.work_items = 65; shape.kernel.work_items < 65 + MAX_BUILT; shape.kernel.work_items++)
		built_keep(&built, &two.devices[0], &suite, &shape);
	built_read(&built);
	assert_int_equal(built.n, MAX_BUILT);
	assert_true(shape.kernel.work_items-- && built_before(&built, &two.devices[0], &suite, &shape));
	shape.kernel.work_items = 64;
	assert_false(built_before(&built, &two.devices[0], &suite, &shape));
	assert_int_equal(cache_keep("programs", "12 zz"), GPUCRYPT_OK);
	built_read(&built);
	assert_int_equal(built.n, 1);
}
