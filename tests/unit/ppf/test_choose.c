/* The chooser on machines made from built-in records: chosen, kept and rejected plans. */
#include "tests/unit/choices.h"

#include <stdio.h>
#include <stdlib.h>

static void assert_refused(
        const struct machine *machine, const struct gpucrypt_plan *wanted, int status, const char *words)
{
	const struct task task = task_of(GIB);
	struct choice choice;

	fail_clear();
	assert_int_equal(choose(&choice, machine, wanted, &task, false), status);
	if (strstr(gpucrypt_error(), words) == NULL)
		assert_string_equal(gpucrypt_error(), words);
}

TEST(small_files_go_to_the_cpu)
{
	const struct gpucrypt_plan open = { 0 }, camellia = { .cipher = GPUCRYPT_CAMELLIA };
	struct choice choice = chosen(&with_gpu, &open, MIB);

	assert_true(uses_cpu(&choice));
	assert_int_equal(choice.plan.cipher, GPUCRYPT_AES);
	assert_int_equal(choice.plan.mode, GPUCRYPT_CTR);
	assert_int_equal(choice.plan.key_bits, 256);
	choice = chosen(&with_gpu, &camellia, MIB);
	assert_true(uses_cpu(&choice));
	choice = chosen(&with_gpu, &open, 0);
	assert_true(uses_cpu(&choice));
}

/* Camellia at 1.7 GB/s on 16 cores: the GPU wins, and the program names by how much. */
TEST(large_files_of_slow_ciphers_go_to_the_gpu)
{
	const struct gpucrypt_plan wanted = { .cipher = GPUCRYPT_CAMELLIA };
	struct choice choice = chosen(&with_gpu, &wanted, 10 * GIB);

	assert_complete(&choice);
	assert_ptr_equal(choice.device, &with_gpu.devices[0]);
	assert_true(choice.plan.or_cpu);
	assert_non_null(strstr(choice.why, "camellia on CPU"));
	assert_non_null(strstr(choice.why, "camellia on OpenCL 0"));
	choice = chosen(&without, &wanted, 10 * GIB);
	assert_true(uses_cpu(&choice));
}

/* An unknown length is taken for UNKNOWN_SIZE_BYTES. */
TEST(a_pipe_is_predicted_too)
{
	const struct gpucrypt_plan wanted = { .cipher = GPUCRYPT_CAMELLIA };
	struct choice pipe = chosen(&with_gpu, &wanted, UINT64_MAX),
	              known = chosen(&with_gpu, &wanted, UNKNOWN_SIZE_BYTES);

	assert_ptr_equal(pipe.device, known.device);
	assert_true(pipe.end_to_end.stage_s[STAGE_READ] >= known.end_to_end.stage_s[STAGE_READ]);
	assert_true(pipe.n_bytes == UNKNOWN_SIZE_BYTES);
}

TEST(what_is_wanted_stays)
{
	static const struct gpucrypt_plan wants[] = { { .kernel.table = TABLE_1 }, { .kernel.replicas = 2 },
		{ .kernel.replicas = 1 }, { .kernel.key_space = MEMORY_CONSTANT }, { .kernel.key_space = MEMORY_LOCAL },
		{ .kernel.table_space = MEMORY_GLOBAL }, { .kernel.table_space = MEMORY_CONSTANT },
		{ .kernel.work_items = 96 }, { .kernel.work_groups = 17 }, { .device = 1 }, { .key_bits = 192 },
		{ .mode = GPUCRYPT_XTS }, { .threads = 3 }, { .group_log2 = 20 }, { .chunk_log2 = 14 } };

	for (size_t i = 0; i < N_OF(wants); i++) {
		struct gpucrypt_plan w = wants[i];
		const struct gpucrypt_plan *got;
		struct choice choice;
		w.cipher = GPUCRYPT_CAMELLIA;
		w.engine = GPUCRYPT_OPENCL;
		choice = chosen(&with_gpu, &w, 10 * GIB);
		got = &choice.plan;
		assert_complete(&choice);
		assert_false(got->or_cpu);
		assert_true(!w.kernel.table || w.kernel.table == got->kernel.table);
		assert_true(!w.kernel.key_space || w.kernel.key_space == got->kernel.key_space);
		assert_true(!w.kernel.table_space || w.kernel.table_space == got->kernel.table_space);
		assert_true(!w.mode || w.mode == got->mode);
		assert_true(!w.kernel.replicas || w.kernel.replicas == got->kernel.replicas);
		assert_true(!w.kernel.work_items || w.kernel.work_items == got->kernel.work_items);
		assert_true(!w.kernel.work_groups || w.kernel.work_groups == got->kernel.work_groups);
		assert_true(!w.key_bits || w.key_bits == got->key_bits);
		assert_true(!w.threads || w.threads == got->threads);
		assert_true(!w.group_log2 || w.group_log2 == got->group_log2);
		assert_true(!w.chunk_log2 || w.chunk_log2 == got->chunk_log2);
	}
}

