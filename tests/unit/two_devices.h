/* An inventory for tests. */
#ifndef TESTS_UNIT_TWO_DEVICES_H
#define TESTS_UNIT_TWO_DEVICES_H

#include "gpucrypt/device/device.h"

static const struct inventory two = {
	.devices = { { .name = "One",
	                     .vendor = "V",
	                     .driver = "1.2",
	                     .platform_name = "P",
	                     .version = "OpenCL 3.0",
	                     .gpu = true,
	                     .ptx = true,
	                     .ecc = true,
	                     .compute_units = 132,
	                     .max_work_items = 1024,
	                     .local_bytes = 49152,
	                     .constant_bytes = 65536,
	                     .global_bytes = UINT64_C(150) << 30,
	                     .max_buffer_bytes = UINT64_C(1) << 40 },
	        { .name = "Two \"quoted\"\n", .cpu = true, .unusable = "it is older" } },
	.n_devices = 2,
};

#endif
