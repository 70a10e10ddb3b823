/* The times that the chooser compares: the slowest stage, shared cores, more bytes. */
#include "tests/unit/choices.h"

#include "gpucrypt/container/group.h"

static bool within(double a, double b, double share)
{
	return a > b * (1 - share) && a < b * (1 + share);
}

/* On a machine on which one stage after the other is the slow one: it is the time of the whole, and
 * is named. */
TEST(the_bottleneck_is_the_slowest_stage)
{
	const struct gpucrypt_plan cpu = { .engine = GPUCRYPT_CPU }, gpu = { .device = 1 };
	struct task task = { .n_bytes = 10 * GIB, .reads_storage = true, .writes_storage = true, .tags = true };
	static struct machine m;
	struct choice c;

	m = with_gpu;
	m.storage.write = 1e8;
	assert_ok(choose(&c, &m, &cpu, &task, false));
	assert_int_equal(c.end_to_end.bottleneck, STAGE_WRITE);
	assert_true(within(c.end_to_end.seconds, 10 * GIB / 1e8, 0.05));
	task.writes_storage = false;
	m = with_gpu;
	m.storage.read.one_thread = 1e8;
	assert_ok(choose(&c, &m, &cpu, &task, false));
	assert_int_equal(c.end_to_end.bottleneck, STAGE_READ);
	assert_true(within(c.end_to_end.seconds, 10 * GIB / 1e8 / read_threads(&c.plan, 0, 0).readers, 0.02));
	task.reads_storage = false;
	m.host.copy.one_thread = 2e8;
	assert_ok(choose(&c, &m, &cpu, &task, false));
	assert_true(within(c.end_to_end.seconds, 10 * GIB / 2e8 / read_threads(&c.plan, 0, 0).readers, 0.02));
	m = with_gpu;
	m.host.tag = (struct pace){ 1e7, 1.6e8 };
	assert_ok(choose(&c, &m, &cpu, &task, false));
	assert_true(within(c.end_to_end.seconds, 10 * GIB / 1.6e8, 0.05)); /* by the cipher's threads */
	m = with_gpu;
	m.devices[0].record.transfer.pinned_in = 1e8;
	assert_ok(choose(&c, &m, &gpu, &task, false));
	assert_int_equal(c.end_to_end.bottleneck, STAGE_IN);
	assert_true(within(c.end_to_end.seconds, 10 * GIB / 1e8, 0.05)); /* one bus */
}

/* Cipher and tags on the same cores add up. */
TEST(cores_are_shared)
{
	const struct gpucrypt_plan cpu = { .engine = GPUCRYPT_CPU, .cipher = GPUCRYPT_AES };
	struct task task = { .n_bytes = 10 * GIB, .reads_storage = true, .tags = true };
	static struct machine m;
	struct choice c;

	m = without;
	m.cpu_threads = 2;
	m.storage.read.one_thread = m.storage.write = 1e12;
	m.host.tag = (struct pace){ 1e9, 2e9 };
	set_cpu(&m, "aes-256-ctr", 1e9);
	assert_ok(choose(&c, &m, &cpu, &task, false));
	assert_int_equal(c.end_to_end.bottleneck, STAGE_CORES);
	assert_true(within(c.end_to_end.seconds, 10 * GIB / 1e9, 0.05));
	task.tags = false;
	assert_ok(choose(&c, &m, &cpu, &task, false));
	assert_true(within(c.end_to_end.seconds, 10 * GIB / 2e9, 0.05));
}

TEST(more_bytes_take_longer)
{
	static const enum gpucrypt_engine engines[] = { GPUCRYPT_CPU, GPUCRYPT_OPENCL };

	for (int e = 0; e < 2; e++) {
		const struct gpucrypt_plan wanted = { .engine = engines[e] };
		double before = 0;
		for (uint64_t n = MIB; n < 1000 * GIB; n = 3 * n + 1) {
			struct choice choice = chosen(&with_gpu, &wanted, n);
			assert_true(choice.end_to_end.seconds > before);
			before = choice.end_to_end.seconds;
		}
	}
}
