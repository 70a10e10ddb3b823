/* What is measured from memory to memory. */
#include <unistd.h>

#include "bench_rows.h"
#include "gpucrypt/status.h"

#define GPU_BYTES (UINT64_C(8) << 30) /* or a quarter of the memory: containers lie there */
#define CPU_BYTES (UINT64_C(1) << 30)

static uint64_t default_bytes(bool gpu)
{
	uint64_t quarter = (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 * (uint64_t)sysconf(_SC_PAGESIZE);

	uint64_t most = gpu ? GPU_BYTES : CPU_BYTES;

	return quarter < most ? quarter >> 20 << 20 : most;
}

static int add_memory_row(const struct selection *selection, const struct suite *suite,
        const struct gpucrypt_plan *plan, enum direction direction, bool gpu)
{
	const struct options *options = selection->options;
	struct bench *bench = selection->bench;
	struct bench_memory *row = &bench->memory[bench->n_memory];
	const struct task task = { .n_bytes = options->size_bytes ? options->size_bytes
		                                                  : default_bytes(gpu),
		.tags = true,
		.relays = true,
		.direction = direction };
	struct choice choice;
	int status = choose(&choice, selection->machine, plan, &task, true);

	if (status == GPUCRYPT_DEVICE) {
		bench_note(bench, gpucrypt_error());
		fail_clear();
		return GPUCRYPT_OK;
	}
	if (status != GPUCRYPT_OK)
		return status;
	if (plan->engine == engine_all.name && choice.n_parts == 0) /* one has a row already */
		return GPUCRYPT_OK;
	*row = (struct bench_memory){
		.suite = *suite, .plan = choice.plan, .n_bytes = task.n_bytes
	};
	row->suite.direction = direction;
	row->plan.device = choice.device ? choice.plan.device : 0;
	if (choice.predicted && choice.n_parts == 0) { /* else the CPU works before the devices do */
		row->predicted_s = choice.end_to_end.seconds - choice.end_to_end.start_s -
		                   choice.end_to_end.end_s;
		row->bottleneck = stage_names[choice.end_to_end.bottleneck];
	}
	bench->n_memory++;
	return GPUCRYPT_OK;
}

static int add_direction(
        const struct selection *selection, const struct suite *suite, enum direction direction)
{
	const struct machine *machine = selection->machine;
	struct gpucrypt_plan plan = *selection->wanted;
	bool gpu = machine_has_gpu(machine);
	int status = GPUCRYPT_OK;

	plan.cipher = suite->cipher->name;
	plan.key_bits = 8 * suite->key_bytes;
	plan.mode = suite->mode->name;
	plan.engine = engine_cpu.name;
	plan.device = 0;
	if (selection->cpu)
		status = add_memory_row(selection, suite, &plan, direction, gpu);
	plan.engine = engine_opencl.name;
	for (unsigned i = 0; i < machine->n_devices && status == GPUCRYPT_OK; i++) {
		plan.device = 1 + i;
		if (bench_is_wanted(selection, i))
			status = add_memory_row(selection, suite, &plan, direction, gpu);
	}
	plan.engine = engine_all.name;
	plan.device = selection->wanted->device;
	if (status == GPUCRYPT_OK && selection->all)
		status = add_memory_row(selection, suite, &plan, direction, gpu);
	return status;
}

int bench_add_memory(const struct selection *selection, const struct suite *suite)
{
	int status = add_direction(selection, suite, ENCRYPT);

	return status == GPUCRYPT_OK ? add_direction(selection, suite, DECRYPT) : status;
}
