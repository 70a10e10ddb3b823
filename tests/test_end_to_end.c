/* The end-to-end model's terms one by one, on a machine of round figures worked out by hand. */
#include "tests/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "gpucrypt/engine_all.h"
#include "gpucrypt/engine_opencl.h"
#include "gpucrypt/group.h"
#include "gpucrypt/ring.h"
#include "gpucrypt/status.h"
#include "ppf/end_to_end.h"

#define GROUP (1u << 24)
#define SIZE  (UINT64_C(1) << 28)

static struct machine machine;
static struct suite suite;
static struct program_shape shape;
static struct gpucrypt_plan plan;

/* From storage to storage, without tags: reading is done by one thread. */
static const struct task raw = { .n_bytes = SIZE, .reads_storage = true, .writes_storage = true };

static void set_plan(const char *mode, unsigned bits)
{
	plan = (struct gpucrypt_plan){
		.cipher = "aes", .mode = mode, .key_bits = bits, .threads = 4, .group_log2 = 24
	};
	assert_int_equal(suite_of_plan(&suite, &plan, ENCRYPT), GPUCRYPT_OK);
	assert_int_equal(program_shape_of_plan(&shape, suite.cipher, &plan), GPUCRYPT_OK);
	shape.work_items = 512;
	shape.work_groups = 132;
}

static int set_up(void **state)
{
	static const struct cpu_speed speeds[] = { { "aes-128-ctr", 1e9, 2e9 },
		{ "aes-256-ctr", 0.5e9, 1e9 }, { "aes-128-xts", 1e8, 2e8 },
		{ "aes-256-xts", 1e8, 2e8 } };
	struct record *device = &machine.devices[0].record;

	(void)state;
	memset(&machine, 0, sizeof(machine));
	machine.cpu_threads = 4;
	memcpy(machine.host.cpu, speeds, sizeof(speeds));
	machine.host.n_cpu = N_OF(speeds);
	machine.host.read = (struct pace){ 10e9, 100e9 };
	machine.host.write_bytes_per_s = 2e9;
	machine.host.copy = (struct pace){ 20e9, 200e9 };
	machine.host.tag = (struct pace){ 4e9, 6e9 };
	machine.n_devices = 1;
	assert_int_equal(record_parse(device, record_builtin("h200"), "h200"), GPUCRYPT_OK);
	device->transfer = (struct transfer_speed){
		.pinned_in = 1e9, .pinned_out = 2e9, .pinned_both = 0.8e9, .pinning = 4e9, .tags = 50e9
	};
	device->enqueue_s = 1e-3;
	device->context_s = 3;
	device->engine_s = device->close_s = 0;
	device->build_s = 5;
	set_plan("ctr", 256);
	return 0;
}

static void assert_close(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-6 * fabs(expected)))
		print_error("%.9g is not %.9g\n", value, expected);
	assert_true(fabs(value - expected) <= 1e-6 * fabs(expected));
}

static struct end_to_end predicted(const struct machine_device *device, const struct task *task)
{
	struct end_to_end p;

	assert_true(predict_end_to_end(&p, &machine, device, &suite, &shape, &plan, task));
	assert_close(p.seconds, p.start_s + p.first_s + p.rest_s + p.stage_s[STAGE_SYNC]);
	return p;
}

static double slots(unsigned workers)
{
	return ring_slots(workers, (size_t)GROUP, UINT64_MAX, 0);
}

