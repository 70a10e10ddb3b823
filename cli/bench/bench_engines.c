/* Engines, sizes and predictions of all rows that run through the whole pipeline. */
#include <unistd.h>

#include "cli/bench/bench_rows.h"
#include "gpucrypt/status.h"

#define GPU_BYTES (UINT64_C(8) << 30) /* or a quarter of the memory: containers lie there */
#define CPU_BYTES (UINT64_C(1) << 30)

uint64_t bench_default_bytes(const struct selection *selection)
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

bool bench_choose(int *status, struct bench_pipeline *row, const struct selection *selection,
        const struct gpucrypt_plan *plan, const struct task *task)
{
	struct choice choice;

	*status = choose(&choice, selection->machine, plan, task, true);
	if (*status == GPUCRYPT_DEVICE) {
		bench_note(selection->bench, gpucrypt_error());
		fail_clear();
		*status = GPUCRYPT_OK;
		return false;
	}
	/* One that is alone has a row as such. */
	if (*status != GPUCRYPT_OK || (plan->engine == GPUCRYPT_HYBRID && choice.n_parts == 0))
		return false;
	*row = (struct bench_pipeline){ .suite = choice.suite, .plan = choice.plan, .n_bytes = task->n_bytes };
	row->plan.device = choice.device ? choice.plan.device : 0;
	predict_steady(row, &choice);
	return true;
}

int bench_each_engine(const struct selection *selection, const struct suite *suite, bench_add *add)
{
	const struct machine *machine = selection->machine;
	struct gpucrypt_plan plan = *selection->wanted;
	int status = GPUCRYPT_OK;

	plan.cipher = suite->cipher->id;
	plan.key_bits = 8 * suite->key_bytes;
	plan.mode = suite->mode->id;
	plan.engine = GPUCRYPT_CPU;
	plan.device = 0;
	if (selection->cpu)
		status = add(selection, suite, &plan);
	plan.engine = GPUCRYPT_OPENCL;
	for (unsigned i = 0; i < machine->n_devices && status == GPUCRYPT_OK; i++) {
		plan.device = 1 + i;
		if (bench_is_wanted(selection, i))
			status = add(selection, suite, &plan);
	}
	plan.engine = GPUCRYPT_HYBRID;
	plan.device = selection->wanted->device;
	if (status == GPUCRYPT_OK && selection->all)
		status = add(selection, suite, &plan);
	return status;
}
