/* The rows that are measured from memory to memory, with their predictions. */
#include <unistd.h>

#include "cli/bench/bench_rows.h"
#include "gpucrypt/status.h"

#define GPU_BYTES (UINT64_C(8) << 30) /* at most a quarter of the memory, which holds the containers */
#define CPU_BYTES (UINT64_C(1) << 30)

/* The input's size, which is the same in all rows. */
static uint64_t row_bytes(const struct selection *selection)
{
	uint64_t quarter = (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t most = machine_has_gpu(selection->machine) ? GPU_BYTES : CPU_BYTES;

	if (selection->options->size_bytes)
		return selection->options->size_bytes;
	return quarter < most ? quarter >> 20 << 20 : most;
}

/* Set the predicted time without start and end, and the bottleneck. */
static void predict_steady(struct bench_pipeline *row, const struct choice *choice)
{
	const struct end_to_end *predicted = &choice->end_to_end;

	if (!choice->predicted)
		return;
	row->bottleneck = stage_names[predicted->bottleneck];
	row->predicted_s = predicted->seconds - predicted->start_s - predicted->end_s;
}

/* Complete the plan of an engine, and add its row.  An engine that cannot be used becomes a note instead. */
static int add_row(const struct selection *selection, const struct gpucrypt_plan *plan, enum direction direction)
{
	struct bench *bench = selection->bench;
	struct bench_pipeline *row = &bench->memory[bench->n_memory];
	const struct task task = { .n_bytes = row_bytes(selection), .tags = true, .direction = direction };
	struct choice choice;
	int status = choose(&choice, selection->machine, plan, &task, true);

	if (status == GPUCRYPT_DEVICE) {
		bench_note(bench, gpucrypt_error());
		fail_clear();
		return GPUCRYPT_OK;
	}
	/* A hybrid of one engine gets no row, because this engine has its own row. */
	if (status != GPUCRYPT_OK || (plan->engine == GPUCRYPT_HYBRID && choice.n_parts == 0))
		return status;
	*row = (struct bench_pipeline){ .suite = choice.suite, .plan = choice.plan, .n_bytes = task.n_bytes };
	row->plan.device = choice.device ? choice.plan.device : 0;
	predict_steady(row, &choice);
	bench->n_memory++;
	return GPUCRYPT_OK;
}

/* Add the rows of the CPU and of each requested device, or the row of the hybrid engine. */
static int add_engines(const struct selection *selection, const struct suite *suite, enum direction direction)
{
	struct gpucrypt_plan plan = *selection->wanted;
	int status = GPUCRYPT_OK;

	plan.cipher = suite->cipher->id;
	plan.key_bits = 8 * suite->key_bytes;
	plan.mode = suite->mode->id;
	plan.engine = GPUCRYPT_CPU;
	plan.device = 0;
	if (selection->cpu)
		status = add_row(selection, &plan, direction);
	plan.engine = GPUCRYPT_OPENCL;
	for (unsigned i = 0; i < selection->machine->n_devices && status == GPUCRYPT_OK; i++) {
		plan.device = 1 + i;
		if (bench_is_wanted(selection, i))
			status = add_row(selection, &plan, direction);
	}
	plan.engine = GPUCRYPT_HYBRID;
	plan.device = selection->wanted->device;
	if (status == GPUCRYPT_OK && selection->all)
		status = add_row(selection, &plan, direction);
	return status;
}

int bench_add_memory(const struct selection *selection, const struct suite *suite)
{
	return add_engines(selection, suite, ENCRYPT) ?: add_engines(selection, suite, DECRYPT);
}