static void the_cpu_engine(void **state)
{
	struct end_to_end p = predicted(NULL, &raw);
	struct task small = raw;

	(void)state;
	/* 4 threads could do 2e9, but all cores together do 1e9; they also read and write. */
	assert_close(p.stage_s[STAGE_CPU], SIZE / 1e9);
	assert_close(p.stage_s[STAGE_READ], SIZE / 40e9); /* by 4 threads */
	assert_close(p.stage_s[STAGE_WRITE], SIZE / 2e9);
	assert_close(p.stage_s[STAGE_CORES], SIZE * (4e-9 + 4e-11 + 5e-10) / 4);
	assert_int_equal(p.bottleneck, STAGE_CORES);
	assert_close(p.first_s, GROUP * (1e-10 + 2e-9 + 5e-10));
	assert_close(p.rest_s, (SIZE - GROUP) * 1.135e-9);
	/* Slots of the ring, new pages: 4 lanes, 4 readers, 2 writers, one of which has the last slot
	 * in hand, and 2 more. */
	assert_close(p.start_s, slots(4 + 4 + 2 - 1) * GROUP / 2e9);
	small.n_bytes = 1000;
	p = predicted(NULL, &small);
	assert_close(p.start_s, 1000 / 2e9);
	assert_true(p.rest_s == 0);
	plan.threads = 1;
	p = predicted(NULL, &raw);
	assert_close(p.stage_s[STAGE_CPU], SIZE / 0.5e9);
	plan.threads = 64;
	p = predicted(NULL, &(struct task){ .n_bytes = UINT64_C(1) << 40 });
	assert_close(p.start_s, slots(64 + 8 + 2 - 1) * GROUP / 2e9);
}

static void tags_and_readers(void **state)
{
	struct task task = raw;
	struct end_to_end p;

	(void)state;
	task.tags = true;
	p = predicted(NULL, &task);
	assert_true(tag_workers(&plan, false) == 4);
	assert_true(p.stage_s[STAGE_TAG] == 0); /* the cipher's threads compute them */
	assert_close(p.stage_s[STAGE_CPU], SIZE / 1e9 + SIZE / 6e9);
	assert_close(p.stage_s[STAGE_READ], SIZE / (10e9 * read_threads(&plan, 0, 0).readers));
	task.reads_storage = false;
	p = predicted(NULL, &task);
	assert_close(p.stage_s[STAGE_READ], SIZE / (20e9 * read_threads(&plan, 0, 0).readers));
	task.writes_storage = false;
	p = predicted(NULL, &task);
	assert_true(p.stage_s[STAGE_WRITE] == 0);
	task.n_bytes = UINT64_MAX; /* a pipe has one reader */
	p = predicted(NULL, &task);
	assert_close(p.stage_s[STAGE_READ], UNKNOWN_SIZE_BYTES / 20e9);
}

/* What is kept back is stored in the end; slow storage is not done with the rest by then either. */
static void the_output_is_synced(void **state)
{
	struct task task = raw;
	struct end_to_end p, unsynced = predicted(NULL, &raw);

	(void)state;
	assert_true(unsynced.stage_s[STAGE_SYNC] == 0);
	machine.host.sync_bytes_per_s = 2e9;
	machine.unsynced_bytes = UINT64_MAX;
	p = predicted(NULL, &task);
	assert_close(p.stage_s[STAGE_SYNC], SIZE / 2e9);
	assert_close(p.seconds, unsynced.seconds + SIZE / 2e9);
	assert_int_equal(p.bottleneck, STAGE_CORES);
	machine.unsynced_bytes = SIZE / 8;
	assert_close(predicted(NULL, &task).stage_s[STAGE_SYNC], SIZE / 8 / 2e9);
	machine.host.sync_bytes_per_s = 1e8;
	p = predicted(NULL, &task);
	assert_close(p.seconds - p.start_s, SIZE / 1e8);
	assert_int_equal(p.bottleneck, STAGE_SYNC);
	task.writes_storage = false;
	assert_true(predicted(NULL, &task).stage_s[STAGE_SYNC] == 0);
}

/* 192 bits lie between, ECB costs what CTR does, XTS has figures of its own. */
static void speeds_of_the_cpu(void **state)
{
	(void)state;
	set_plan("ctr", 192);
	assert_close(predicted(NULL, &raw).stage_s[STAGE_CPU], SIZE * (0.5e-9 + 1e-9) / 2);
	plan.threads = 1;
	assert_close(predicted(NULL, &raw).stage_s[STAGE_CPU], SIZE * (1e-9 + 2e-9) / 2);
	set_plan("ecb", 128);
	assert_close(predicted(NULL, &raw).stage_s[STAGE_CPU], SIZE / 2e9);
	set_plan("xts", 128);
	assert_close(predicted(NULL, &raw).stage_s[STAGE_CPU], SIZE / 2e8);
}

