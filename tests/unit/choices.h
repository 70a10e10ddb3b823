/* The chooser's results on two machines, for tests. */
#ifndef TESTS_UNIT_CHOICES_H
#define TESTS_UNIT_CHOICES_H

#include <stdbool.h>
#include <string.h>

#include "ppf/model/choose.h"
#include "tests/unit/cache_folder.h"
#include "tests/unit/h200_machine.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* 16 cores and an H200; the cores alone; 32 cores and two of them. */
static struct machine with_gpu, without, with_two;

void program_set_up(void)
{
	struct machine *machine = h200_machine();

	make_cache_folder();
	with_gpu = without = *machine;
	without.n_devices = 0;
	strcpy(without.failure, "no platform");
	with_two = *machine;
	with_two.devices[with_two.n_devices++] = machine->devices[0];
	with_two.cpu_threads *= 2;
	with_two.host.copy.all_threads *= 2;
}

void program_tear_down(void)
{
	remove_cache_folder();
}

static inline struct task task_of(uint64_t n_bytes)
{
	return (struct task){ .n_bytes = n_bytes, .tags = true };
}

static inline struct choice chosen(const struct machine *machine, const struct gpucrypt_plan *wanted, uint64_t n_bytes)
{
	const struct task task = task_of(n_bytes);
	struct choice choice;

	choose(&choice, machine, wanted, &task, false);
	assert_string_equal(gpucrypt_error(), "");
	assert_true(choice.predicted);
	return choice;
}

static inline bool uses_cpu(const struct choice *choice)
{
	return choice->device == NULL && choice->plan.engine == GPUCRYPT_CPU;
}

static inline void set_cpu(struct machine *machine, const char *suite, double bytes_per_s)
{
	struct cpu_speeds *cpu = &machine->host.cpu;

	for (unsigned i = 0; i < cpu->n; i++)
		if (strcmp(cpu->of[i].suite, suite) == 0)
			cpu->of[i].pace.one_thread = bytes_per_s,
			cpu->of[i].pace.all_threads = machine->cpu_threads * bytes_per_s;
}

/* Every field that an OpenCL engine uses. */
static inline void assert_complete(const struct choice *choice)
{
	const struct gpucrypt_plan *plan = &choice->plan;
	struct kernel_config kernel;

	assert_int_equal(plan->engine, GPUCRYPT_OPENCL);
	assert_true(plan->cipher && plan->mode && plan->kernel.table && plan->kernel.table_space);
	assert_true(
	        plan->kernel.key_space && plan->kernel.replicas && plan->kernel.work_items && plan->kernel.work_groups);
	assert_true(plan->device && plan->key_bits && plan->threads && plan->chunk_log2);
	assert_true(plan->group_log2);
	assert_ok(kernel_config_complete(&kernel, &choice->suite, plan, &choice->device->device));
	assert_int_equal(kernel.work_groups, plan->kernel.work_groups);
	assert_true(choice->overlap.seconds > 0 && choice->thesis.total_sa > 0);
}

#endif
