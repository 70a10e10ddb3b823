/* What is measured with files. */
#include "bench_files.h"

#include <unistd.h>

#include "gpucrypt/status.h"

/* So that all files stay in memory. */
static uint64_t file_bytes(const struct selection *selection)
{
	uint64_t most = (uint64_t)sysconf(_SC_PHYS_PAGES) / 16 * (uint64_t)sysconf(_SC_PAGESIZE),
	         n_bytes = bench_default_bytes(selection);

	return selection->options->size_bytes || n_bytes < most ? n_bytes : most >> 20 << 20;
}

static struct bench_file *add_row(const struct selection *selection, const struct suite *suite,
        enum file_verb verb, bool to_file)
{
	struct bench_file *row = &selection->bench->files[selection->bench->n_files++];

	*row = (struct bench_file){ .suite = *suite,
		.verb = verb,
		.to_file = to_file,
		.n_bytes = file_bytes(selection),
		.plan = { .threads = selection->wanted->threads } };
	return row;
}

static int add_way(const struct selection *selection, const struct suite *suite,
        const struct gpucrypt_plan *plan, enum file_verb verb, bool to_file)
{
	const struct task task = { .n_bytes = file_bytes(selection),
		.reads_storage = true,
		.writes_storage = to_file,
		.tags = true,
		.relays = true,
		.direction = verb == FILE_ENC ? ENCRYPT : DECRYPT };
	struct bench_file *row;
	struct choice choice;
	int status;

	if (!bench_choose(&status, &choice, selection, plan, &task))
		return status;
	row = add_row(selection, suite, verb, to_file);
	row->suite.direction = task.direction;
	row->plan = choice.plan;
	row->plan.device = choice.device ? choice.plan.device : 0;
	row->predicted_s = bench_steady_s(&row->bottleneck, &choice);
	return GPUCRYPT_OK;
}

static int add_ways(const struct selection *selection, const struct suite *suite,
        const struct gpucrypt_plan *plan)
{
	int status = GPUCRYPT_OK;

	for (enum file_verb verb = FILE_ENC; verb <= FILE_DEC && status == GPUCRYPT_OK; verb++) {
		status = add_way(selection, suite, plan, verb, false);
		if (status == GPUCRYPT_OK)
			status = add_way(selection, suite, plan, verb, true);
	}
	return status;
}

/* Beside a copy; and the container of the first suite is verified, which takes no cipher. */
int bench_add_files(const struct selection *selection, const struct suite *suite)
{
	bool first = selection->bench->n_files == 0;
	int status;

	if (first)
		add_row(selection, suite, FILE_COPY, true);
	status = bench_each_engine(selection, suite, add_ways);
	if (status == GPUCRYPT_OK && first)
		add_row(selection, suite, FILE_VERIFY, false);
	return status;
}