/* Camellia is libcrypto's unless it has to be constant-time. */
static void constant_time_on_the_cpu(void **state)
{
	static const struct cpu_speed camellia[] = { { "camellia-128-ctr", 1e8, 2e8 },
		{ "camellia-128-ctr-none", 3e8, 6e8 } };
	struct end_to_end p;

	(void)state;
	memcpy(machine.host.cpu, camellia, sizeof(camellia));
	machine.host.n_cpu = N_OF(camellia);
	set_plan("ctr", 128);
	suite.cipher = &cipher_camellia;
	assert_close(predicted(NULL, &raw).stage_s[STAGE_CPU], SIZE / 2e8);
	plan.constant_time = true;
	assert_close(predicted(NULL, &raw).stage_s[STAGE_CPU], SIZE / 6e8);
	machine.host.n_cpu = 1;
	assert_false(predict_end_to_end(&p, &machine, NULL, &suite, &shape, &plan, &raw));
}

static void the_device(void **state)
{
	struct machine_device *at = &machine.devices[0];
	struct overlap_prediction overlap;
	struct thesis_prediction thesis;
	struct task tagged = raw;
	struct end_to_end p;
	double kernel;

	(void)state;
	assert_true(predict_launch(&overlap, &thesis, &at->record, &suite, &shape, GROUP));
	kernel = (overlap.seconds + 1e-3) / GROUP;
	p = predicted(at, &raw);
	assert_close(p.stage_s[STAGE_KERNEL], SIZE * kernel);
	/* Both ways at once, over a bus that no core has to wait for. */
	assert_close(p.stage_s[STAGE_IN], SIZE / 0.8e9);
	assert_close(p.stage_s[STAGE_OUT], SIZE / 0.8e9);
	assert_close(p.stage_s[STAGE_CORES], SIZE * (4e-11 + 5e-10) / 4);
	assert_close(p.rest_s, (SIZE - GROUP) / 0.8e9);
	assert_int_equal(p.bottleneck, STAGE_IN);
	assert_close(p.start_s, slots(OPENCL_LANES + 4 + 2 - 1) * GROUP / 4e9 + 3 + 5);
	/* A lane waits for its own transfers in turn. */
	machine.devices[0].record.transfer.pinned_both = 1e10;
	machine.devices[0].record.transfer.pinned_in = 0.1e9;
	p = predicted(at, &raw);
	assert_close(p.rest_s, (SIZE - GROUP) / 0.1e9);
	machine.devices[0].record.transfer.pinned_in = 1e9;
	machine.devices[0].record.transfer.pinned_both = 0.8e9;
	/* Tags are computed there. */
	tagged.tags = true;
	p = predicted(at, &tagged);
	assert_close(p.stage_s[STAGE_KERNEL], SIZE * (kernel + 1 / 50e9));
	assert_true(p.stage_s[STAGE_TAG] == 0);
	set_plan("xts", 256);
	assert_true(predict_launch(&overlap, &thesis, &at->record, &suite, &shape, GROUP));
	p = predicted(at, &raw);
	assert_close(p.stage_s[STAGE_KERNEL], SIZE * (overlap.seconds + 2e-3) / GROUP);
	assert_close(p.start_s, slots(OPENCL_LANES + 4 + 2 - 1) * GROUP / 4e9 + 3 + 2 * 5);
}

