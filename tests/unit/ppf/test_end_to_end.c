/* The end-to-end model's terms one by one, on a machine of round figures worked out by hand. */
#include "tests/unit/round_machine.h"

#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/container/group.h"

/* From storage to storage, without tags: reading is done by one thread. */
static const struct task raw = { .n_bytes = SIZE, .reads_storage = true, .writes_storage = true };

static struct end_to_end predicted(const struct machine_device *device, const struct task *task)
{
	struct end_to_end p;

	assert_true(predict_end_to_end(&p, &machine, &suite, plan_on(device), task));
	assert_close(p.seconds, p.start_s + p.first_s + p.rest_s + p.stage_s[STAGE_SYNC]);
	return p;
}

TEST(the_cpu_engine)
{
	struct end_to_end p = predicted(NULL, &raw);
	struct task small = raw;

	/* 4 threads could do 2e9, but all cores together do 1e9; they also read and write. */
	assert_close(p.stage_s[STAGE_CPU], SIZE / 1e9);
	assert_close(p.stage_s[STAGE_READ], SIZE / 40e9); /* by 4 threads */
	assert_close(p.stage_s[STAGE_WRITE], SIZE / 2e9);
	assert_close(p.stage_s[STAGE_CORES], SIZE * (4e-9 + 4e-11 + 5e-10) / 4);
	assert_int_equal(p.bottleneck, STAGE_CORES);
	assert_close(p.first_s, GROUP * (1e-10 + 2e-9 + 5e-10));
	assert_close(p.rest_s, (SIZE - GROUP) * 1.135e-9);
	/* Slots of the ring, new pages: 4 lanes, 4 readers, a writer, which has the last slot in hand,
	 * and 2 more. */
	assert_close(p.start_s, slots(4 + 4) * GROUP / 2e9);
	small.n_bytes = 1000;
	p = predicted(NULL, &small);
	assert_close(p.start_s, 1000 / 2e9);
	assert_true(p.rest_s == 0);
	plan.threads = 1;
	p = predicted(NULL, &raw);
	assert_close(p.stage_s[STAGE_CPU], SIZE / 0.5e9);
	plan.threads = 64;
	p = predicted(NULL, &(struct task){ .n_bytes = UINT64_C(1) << 40 });
	assert_close(p.start_s, slots(64 + 8) * GROUP / 2e9);
}

