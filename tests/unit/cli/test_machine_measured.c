/* advise measures each device without a good record once, and keeps the record; --remeasure measures everything.  Here
 * measurements that take seconds are replaced by fixed results; test_measure makes real measurements. */
#include "tests/unit/cache_folder.h"

#include <stdbool.h>
#include <unistd.h>

#include "cli/advise/advise.h"
#include "ppf/measure/measure.h"
#include "ppf/record/cache.h"
#include "ppf/record/inventory.h"
#include "tests/unit/two_devices.h"

#define KEPT_S     99 /* run_s of the record in the cache */
#define MEASURED_S 7
#define GOOD_SHARE 0.01

static const struct gpucrypt_plan any = { 0 }, on_cpu = { .engine = GPUCRYPT_CPU };
static struct machine machine;
static struct device_record device;
static struct host_record host;
static struct storage_record storage;
static struct {
	unsigned hosts, devices, storages, starts;
} measured;
static int host_status;
static bool quiet;      /* of the options */
static char said[4096]; /* standard error of the last measure() */

WRAPPED(measure_host);
int __wrap_measure_host(struct host_record *record)
{
	measured.hosts++;
	*record = host;
	record->run_s = MEASURED_S;
	return host_status == GPUCRYPT_OK ? GPUCRYPT_OK : fail((enum gpucrypt_status)host_status, "no speed");
}

WRAPPED(measure_device);
int __wrap_measure_device(struct device_record *record, unsigned number, const struct start_seconds *start)
{
	assert_in_range(number, 1, machine.n_devices);
	assert_ptr_equal(start, &machine.start);
	measured.devices++;
	*record = device;
	return GPUCRYPT_OK;
}

WRAPPED(measure_storage);
void __wrap_measure_storage(struct storage_record *record, const char *folder)
{
	(void)folder;
	measured.storages++;
	*record = storage;
}

WRAPPED(start_seconds);
void __wrap_start_seconds(struct start_seconds *seconds)
{
	memset(seconds, 0, sizeof *seconds);
	measured.starts++;
}

/* The first of the two devices can be used. */
void test_set_up(void)
{
	const struct records records = { &device, &host, &storage };

	make_cache_folder();
	assert_ok(records_parse(&records, records_builtin("h200"), "h200"));
	snprintf(device.name, sizeof device.name, "%s", two.devices[0].name);
	snprintf(device.driver, sizeof device.driver, "%s", two.devices[0].driver);
	host_record_set_code(&host);
	host.other_work = host.host_spread = GOOD_SHARE;
	host_status = GPUCRYPT_OK;
	inventory_keep(&two, NULL);
}

void test_tear_down(void)
{
	remove_cache_folder();
}

static void keep_host(double other_work, double host_spread)
{
	struct host_record kept = host;

	kept.run_s = KEPT_S;
	kept.other_work = other_work;
	kept.host_spread = host_spread;
	assert_ok(records_keep(&(struct records){ .host = &kept }, NULL));
}

static void keep_all(void)
{
	keep_host(GOOD_SHARE, GOOD_SHARE);
	assert_ok(records_keep(&(struct records){ .device = &device }, NULL));
	assert_ok(records_keep(&(struct records){ .storage = &storage }, "."));
}

static void measure(const struct gpucrypt_plan *plan, bool again)
{
	FILE *messages = tmpfile();
	int standard_error = dup(STDERR_FILENO);

	memset(&measured, 0, sizeof measured);
	assert_non_null(messages);
	dup2(fileno(messages), STDERR_FILENO);
	machine_measured(&machine, &(struct options){ .plan = *plan, .remeasure = again, .quiet = quiet });
	dup2(standard_error, STDERR_FILENO);
	close(standard_error);
	rewind(messages);
	said[fread(said, 1, sizeof said - 1, messages)] = '\0';
	fclose(messages);
	assert_string_equal(gpucrypt_error(), "");
}

/* The CPU is measured twice, before and after everything else. */
static void assert_measured(unsigned hosts, unsigned devices, unsigned storages)
{
	assert_int_equal(measured.hosts, 2 * hosts);
	assert_int_equal(measured.devices, devices);
	assert_int_equal(measured.storages, storages);
	assert_int_equal(measured.starts, devices);
	assert_true(machine.host_measured && machine.storage_measured);
	assert_true(machine.host.run_s == (hosts > 0 ? MEASURED_S : KEPT_S));
}

