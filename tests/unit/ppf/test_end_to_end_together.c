/* The end-to-end model of several engines together, on a machine of round figures worked out by hand. */
#include "tests/unit/round_machine.h"

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"

/* From memory, on more cores than anyone needs. */
static struct end_to_end predicted_together(const struct gpucrypt_part *parts, unsigned n_parts)
{
	const struct task task = { .n_bytes = SIZE };
	struct end_to_end p;

	plan.engine = GPUCRYPT_HYBRID;
	plan.n_parts = n_parts;
	memcpy(plan.parts, parts, n_parts * sizeof *parts);
	assert_true(predict_end_to_end(&p, &machine, &suite, &plan, &task));
	assert_close(p.seconds, p.start_s + p.first_s + p.rest_s);
	return p;
}

TEST(two_devices_do_twice_as_much)
{
	const struct gpucrypt_part parts[2] = { { .device = 1, .kernel = kernel }, { .device = 2, .kernel = kernel } };
	struct end_to_end p, one;

	machine.devices[1] = machine.devices[0];
	p = predicted_together(parts, 2);
	assert_close(p.rest_s, (SIZE - GROUP) / 1.6e9);
	assert_int_equal(p.bottleneck, STAGE_IN);
	one = predicted_together(parts, 1);
	assert_close(one.rest_s, (SIZE - GROUP) / 0.8e9);
	assert_close(p.first_s, one.first_s);
	/* They start side by side. */
	machine.devices[1].record.context_s = 10;
	assert_close(predicted_together(parts, 2).start_s, p.start_s + 7);
	/* Unequal devices share the work by their speeds, but reading is limited by one memory. */
	machine.devices[1].record.transfer.pinned_both = 0.4e9;
	assert_close(predicted_together(parts, 2).rest_s, (SIZE - GROUP) / 1.2e9);
	machine.host.copy.all_threads = 1e9;
	p = predicted_together(parts, 2);
	assert_close(p.rest_s, (SIZE - GROUP) / 1e9);
	assert_int_equal(p.bottleneck, STAGE_READ);
}

/* Ten threads a device read where there are several, else eight. */
TEST(helpers_read_for_two_devices)
{
	const struct gpucrypt_part parts[2] = { { .device = 1, .kernel = kernel }, { .device = 2, .kernel = kernel } };

	machine.devices[1] = machine.devices[0];
	machine.cpu_threads = plan.threads = 64;
	machine.host.copy = (struct pace){ 0.05e9, 100e9 };
	assert_close(predicted_together(parts, 2).rest_s, (SIZE - GROUP) / (20 * 0.05e9));
	assert_close(predicted_together(parts, 1).rest_s, (SIZE - GROUP) / (8 * 0.05e9));
}

TEST(threads_beside_a_device)
{
	const struct gpucrypt_part parts[2] = { { .device = 1, .kernel = kernel }, { .threads = 1 } };
	struct end_to_end p;
	unsigned n_slots = (unsigned)buffers(OPENCL_LANES, 1 + ALL_SPARE_SLOTS + 4) - OPENCL_LANES;

	machine.cpu_threads = 64;
	machine.host.cpu.of[1].pace.all_threads = 32e9;
	p = predicted_together(parts, 2);
	assert_close(p.rest_s, (SIZE - GROUP) / 1.3e9);
	assert_close(p.first_s, GROUP * (0.5e-10 + 2e-9)); /* by the thread */
	assert_close(p.stage_s[STAGE_CPU], SIZE / 1.3e9);
	/* A slow one holds a slot while all the others go by once. */
	machine.host.cpu.of[1].pace.one_thread = 1e6;
	p = predicted_together(parts, 2);
	n_slots = n_slots < SIZE / GROUP + 1 ? n_slots : SIZE / GROUP + 1;
	assert_close(p.rest_s, (SIZE - GROUP) * 1e-6 / n_slots);
	assert_int_equal(p.bottleneck, STAGE_CPU);
	/* On few cores it gets what the lanes, which may be waiting busily, and reading leave. */
	machine.cpu_threads = OPENCL_LANES;
	machine.host.cpu.of[1] = (struct cpu_speed){ "aes-256-ctr", { 0.5e9, 0.5e9 * OPENCL_LANES } };
	p = predicted_together(parts, 2);
	assert_true(p.rest_s < (SIZE - GROUP) / 0.8e9 && p.rest_s > (SIZE - GROUP) / 1.25e9);
}
