/* gcrypt bench: how fast everything is on this machine, measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/bench/bench_files.h"
#include "cli/bench/bench_rows.h"
#include "cli/args/command.h"
#include "cli/files/gnuplot.h"
#include "gpucrypt/status.h"
#include "cli/terminal/json.h"
#include "cli/advise/machine_measured.h"
#include "cli/transform/plan.h"
#include "ppf/measure/measure.h"

/* Forms of tables are another matter for each cipher. */
static int check_options(const struct options *options)
{
	struct options any_table = *options;

	if (options->from)
		return GPUCRYPT_OK;
	if (options->size_bytes % UNIT_BYTES != 0)
		return fail(GPUCRYPT_USAGE, "--size: %llu bytes: not a multiple of %u",
		        (unsigned long long)options->size_bytes, UNIT_BYTES);
	any_table.plan.kernel.table = TABLE_OPEN;
	if (options->plan.engine == GPUCRYPT_HYBRID && !options->end_to_end && !options->files)
		return fail(GPUCRYPT_USAGE, "--engine all: needs --end-to-end or --files");
	return plan_check(&any_table, ENCRYPT);
}

static int measure_bench(struct bench *bench, struct machine *machine, const struct options *options)
{
	bool devices = options->plan.engine != GPUCRYPT_CPU;
	int status = options->files ? file_run_check(options->files, options->size_bytes) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK && (devices || options->end_to_end || options->files))
		machine_measured(machine, &options->plan, false);
	if (status == GPUCRYPT_OK && options->files)
		status = measure_folder(&machine->storage, options->files);
	if (status == GPUCRYPT_OK)
		status = bench_rows(bench, machine, options);
	setlinebuf(stdout);
	return status == GPUCRYPT_OK ? bench_measure(bench, options->json ? NULL : stdout) : status;
}

int cmd_bench(const struct options *options)
{
	struct machine *machine = calloc(1, sizeof *machine);
	struct output plot = OUTPUT_NONE;
	struct bench bench = { 0 };
	int status = machine ? check_options(options) : fail(GPUCRYPT_OTHER, "out of memory");

	if (status == GPUCRYPT_OK)
		status = gnuplot_open(&plot, options->plot, options->force);
	if (status == GPUCRYPT_OK)
		status = options->from ? bench_read(&bench, options->from) : measure_bench(&bench, machine, options);
	if (status == GPUCRYPT_OK && options->json)
		status = json_print(bench_json(&bench));
	else if (status == GPUCRYPT_OK && options->from)
		bench_print(stdout, &bench);
	if (status == GPUCRYPT_OK && options->plot)
		status = bench_plot(&bench, &plot);
	if (status == GPUCRYPT_OK && !options->from && !bench_complete(&bench))
		status = fail(GPUCRYPT_DEVICE, "bench: not everything could be run");
	output_discard(&plot);
	bench_free(&bench);
	free(machine);
	return status;
}
