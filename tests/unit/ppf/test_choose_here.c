/* The chooser on this machine: its use of OpenCL, its messages, and the plan that it returns. */
#include "tests/unit/choices.h"

#include <math.h>

#include "gpucrypt/engine/opencl/engine_opencl.h"

/* A program that was built before is not built again. */
TEST(a_second_run_starts_sooner)
{
	const struct gpucrypt_plan wanted = { .engine = GPUCRYPT_OPENCL };
	static struct machine m;
	struct choice first, second;

	m = with_gpu;
	first = chosen(&m, &wanted, GIB);
	choice_ran(&first, &m, true);
	second = chosen(&m, &wanted, GIB);
	assert_float_equal(first.end_to_end.start_s - second.end_to_end.start_s, m.devices[0].record.build_s, 1e-6);
}

/* OpenCL is asked only by those whom the CPU serves badly. */
TEST(small_files_do_not_touch_opencl)
{
	const struct gpucrypt_plan open = { 0 }, cpu = { .engine = GPUCRYPT_CPU, .cipher = GPUCRYPT_SC2000 };
	const struct task small = task_of(MIB), large = task_of(1000 * GIB);
	struct machine *machine = NULL;
	struct choice choice;

	assert_ok(choose_here(&choice, &machine, &open, &small, false));
	assert_true(uses_cpu(&choice));
	assert_non_null(strstr(choice.why, "to start"));
	assert_false(machine->asked);
	assert_ok(choose_here(&choice, &machine, &cpu, &large, false));
	assert_false(machine->asked);
	assert_ok(choose_here(&choice, &machine, &open, &large, false));
	assert_true(machine->asked);
	free(machine);
}

/* The opened engine's description equals the announced one. If the device has disappeared, the CPU replaces it only
 * where the model chose the device. */
TEST(the_engine_is_the_one_announced)
{
	const struct gpucrypt_plan wants[] = { { .engine = GPUCRYPT_CPU, .threads = 2 },
		{ .engine = GPUCRYPT_OPENCL } };
	const struct task task = task_of(GIB);
	static struct machine machine;
	struct engine *engine = NULL;
	struct choice c;
	char text[160];

	machine_take(&machine);
	for (size_t i = 0; i < N_OF(wants); i++) {
		if (choose(&c, &machine, &wants[i], &task, false) != GPUCRYPT_OK)
			continue; /* there is no OpenCL here */
		if (engine_open(&engine, &c.suite, &c.plan) != GPUCRYPT_OK)
			print_error("%s\n", gpucrypt_error());
		assert_non_null(engine);
		if (c.device != NULL)
			opencl_describe(text, sizeof(text), &c.device->device, &c.plan.kernel);
		else
			cpu_describe(text, sizeof(text), &c.suite, &c.plan, c.plan.threads);
		assert_string_equal(engine->description, text);
		engine_close(engine);
	}
	assert_ok(choose(&c, &machine, &wants[0], &task, false));
	c.plan = (struct gpucrypt_plan){ .engine = GPUCRYPT_OPENCL, .device = 99, .or_cpu = true };
	assert_ok(engine_open(&engine, &c.suite, &c.plan));
	assert_ptr_equal(engine->class, &engine_cpu);
	assert_non_null(strstr(engine->note, "using the CPU"));
	engine_close(engine);
	c.plan.or_cpu = false;
	assert_status(engine_open(&engine, &c.suite, &c.plan), GPUCRYPT_DEVICE);
}
