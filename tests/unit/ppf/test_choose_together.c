/* The chooser where several engines can take part. */
#include "tests/unit/choices.h"

#include <string.h>

/* A cipher that is slow on the CPU would only hold two GPUs up. */
TEST(two_gpus_work_together)
{
	const struct gpucrypt_plan open = { .cipher = GPUCRYPT_CAMELLIA },
	                           all = { .cipher = GPUCRYPT_CAMELLIA, .engine = GPUCRYPT_HYBRID },
	                           one = { .cipher = GPUCRYPT_CAMELLIA, .device = 2 };
	struct choice choice = chosen(&with_two, &open, 1000 * GIB), again;
	struct task task = task_of(10 * GIB);
	struct machine broken = with_two;
	char text[ENGINE_TEXT];

	assert_int_equal(choice.plan.n_parts, 2);
	choice = chosen(&with_two, &all, 1000 * GIB);
	assert_int_equal(choice.plan.engine, GPUCRYPT_HYBRID);
	assert_int_equal(choice.plan.n_parts, 2);
	assert_int_equal(choice.plan.parts[0].device, 1);
	assert_int_equal(choice.plan.parts[1].device, 2);
	assert_true(choice.plan.parts[1].kernel.table && choice.plan.parts[1].kernel.work_groups);
	assert_non_null(strstr(choice.why, "camellia on all"));
	choice_describe(text, &choice, &with_two);
	assert_non_null(strstr(text, "2 × (OpenCL, NVIDIA H200, "));
	choice = chosen(&with_two, &open, 10 * GIB);
	assert_int_equal(choice.plan.n_parts, 2);
	choice = chosen(&with_two, &all, 10 * GIB);
	assert_int_equal(choice.plan.n_parts, 2);
	assert_false(choice.plan.or_cpu);
	again = chosen(&with_two, &choice.plan, MIB); /* the earlier choice is kept */
	assert_int_equal(again.plan.n_parts, 2);
	assert_memory_equal(&again.plan.parts, &choice.plan.parts, sizeof choice.plan.parts);
	choice = chosen(&with_two, &one, 1000 * GIB);
	assert_ptr_equal(choice.device, &with_two.devices[1]);
	assert_int_equal(choice.plan.n_parts, 0);
	task.tags = false; /* raw */
	assert_ok(choose(&choice, &with_two, &all, &task, false));
	assert_int_equal(choice.plan.n_parts, 2);
	strcpy(broken.devices[1].device.unusable, "broken");
	choice = chosen(&broken, &all, 10 * GIB);
	assert_ptr_equal(choice.device, &broken.devices[0]);
}

TEST(all_is_who_is_worth_it)
{
	const struct gpucrypt_plan aes = { .cipher = GPUCRYPT_AES, .engine = GPUCRYPT_HYBRID },
	                           camellia = { .cipher = GPUCRYPT_CAMELLIA, .engine = GPUCRYPT_HYBRID },
	                           three = { .engine = GPUCRYPT_HYBRID, .threads = 3 };
	static struct machine many;
	struct choice choice = chosen(&without, &camellia, 10 * GIB);

	assert_true(uses_cpu(&choice));
	choice = chosen(&with_gpu, &camellia, 10 * GIB);
	assert_complete(&choice);
	assert_int_equal(choice.plan.n_parts, 0);
	choice = chosen(&with_gpu, &three, MIB); /* as asked for */
	assert_int_equal(choice.plan.n_parts, 2);
	assert_int_equal(choice.plan.parts[1].threads, 3);
	many = with_gpu; /* the speed of a bus, plus half of it from idle threads */
	many.cpu_threads = 32;
	many.host.copy.all_threads = 1e12;
	set_cpu(&many, "aes-256-ctr", 1e9);
	many.host.tag.all_threads = 32 * many.host.tag.one_thread;
	choice = chosen(&many, &aes, 1000 * GIB);
	assert_int_equal(choice.plan.n_parts, 2);
	assert_true(choice.plan.parts[1].threads >= 8);
	/* Without figures the devices, and threads where the library would take them. */
	many.devices[0].record.global_bytes_per_s = 0;
	assert_ok(choose(&choice, &many, &aes, &(struct task){ .n_bytes = GIB }, false));
	assert_false(choice.predicted);
	assert_int_equal(choice.plan.n_parts, 2);
}