TEST(tags_and_readers)
{
	struct task task = raw;
	struct end_to_end p;

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

/* An update of which half has changed: image and container are read, the changed half twice; the readers check the old
 * tags at the 6e9 bytes/s of all cores; one half is written. */
TEST(an_update_of_a_container)
{
	struct task task = raw;
	struct end_to_end p;

	task.tags = task.update = true;
	task.changed = 0.5;
	machine.storage.sync = 2e9;
	machine.unsynced_bytes = UINT64_MAX;
	p = predicted(NULL, &task);
	assert_close(p.stage_s[STAGE_READ], SIZE * (2.5 / 40e9 + 1 / 6e9));
	assert_close(p.stage_s[STAGE_CPU], SIZE * 1.5 * (1 / 1e9 + 1 / 6e9));
	assert_close(p.stage_s[STAGE_WRITE], SIZE / 2 / 2e9);
	assert_close(p.stage_s[STAGE_SYNC], SIZE / 2 / 2e9);
	task.copies = true;
	p = predicted(NULL, &task);
	assert_close(p.stage_s[STAGE_WRITE], SIZE / 2e9);
	assert_close(p.stage_s[STAGE_SYNC], SIZE / 2e9);
	task.copies = false;
	machine.unsynced_bytes = SIZE / 4; /* less than what is written */
	p = predicted(NULL, &task);
	assert_close(p.stage_s[STAGE_SYNC], SIZE / 4 / 2e9);
	machine.unsynced_bytes = UINT64_MAX;
	task.changed = 0;
	p = predicted(NULL, &task);
	assert_close(p.stage_s[STAGE_READ], SIZE * (2 / 40e9 + 1 / 6e9));
	assert_close(p.stage_s[STAGE_CPU], SIZE * (1 / 1e9 + 1 / 6e9));
	assert_true(p.stage_s[STAGE_WRITE] == 0 && p.stage_s[STAGE_SYNC] == 0);
	task.tags = false; /* a LUKS volume */
	p = predicted(NULL, &task);
	assert_close(p.stage_s[STAGE_READ], SIZE * 2 / 40e9);
}

/* Bytes that are still in memory are synced at the end; slow storage has not finished by then either. */
TEST(the_output_is_synced)
{
	struct task task = raw;
	struct end_to_end p, unsynced = predicted(NULL, &raw);

	assert_true(unsynced.stage_s[STAGE_SYNC] == 0);
	machine.storage.sync = 2e9;
	machine.unsynced_bytes = UINT64_MAX;
	p = predicted(NULL, &task);
	assert_close(p.stage_s[STAGE_SYNC], SIZE / 2e9);
	assert_close(p.seconds, unsynced.seconds + SIZE / 2e9);
	assert_int_equal(p.bottleneck, STAGE_CORES);
	machine.unsynced_bytes = SIZE / 8;
	assert_close(predicted(NULL, &task).stage_s[STAGE_SYNC], SIZE / 8 / 2e9);
	machine.storage.sync = 1e8;
	p = predicted(NULL, &task);
	assert_close(p.seconds - p.start_s, SIZE / 1e8);
	assert_int_equal(p.bottleneck, STAGE_SYNC);
	task.writes_storage = false;
	assert_true(predicted(NULL, &task).stage_s[STAGE_SYNC] == 0);
}

/* Keys of 192 bits lie between the measured sizes, ECB costs as much as CTR, and XTS has its own speeds. */
TEST(speeds_of_the_cpu)
{
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
TEST(constant_time_on_the_cpu)
{
	static const struct cpu_speed camellia[] = { { "camellia-128-ctr", { 1e8, 2e8 } },
		{ "camellia-128-ctr-none", { 3e8, 6e8 } } };
	struct end_to_end p;
	bool bitsliced;

	memcpy(machine.host.cpu.of, camellia, sizeof(camellia));
	machine.host.cpu.n = N_OF(camellia);
	set_plan("ctr", 128);
	suite.cipher = &cipher_camellia;
	assert_close(predicted(NULL, &raw).stage_s[STAGE_CPU], SIZE / 2e8);
	plan.constant_time = true;
	bitsliced = cpu_code(&suite, true) == CODE_BITSLICED; /* else instructions, which are constant-time anyway */
	assert_close(predicted(NULL, &raw).stage_s[STAGE_CPU], SIZE / (bitsliced ? 6e8 : 2e8));
	machine.host.cpu.n = 1;
	assert_int_equal(predict_end_to_end(&p, &machine, &suite, plan_on(NULL), &raw), !bitsliced);
}

/* Each instruction form has its own speed in the record; the form that the engine chooses by itself has no suffix. */
TEST(a_named_form_of_the_cpu)
{
	static const struct {
		enum table_id id;
		double bytes_per_s; /* of all cores */
	} named[] = { { TABLE_VAES256, 0.4e9 }, { TABLE_AESNI, 0.2e9 }, { TABLE_ARMV8, 0.3e9 } };
	const struct instruction_form *form, *chosen = instruction_form_choose(suite.cipher);

	machine.host.cpu.of[4] = (struct cpu_speed){ "aes-256-ctr-vaes256", { 0.25e9, 0.4e9 } };
	machine.host.cpu.of[5] = (struct cpu_speed){ "aes-256-ctr-aesni", { 0.125e9, 0.2e9 } };
	machine.host.cpu.of[6] = (struct cpu_speed){ "aes-256-ctr-armv8", { 0.2e9, 0.3e9 } };
	machine.host.cpu.n = 7;
	for (size_t i = 0; i < N_OF(named); i++) {
		form = instruction_form_by_id(suite.cipher, named[i].id);
		if (form == NULL || form == chosen)
			continue; /* of another architecture, or measured without a name */
		plan.kernel.table = named[i].id;
		assert_close(predicted(NULL, &raw).stage_s[STAGE_CPU], SIZE / named[i].bytes_per_s);
	}
	plan.kernel.table = TABLE_OPEN;
	assert_close(predicted(NULL, &raw).stage_s[STAGE_CPU], SIZE / 1e9);
}

TEST(the_device)
{
	struct machine_device *at = &machine.devices[0];
	struct overlap_prediction overlap;
	struct thesis_prediction thesis;
	struct task tagged = raw;
	struct end_to_end p;
	double kernel_s;

	assert_true(predict_launch(&overlap, &thesis, &at->record, &suite, &kernel, GROUP));
	kernel_s = (overlap.seconds + 1e-3) / GROUP;
	p = predicted(at, &raw);
	assert_close(p.stage_s[STAGE_KERNEL], SIZE * kernel_s);
	/* Both ways at once, over a bus that no core has to wait for. */
	assert_close(p.stage_s[STAGE_IN], SIZE / 0.8e9);
	assert_close(p.stage_s[STAGE_OUT], SIZE / 0.8e9);
	assert_close(p.stage_s[STAGE_CORES], SIZE * (4e-11 + 5e-10) / 4);
	assert_close(p.rest_s, (SIZE - GROUP) / 0.8e9);
	assert_int_equal(p.bottleneck, STAGE_IN);
	assert_close(p.start_s, buffers(OPENCL_LANES, 4) * GROUP / 4e9 + 3 + 5);
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
	assert_close(p.stage_s[STAGE_KERNEL], SIZE * (kernel_s + 1 / 50e9));
	assert_true(p.stage_s[STAGE_TAG] == 0);
	set_plan("xts", 256);
	assert_true(predict_launch(&overlap, &thesis, &at->record, &suite, &kernel, GROUP));
	p = predicted(at, &raw);
	assert_close(p.stage_s[STAGE_KERNEL], SIZE * (overlap.seconds + 2e-3) / GROUP);
	assert_close(p.start_s, buffers(OPENCL_LANES, 4) * GROUP / 4e9 + 3 + 2 * 5);
}

/* A device that is the CPU takes the cores of everything else, and more memory. */
TEST(a_device_that_is_the_cpu)
{
	struct machine_device *at = &machine.devices[0];
	struct end_to_end p;

	assert_ok(device_record_parse(&at->record, records_builtin("cpu"), "cpu"));
	at->record.transfer.pinned_in = at->record.transfer.pinned_out = 1e12;
	at->record.context_s = at->record.build_s = 0;
	p = predicted(at, &raw);
	assert_close(p.stage_s[STAGE_CORES], p.stage_s[STAGE_KERNEL] + SIZE * (2e-12 + 4e-11 + 5e-10) / 4);
	assert_close(p.start_s, buffers(OPENCL_CPU_LANES, 4) * GROUP / 2e9);
}
