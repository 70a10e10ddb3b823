/* The rows that are measured with files. */
#include "cli/bench/bench_files.h"

#include <unistd.h>

#include "gpucrypt/status.h"

/* The size at which all files stay in the page cache. */
static uint64_t file_bytes(const struct selection *selection)
{
	uint64_t most = (uint64_t)sysconf(_SC_PHYS_PAGES) / 16 * (uint64_t)sysconf(_SC_PAGESIZE),
	         n_bytes = bench_default_bytes(selection);

	return selection->options->size_bytes || n_bytes < most ? n_bytes : most >> 20 << 20;
}

static void add_row(
        const struct selection *selection, const struct bench_pipeline *pipeline, enum file_verb verb, bool to_file)
{
	selection->bench->files[selection->bench->n_files++] =
	        (struct bench_file){ .pipeline = *pipeline, .verb = verb, .to_file = to_file };
}

/* Add a row that needs neither a cipher nor an engine. */
static void add_plain_row(const struct selection *selection, const struct suite *suite, enum file_verb verb)
{
	const struct bench_pipeline without = {
		.suite = *suite, .n_bytes = file_bytes(selection), .plan = { .threads = selection->wanted->threads }
	};

	add_row(selection, &without, verb, verb == FILE_COPY);
}

/* Time a copy beside every write: the speed of storage changes from minute to minute. */
static int add_way(
        const struct selection *selection, const struct gpucrypt_plan *plan, enum file_verb verb, bool to_file)
{
	const struct task task = { .n_bytes = file_bytes(selection),
		.reads_storage = true,
		.writes_storage = to_file,
		.tags = true,
		.direction = verb == FILE_ENC ? ENCRYPT : DECRYPT };
	struct bench_pipeline pipeline;
	int status;

	if (!bench_choose(&status, &pipeline, selection, plan, &task))
		return status;
	if (to_file)
		add_plain_row(selection, &pipeline.suite, FILE_COPY);
	add_row(selection, &pipeline, verb, to_file);
	return GPUCRYPT_OK;
}

static int add_ways(const struct selection *selection, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	int status = GPUCRYPT_OK;

	(void)suite; /* the plan's */
	for (enum file_verb verb = FILE_ENC; verb <= FILE_DEC && status == GPUCRYPT_OK; verb++) {
		status = add_way(selection, plan, verb, false);
		if (status == GPUCRYPT_OK)
			status = add_way(selection, plan, verb, true);
	}
	return status;
}

/* Besides, the container of the first suite is verified. */
int bench_add_files(const struct selection *selection, const struct suite *suite)
{
	bool first = selection->bench->n_files == 0;
	int status = bench_each_engine(selection, suite, add_ways);

	if (status == GPUCRYPT_OK && first)
		add_plain_row(selection, suite, FILE_VERIFY);
	return status;
}
