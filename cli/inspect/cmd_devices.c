/* gcrypt devices: the devices, and for each unusable one the reason. */
#include <stdio.h>

#include <openssl/crypto.h>

#include "cli/args/options.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/status.h"
#include "command/json.h"
#include "ppf/record/records.h"
#include "ppf/record/inventory.h"

static json_t *device_json(unsigned number, const struct device *device, const json_t *cache)
{
	json_t *object = json_object();

	json_set(object, "number", json_integer(number));
	json_set(object, "name", json_text(device->name));
	json_set(object, "type", json_string(device->gpu ? "GPU" : device->cpu ? "CPU" : "accelerator"));
	json_set(object, "vendor", json_text(device->vendor));
	json_set(object, "platform", json_text(device->platform_name));
	json_set(object, "driver", json_text(device->driver));
	json_set(object, "version", json_text(device->version));
	json_set(object, "compute_units", json_integer(device->compute_units));
	json_set(object, "max_work_items", json_integer(device->max_work_items));
	json_set(object, "local_bytes", json_count(device->local_bytes));
	json_set(object, "constant_bytes", json_count(device->constant_bytes));
	json_set(object, "global_bytes", json_count(device->global_bytes));
	json_set(object, "max_buffer_bytes", json_count(device->max_buffer_bytes));
	json_set(object, "ecc", json_boolean(device->ecc));
	json_set(object, "usable", json_boolean(!device->unusable[0]));
	json_set(object, "reason", json_text_or_null(device->unusable));
	json_set(object, "table_forms", json_text_or_null(forms_kept(cache, device)));
	return object;
}

static json_t *inventory_json(const struct inventory *inventory)
{
	json_t *object = json_object(), *cpu = json_object(), *devices = json_array(), *drivers = json_array();
	char note[CACHE_NOTE] = "";
	json_t *cache = cache_read(note);
	struct host_record host;

	host_record_set_code(&host);
	json_set(cpu, "threads", json_integer(plan_threads(&(struct gpucrypt_plan){ 0 })));
	json_set(cpu, "forms", json_text(host.forms));
	json_set(cpu, "libcrypto", json_text(OpenSSL_version(OPENSSL_VERSION)));
	for (unsigned i = 0; i < inventory->n_devices; i++)
		json_array_append_new(devices, device_json(i, &inventory->devices[i], cache));
	for (const struct driver *driver = NULL; (driver = loader_left_out(driver));)
		json_array_append_new(drivers, json_pack("{s:o, s:o, s:o}", "icd", json_text(driver->icd), "library",
		                                       json_text(driver->library), "reason", json_text(driver->fault)));
	json_decref(cache);
	json_set(object, "cpu", cpu);
	json_set(object, "devices", devices);
	json_set(object, "left_out", drivers);
	json_set(object, "failure", json_text_or_null(inventory->failure));
	return object;
}

static const char *const device_lines[] = { "device {number}: {name} ({type}, {platform}, driver {driver})",
	/* NOLINTNEXTLINE(bugprone-suspicious-missing-comma) */
	"  {compute_units} compute units, {max_work_items} work-items in a work-group, "
	"[{local_bytes:size}|no] local, [{global_bytes:size}|no] global memory [{?ecc}with|without] ECC",
	"  [{?usable}can be used|cannot be used: {reason}]", "  table forms by gcrypt selftest: {table_forms}", NULL };

static const char *const driver_lines[] = { "driver {icd}: left out: {reason}", NULL };

static void print_text(const json_t *object)
{
	pattern_print(
	        stdout, "cpu: {cpu.threads} threads, instruction forms: {cpu.forms}, {cpu.libcrypto}", object, NULL);
	if (!loader_left_out(NULL))
		pattern_print(stdout, "opencl: no device: {failure}", object, NULL);
	patterns_print(stdout, device_lines, json_object_get(object, "devices"));
	patterns_print(stdout, driver_lines, json_object_get(object, "left_out"));
}

int cmd_devices(const struct options *options)
{
	struct inventory inventory;
	json_t *object;

	inventory_renew(&inventory);
	object = inventory_json(&inventory);
	if (options->json)
		return json_print(object);
	print_text(object);
	json_decref(object);
	return GPUCRYPT_OK;
}