/* A device that is the CPU takes the cores of everything else, and more memory. */
static void a_device_that_is_the_cpu(void **state)
{
	struct machine_device *at = &machine.devices[0];
	struct end_to_end p;

	(void)state;
	assert_int_equal(record_parse(&at->record, record_builtin("cpu"), "cpu"), GPUCRYPT_OK);
	at->record.transfer.pinned_in = at->record.transfer.pinned_out = 1e12;
	at->record.context_s = at->record.build_s = 0;
	p = predicted(at, &raw);
	assert_close(p.stage_s[STAGE_CORES],
	        p.stage_s[STAGE_KERNEL] + SIZE * (2e-12 + 4e-11 + 5e-10) / 4);
	assert_close(p.start_s,
	        (slots(OPENCL_CPU_LANES + 4 + 2 - 1) + OPENCL_CPU_LANES) * GROUP / 2e9);
}

/* From memory, on more cores than anyone needs. */
static struct end_to_end predicted_together(const struct part *parts, unsigned n_parts)
{
	const struct task task = { .n_bytes = SIZE };
	struct end_to_end p;

	assert_true(predict_together(&p, &machine, parts, n_parts, &suite, &plan, &task));
	assert_close(p.seconds, p.start_s + p.first_s + p.rest_s);
	return p;
}

static void two_devices_do_twice_as_much(void **state)
{
	struct part parts[2] = { { &machine.devices[0], shape, 0 },
		{ &machine.devices[1], shape, 0 } };
	struct end_to_end p, one;

	(void)state;
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
	/* Of unequal ones each does what it can, but no more is read than one memory gives. */
	machine.devices[1].record.transfer.pinned_both = 0.4e9;
	assert_close(predicted_together(parts, 2).rest_s, (SIZE - GROUP) / 1.2e9);
	machine.host.copy.all_threads = 1e9;
	p = predicted_together(parts, 2);
	assert_close(p.rest_s, (SIZE - GROUP) / 1e9);
	assert_int_equal(p.bottleneck, STAGE_READ);
}

/* Ten threads a device read where there are several, else eight. */
static void helpers_read_for_two_devices(void **state)
{
	struct part parts[2] = { { &machine.devices[0], shape, 0 },
		{ &machine.devices[1], shape, 0 } };

	(void)state;
	machine.devices[1] = machine.devices[0];
	machine.cpu_threads = plan.threads = 64;
	machine.host.copy = (struct pace){ 0.05e9, 100e9 };
	assert_close(predicted_together(parts, 2).rest_s, (SIZE - GROUP) / (20 * 0.05e9));
	assert_close(predicted_together(parts, 1).rest_s, (SIZE - GROUP) / (8 * 0.05e9));
}

static void threads_beside_a_device(void **state)
{
	struct part parts[2] = { { &machine.devices[0], shape, 0 }, { .threads = 1 } };
	struct end_to_end p;
	unsigned n_slots = (unsigned)slots(OPENCL_LANES + 1 + ALL_SPARE_SLOTS + 4 + 2 - 1);

	(void)state;
	machine.cpu_threads = 64;
	machine.host.cpu[1].all_threads = 32e9;
	p = predicted_together(parts, 2);
	assert_close(p.rest_s, (SIZE - GROUP) / 1.3e9);
	assert_close(p.first_s, GROUP * (0.5e-10 + 2e-9)); /* by the thread */
	assert_close(p.stage_s[STAGE_CPU], SIZE / 1.3e9);
	/* A slow one holds a slot while all the others go by once. */
	machine.host.cpu[1].one_thread = 1e6;
	p = predicted_together(parts, 2);
	n_slots = n_slots < SIZE / GROUP + 1 ? n_slots : SIZE / GROUP + 1;
	assert_close(p.rest_s, (SIZE - GROUP) * 1e-6 / n_slots);
	assert_int_equal(p.bottleneck, STAGE_CPU);
	/* On few cores it gets what the lanes, which may be waiting busily, and reading leave. */
	machine.cpu_threads = OPENCL_LANES;
	machine.host.cpu[1] = (struct cpu_speed){ "aes-256-ctr", 0.5e9, 0.5e9 * OPENCL_LANES };
	p = predicted_together(parts, 2);
	assert_true(p.rest_s < (SIZE - GROUP) / 0.8e9 && p.rest_s > (SIZE - GROUP) / 1.25e9);
}