static double kept_s(void)
{
	struct host_record kept;
	char note[CACHE_NOTE] = "";
	json_t *cache = cache_read(note);
	bool found = host_record_cached(&kept, cache, note);

	json_decref(cache);
	return found ? kept.run_s : 0;
}

TEST(good_records_are_used)
{
	keep_all();
	measure(&any, false);
	assert_measured(0, 0, 0);
	assert_string_equal(said, "");
	assert_string_equal(machine.note, "");
	assert_int_equal(machine.n_devices, 2);
}

TEST(what_has_no_record_is_measured_once)
{
	measure(&any, false);
	assert_measured(1, 1, 1);
	assert_string_equal(said, "gcrypt: measuring the CPU and OpenCL devices, once: this takes some seconds\n");
	measure(&any, false);
	assert_int_equal(measured.hosts + measured.devices + measured.storages, 0);
	assert_true(machine.host.run_s == MEASURED_S);
	assert_string_equal(said, "");
}

TEST(a_disturbed_record_is_measured_again)
{
	static const double shares[][2] = { { 0.5, GOOD_SHARE }, { GOOD_SHARE, 0.5 } };

	keep_all();
	for (size_t i = 0; i < N_OF(shares); i++) {
		keep_host(shares[i][0], shares[i][1]);
		measure(&any, false);
		assert_int_equal(measured.starts, 1);
		measured.starts = 0;
		assert_measured(1, 0, 0);
		assert_contains(
		        said, "gcrypt: other programs disturbed the last measurement of the CPU: measuring again\n");
		assert_true(kept_s() == MEASURED_S);
	}
}

/* Without an inventory the records are read twice. */
TEST(a_disturbed_record_is_measured_again_with_the_list_of_devices)
{
	keep_all();
	keep_host(0.5, GOOD_SHARE);
	assert_ok(cache_set("inventory", json_object()));
	measure(&any, false);
	assert_int_equal(measured.hosts, 2);
	assert_contains(said, "disturbed the last measurement of the CPU: measuring again\n");
	assert_true(kept_s() == MEASURED_S);
}

TEST(a_disturbed_measurement_is_a_warning)
{
	host.other_work = 0.5;
	measure(&on_cpu, false);
	assert_measured(1, 0, 1);
	assert_contains(said, "warning: other programs used 50 % of the CPU while it was measured, and the repetitions "
	                      "differ by 1 %: ");
	quiet = true;
	measure(&on_cpu, false);
	quiet = false;
	assert_measured(1, 0, 0);
	assert_string_equal(said, "");
}

TEST(a_damaged_record_is_measured_again)
{
	keep_all();
	assert_ok(cache_set("host", json_object()));
	measure(&on_cpu, false);
	assert_measured(1, 0, 0);
	assert_contains(machine.note, "host: not a host record");
	assert_true(kept_s() == MEASURED_S);
}

TEST(remeasure_measures_everything)
{
	keep_all();
	measure(&any, true);
	assert_measured(1, 1, 1);
	assert_true(kept_s() == MEASURED_S);
	/* Without an inventory OpenCL is asked, and the records are read once more. */
	assert_ok(cache_set("inventory", json_object()));
	measure(&any, true);
	assert_int_equal(measured.hosts, 2);
	assert_int_equal(measured.storages, 1);
}

TEST(a_plan_for_the_cpu_measures_no_device)
{
	keep_host(GOOD_SHARE, GOOD_SHARE);
	measure(&on_cpu, true);
	assert_measured(1, 0, 1);
	assert_int_equal(machine.n_devices, 0);
	assert_string_equal(said, "gcrypt: measuring the CPU, once: this takes some seconds\n");
}

TEST(a_cache_that_cannot_be_written_is_noted)
{
	assert_int_equal(setenv("XDG_CACHE_HOME", "/proc/none", 1), 0);
	measure(&on_cpu, false);
	assert_measured(1, 0, 1);
	assert_contains(machine.note, "/proc/none");
}

TEST(what_cannot_be_measured_has_a_default)
{
	host_status = GPUCRYPT_OTHER;
	measure(&on_cpu, false);
	assert_int_equal(measured.hosts, 1);
	assert_false(machine.host_measured);
	assert_true(machine.host.run_s > 0 && machine.host.run_s != MEASURED_S);
	assert_contains(said, "gcrypt: warning: no speed\n");
	assert_true(kept_s() == 0);
}
