/* The rows that are measured from memory to memory. */
#include "cli/bench/bench_rows.h"
#include "gpucrypt/status.h"

static int add_row(const struct selection *selection, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	struct bench *bench = selection->bench;
	const struct task task = {
		.n_bytes = bench_default_bytes(selection), .tags = true, .direction = suite->direction
	};
	int status;

	bench->n_memory += bench_choose(&status, &bench->memory[bench->n_memory], selection, plan, &task);
	return status;
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