TEST(a_named_engine_is_used_whatever_it_costs)
{
	const struct gpucrypt_plan opencl = { .engine = GPUCRYPT_OPENCL },
	                           cpu = { .engine = GPUCRYPT_CPU, .cipher = GPUCRYPT_CAMELLIA },
	                           device = { .device = 1 };
	struct choice choice = chosen(&with_gpu, &opencl, MIB);

	assert_complete(&choice);
	assert_false(choice.plan.or_cpu);
	choice = chosen(&with_gpu, &device, MIB);
	assert_complete(&choice);
	assert_false(choice.plan.or_cpu);
	choice = chosen(&with_gpu, &cpu, 100 * GIB);
	assert_true(uses_cpu(&choice));
}

/* Predicted candidates precede unpredicted ones, in any order of input. */
TEST(an_engine_without_figures_is_the_last)
{
	const struct gpucrypt_plan wanted = { .cipher = GPUCRYPT_CAMELLIA };
	static struct machine m;
	struct choice choice;

	m = with_gpu;
	m.devices[0].record.global_bytes_per_s = 0;
	choice = chosen(&m, &wanted, 10 * GIB);
	assert_true(uses_cpu(&choice));
	assert_non_null(strstr(choice.why, "OpenCL 0: no prediction"));
	m = with_gpu;
	m.host.cpu.n = 0;
	choice = chosen(&m, &wanted, MIB);
	assert_ptr_equal(choice.device, &m.devices[0]);
	assert_non_null(strstr(choice.why, "CPU: no prediction"));
}

TEST(what_cannot_work_is_refused)
{
	static struct machine broken;
	const struct gpucrypt_plan opencl = { .engine = GPUCRYPT_OPENCL }, eighth = { .device = 8 },
	                           three = { .kernel.replicas = 3 }, form = { .kernel.table = N_TABLES },
	                           cipher = { .cipher = 99 }, mode = { .mode = 99 }, bits = { .key_bits = 40 },
	                           group = { .group_log2 = 11 },
	                           large = { .engine = GPUCRYPT_OPENCL, .kernel.replicas = 1024 },
	                           items = { .device = 1, .kernel.work_items = 4096 }, key = { .kernel.key_space = 99 };

	assert_refused(&without, &opencl, GPUCRYPT_DEVICE, "no platform");
	assert_refused(&with_gpu, &eighth, GPUCRYPT_DEVICE, "not found (this machine has 1)");
	assert_refused(&with_gpu, &three, GPUCRYPT_USAGE, "3 table replicas");
	assert_refused(&with_gpu, &form, GPUCRYPT_USAGE, "has no table form");
	assert_refused(&with_gpu, &cipher, GPUCRYPT_USAGE, "unknown cipher number 99");
	assert_refused(&with_gpu, &mode, GPUCRYPT_USAGE, "unknown mode number 99");
	assert_refused(&with_gpu, &bits, GPUCRYPT_USAGE, "40 bits");
	assert_refused(&with_gpu, &group, GPUCRYPT_USAGE, "2^11 bytes");
	assert_refused(&with_gpu, &large, GPUCRYPT_DEVICE, "local memory has 49152");
	assert_refused(&with_gpu, &items, GPUCRYPT_USAGE, "allows 1024");
	assert_refused(&with_gpu, &key, GPUCRYPT_USAGE, "unknown key space number 99");
	broken = with_gpu;
	snprintf(broken.devices[0].device.unusable, 160, "it is older");
	assert_refused(&broken, &opencl, GPUCRYPT_DEVICE, "it is older");
}

