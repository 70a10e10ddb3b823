/* A machine that does not exist, for tests: an H200 beside 16 cores, with the built-in record. */
#ifndef TESTS_UNIT_H200_MACHINE_H
#define TESTS_UNIT_H200_MACHINE_H

#include <stdlib.h>

#include "ppf/model/machine.h"
#include "tests/unit/cmocka_all.h"

static inline struct machine *h200_machine(void)
{
	struct machine *machine = kept_allocate(sizeof *machine);
	struct machine_device *at;

	at = &machine->devices[0];
	assert_ok(records_parse(
	        &(struct records){ &at->record, &machine->host, &machine->storage }, records_builtin("h200"), "h200"));
	at->device = (struct device){ .name = "NVIDIA H200",
		.vendor = "NVIDIA Corporation",
		.driver = "1",
		.gpu = true,
		.compute_units = 132,
		.max_work_items = 1024,
		.local_bytes = 48 << 10,
		.constant_bytes = 64 << 10,
		.global_bytes = UINT64_C(139) << 30,
		.max_buffer_bytes = UINT64_C(34) << 30 };
	at->measured = machine->host_measured = machine->storage_measured = machine->asked = true;
	machine->n_devices = 1;
	machine->cpu_threads = machine->host.cpu_threads;
	return machine;
}

#endif
