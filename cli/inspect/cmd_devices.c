/* gcrypt devices: the devices, and for each unusable one the reason. */
#include <stdio.h>

#include <openssl/crypto.h>

#include "cli/args/command.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/status.h"
#include "cli/terminal/json.h"
#include "ppf/record/host_record.h"

static const char *kind(const struct device *device)
{
	return device->gpu ? "GPU" : device->cpu ? "CPU" : "accelerator";
}

static unsigned cpu_threads(void)
{
	return plan_threads(&(struct gpucrypt_plan){ 0 });
}

static void print_device(unsigned number, const struct device *device)
{
	printf("device %u: %s (%s, %s, driver %s)\n", number, device->name, kind(device), device->platform_name,
	        device->driver);
	printf("  %u compute units, %u work-items in a work-group, %llu KiB local, %llu MiB global "
	       "memory\n",
	        device->compute_units, device->max_work_items, (unsigned long long)device->local_bytes >> 10,
	        (unsigned long long)device->global_bytes >> 20);
	printf("  %s%s\n", device->unusable[0] ? "cannot be used: " : "can be used", device->unusable);
}

static int print_text(const struct inventory *inventory)
{
	struct host_record host;

	host_record_set_code(&host);
	printf("cpu: %u threads, instruction forms: %s, %s\n", cpu_threads(), host.forms,
	        OpenSSL_version(OPENSSL_VERSION));
	if (inventory->failure[0])
		printf("opencl: no device: %s\n", inventory->failure);
	for (unsigned i = 0; i < inventory->n_devices; i++)
		print_device(i, &inventory->devices[i]);
	return GPUCRYPT_OK;
}

static json_t *text_or_null(const char *text)
{
	return *text ? json_text(text) : json_null();
}

static json_t *device_json(unsigned number, const struct device *device)
{
	const struct {
		const char *name;
		json_t *value;
	} members[] = {
		{ "number", json_integer(number) },
		{ "name", json_text(device->name) },
		{ "type", json_string(kind(device)) },
		{ "vendor", json_text(device->vendor) },
		{ "platform", json_text(device->platform_name) },
		{ "driver", json_text(device->driver) },
		{ "version", json_text(device->version) },
		{ "compute_units", json_integer(device->compute_units) },
		{ "max_work_items", json_integer(device->max_work_items) },
		{ "local_bytes", json_count(device->local_bytes) },
		{ "constant_bytes", json_count(device->constant_bytes) },
		{ "global_bytes", json_count(device->global_bytes) },
		{ "max_buffer_bytes", json_count(device->max_buffer_bytes) },
		{ "usable", json_boolean(!device->unusable[0]) },
		{ "reason", text_or_null(device->unusable) },
	};
	json_t *object = json_object();

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		json_object_set_new(object, members[i].name, members[i].value);
	return object;
}

static int print_json(const struct inventory *inventory)
{
	json_t *object = json_object(), *cpu = json_object(), *devices = json_array();
	struct host_record host;

	host_record_set_code(&host);
	json_object_set_new(cpu, "threads", json_integer(cpu_threads()));
	json_object_set_new(cpu, "forms", json_text(host.forms));
	json_object_set_new(cpu, "libcrypto", json_text(OpenSSL_version(OPENSSL_VERSION)));
	for (unsigned i = 0; i < inventory->n_devices; i++)
		json_array_append_new(devices, device_json(i, &inventory->devices[i]));
	json_object_set_new(object, "cpu", cpu);
	json_object_set_new(object, "devices", devices);
	json_object_set_new(object, "failure", text_or_null(inventory->failure));
	return json_print(object);
}

int cmd_devices(const struct options *options)
{
	struct inventory inventory;

	inventory_take(&inventory);
	return options->json ? print_json(&inventory) : print_text(&inventory);
}