/* A table form that only SC2000 has leaves nothing of "auto" but SC2000, where that is allowed. */
TEST(sc2000_is_taken_only_when_allowed)
{
	const struct gpucrypt_plan form = { .kernel.table = TABLE_11_10_11 }, open = { 0 };
	const struct task task = task_of(GIB);
	static struct machine fast;
	struct choice choice;

	assert_refused(&with_gpu, &form, GPUCRYPT_USAGE, "no table form '11,10,11'");
	assert_ok(choose(&choice, &with_gpu, &form, &task, true));
	assert_int_equal(choice.plan.cipher, GPUCRYPT_SC2000);
	fast = without;
	for (unsigned i = 0; i < fast.host.cpu.n; i++)
		if (strcmp(fast.host.cpu.of[i].suite, "sc2000-256-ctr") != 0)
			fast.host.cpu.of[i].pace.one_thread = fast.host.cpu.of[i].pace.all_threads = 1e6;
	assert_ok(choose(&choice, &fast, &open, &task, false));
	assert_int_equal(choice.plan.cipher, GPUCRYPT_AES);
	assert_ok(choose(&choice, &fast, &open, &task, true));
	assert_int_equal(choice.plan.cipher, GPUCRYPT_SC2000);
}

TEST(aes_is_preferred_within_five_per_cent)
{
	const struct gpucrypt_plan open = { 0 };
	static struct machine m;
	struct choice choice;

	m = without;
	set_cpu(&m, "aes-256-ctr", 1e6);
	set_cpu(&m, "camellia-256-ctr", 1.03e6);
	choice = chosen(&m, &open, GIB);
	assert_int_equal(choice.plan.cipher, GPUCRYPT_AES);
	assert_non_null(strstr(choice.why, "5 %"));
	set_cpu(&m, "camellia-256-ctr", 1.1e6);
	choice = chosen(&m, &open, GIB);
	assert_int_equal(choice.plan.cipher, GPUCRYPT_CAMELLIA);
	assert_null(strstr(choice.why, "5 %"));
}

/* Building bitsliced kernels takes seconds. On a CPU this is too long for a short input, unless the kernels are cached
 * or were requested. */
TEST(slices_are_built_where_they_pay)
{
	const struct gpucrypt_plan opencl = { .engine = GPUCRYPT_OPENCL, .cipher = GPUCRYPT_CAMELLIA };
	struct gpucrypt_plan constant = opencl, table = opencl;
	struct machine machine = with_gpu;
	struct machine_device *at = &machine.devices[0];
	struct choice small, large;

	assert_ok(device_record_parse(&at->record, records_builtin("cpu"), "cpu"));
	assert_true(at->record.build_sliced_s > at->record.build_s);
	at->device = (struct device){ .name = "a CPU",
		.vendor = "v",
		.driver = "d",
		.cpu = true,
		.compute_units = 2,
		.max_work_items = 4096,
		.vector_words = 16,
		.local_bytes = 1 << 20,
		.constant_bytes = 1 << 20,
		.global_bytes = 8 * GIB,
		.max_buffer_bytes = 2 * GIB };
	small = chosen(&machine, &opencl, MIB);
	large = chosen(&machine, &opencl, 16 * GIB);
	assert_int_not_equal(small.plan.kernel.table, TABLE_BITSLICED);
	assert_int_equal(large.plan.kernel.table, TABLE_BITSLICED);
	constant.constant_time = true;
	assert_int_equal(chosen(&machine, &constant, MIB).plan.kernel.table, TABLE_BITSLICED);
	table.kernel.table = TABLE_BITSLICED;
	assert_int_equal(chosen(&machine, &table, MIB).plan.kernel.table, TABLE_BITSLICED);
	setenv("XDG_CACHE_HOME", "/dev/null", 1); /* nothing is kept */
	built_keep(&machine.built, &at->device, &large.suite, &large.plan.kernel);
	assert_int_equal(chosen(&machine, &opencl, MIB).plan.kernel.table, TABLE_BITSLICED);
}
