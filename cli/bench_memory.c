/* What is measured from memory to memory. */
#include "bench_rows.h"
#include "gpucrypt/status.h"

static int add_row(const struct selection *selection, const struct suite *suite,
        const struct gpucrypt_plan *plan)
{
	struct bench *bench = selection->bench;
	struct bench_memory *row = &bench->memory[bench->n_memory];
	const struct task task = { .n_bytes = bench_default_bytes(selection),
		.tags = true,
		.relays = true,
		.direction = suite->direction };
	struct choice choice;
	int status;

	if (!bench_choose(&status, &choice, selection, plan, &task))
		return status;
	*row = (struct bench_memory){
		.suite = *suite, .plan = choice.plan, .n_bytes = task.n_bytes
	};
	row->plan.device = choice.device ? choice.plan.device : 0;
	row->predicted_s = bench_steady_s(&row->bottleneck, &choice);
	bench->n_memory++;
	return GPUCRYPT_OK;
}

int bench_add_memory(const struct selection *selection, const struct suite *suite)
{
	struct suite one = *suite;
	int status;

	one.direction = ENCRYPT;
	status = bench_each_engine(selection, &one, add_row);
	one.direction = DECRYPT;
	return status == GPUCRYPT_OK ? bench_each_engine(selection, &one, add_row) : status;
}