/* The CPU alone while the device is opened, then the device alone. */
static void the_cpu_begins(void **state)
{
	struct part part = { &machine.devices[0], shape, 0 };
	struct task task = { .n_bytes = SIZE, .relays = true };
	struct record *record = &machine.devices[0].record;
	struct end_to_end waits, begins;
	double cpu_bytes_per_s;

	(void)state;
	plan.engine = "all";
	record->context_s = 0.1;
	record->build_s = 0;
	record->engine_s = 0.05;
	record->close_s = 0.25;
	machine.cpu_threads = 4;
	machine.host.cpu[1] = (struct cpu_speed){ "aes-256-ctr", 0.1e9, 0.4e9 };
	assert_true(predict_together(&begins, &machine, &part, 1, &suite, &plan, &task));
	task.relays = false;
	assert_true(predict_together(&waits, &machine, &part, 1, &suite, &plan, &task));
	assert_close(waits.end_s, 0.25);
	assert_close(waits.seconds, waits.start_s + waits.first_s + waits.rest_s + 0.25);
	assert_true(waits.bridge_s == 0 && waits.bridge_bytes == 0);
	assert_close(begins.start_s, waits.start_s - 0.15);
	assert_close(begins.bridge_s, 0.15);
	/* Who opens the device takes a core: 4 threads on 5. */
	cpu_bytes_per_s = (double)begins.bridge_bytes / 0.15;
	assert_true(cpu_bytes_per_s <= 0.8 * 0.4e9 && cpu_bytes_per_s > 0.5 * 0.4e9);
	assert_close(begins.seconds,
	        begins.start_s + 0.15 + begins.first_s + begins.rest_s + 0.25);
	assert_close(begins.rest_s / waits.rest_s,
	        (double)(SIZE - GROUP - begins.bridge_bytes) / (SIZE - GROUP));
	/* All of a short input: the device is waited for all the same. */
	task = (struct task){ .n_bytes = 1000, .relays = true };
	assert_true(predict_together(&begins, &machine, &part, 1, &suite, &plan, &task));
	assert_int_equal(begins.bridge_bytes, 1000);
	assert_true(begins.rest_s == 0);
	assert_close(begins.seconds, begins.start_s + 0.15 + 0.25);
	/* One engine that is not "all" is waited for. */
	plan.engine = "opencl";
	task.n_bytes = SIZE;
	assert_true(predict_together(&begins, &machine, &part, 1, &suite, &plan, &task));
	assert_true(begins.bridge_s == 0);
}

/* Of the built-in records' times the least. */
static void what_any_device_takes_to_start(void **state)
{
	static const char *const names[] = { "gtx280", "gtx580", "h200", "cpu" };
	double least = least_opencl_start_s();
	bool found = false;

	(void)state;
	for (size_t i = 0; i < N_OF(names); i++) {
		struct record r;
		assert_int_equal(
		        record_parse(&r, record_builtin(names[i]), names[i]), GPUCRYPT_OK);
		if (r.context_s + r.build_s <= 0)
			continue;
		assert_true(least <= r.context_s + r.build_s);
		found |= least == r.context_s + r.build_s;
	}
	assert_true(found);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_cpu_engine),
		TEST(tags_and_readers),
		TEST(the_output_is_synced),
		TEST(speeds_of_the_cpu),
		TEST(constant_time_on_the_cpu),
		TEST(the_device),
		TEST(a_device_that_is_the_cpu),
		TEST(two_devices_do_twice_as_much),
		TEST(helpers_read_for_two_devices),
		TEST(threads_beside_a_device),
		TEST(the_cpu_begins),
		TEST(what_any_device_takes_to_start),
	};

	return cmocka_run_group_tests_name("end to end", tests, NULL, NULL);
}
