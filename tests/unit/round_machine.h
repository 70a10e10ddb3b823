/* A machine of round figures, for tests of the end-to-end model. */
#ifndef TESTS_UNIT_ROUND_MACHINE_H
#define TESTS_UNIT_ROUND_MACHINE_H

#include "tests/unit/values.h"
#include "tests/unit/cmocka_all.h"

#include <string.h>

#include "gpucrypt/pipeline/pipeline.h"
#include "ppf/model/end_to_end.h"

#define GROUP (1u << 24)
#define SIZE  (UINT64_C(1) << 28)

static struct machine machine;
static struct suite suite;
static struct kernel_config kernel;
static struct gpucrypt_plan plan;

/* The plan on a device, or on the CPU (NULL). */
static inline const struct gpucrypt_plan *plan_on(const struct machine_device *device)
{
	static struct gpucrypt_plan on;

	on = plan;
	on.engine = device != NULL ? GPUCRYPT_OPENCL : GPUCRYPT_CPU;
	on.device = device != NULL ? 1 + (unsigned)(device - machine.devices) : 0;
	on.kernel = device != NULL ? kernel : plan.kernel;
	return &on;
}

static inline void set_plan(const char *mode, unsigned bits)
{
	plan = (struct gpucrypt_plan){ .cipher = GPUCRYPT_AES,
		.mode = value_of(&mode_names, mode),
		.key_bits = bits,
		.threads = 4,
		.group_log2 = 24 };
	assert_ok(suite_of_plan(&suite, &plan, ENCRYPT));
	assert_ok(kernel_config_check(&kernel, suite.cipher, &plan));
	kernel.work_items = 512;
	kernel.work_groups = 132;
}

void test_set_up(void)
{
	static const struct cpu_speed speeds[] = { { "aes-128-ctr", { 1e9, 2e9 } }, { "aes-256-ctr", { 0.5e9, 1e9 } },
		{ "aes-128-xts", { 1e8, 2e8 } }, { "aes-256-xts", { 1e8, 2e8 } } };
	struct device_record *device = &machine.devices[0].record;

	memset(&machine, 0, sizeof(machine));
	machine.cpu_threads = 4;
	memcpy(machine.host.cpu.of, speeds, sizeof(speeds));
	machine.host.cpu.n = N_OF(speeds);
	machine.storage.read = (struct pace){ 10e9, 100e9 };
	machine.storage.write = 2e9;
	machine.host.copy = (struct pace){ 20e9, 200e9 };
	machine.host.tag = (struct pace){ 4e9, 6e9 };
	machine.n_devices = 1;
	assert_ok(device_record_parse(device, records_builtin("h200"), "h200"));
	device->transfer = (struct transfer_speed){
		.pinned_in = 1e9, .pinned_out = 2e9, .pinned_both = 0.8e9, .pinning = 4e9, .tags = 50e9
	};
	device->enqueue_s = 1e-3;
	device->context_s = 3;
	device->engine_s = device->close_s = 0;
	device->build_s = 5;
	set_plan("ctr", 256);
}

static inline double slots(unsigned workers)
{
	return ring_slots(workers, 0, (size_t)GROUP, UINT64_MAX, 0);
}

/* With those of a device's lanes. */
static inline double buffers(unsigned lanes, unsigned workers)
{
	return ring_slots(lanes + workers, lanes, (size_t)GROUP, UINT64_MAX, 0) + lanes;
}

#endif
