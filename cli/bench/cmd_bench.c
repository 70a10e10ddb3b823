/* gcrypt bench: how fast everything is on this machine, measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/args/options.h"
#include "cli/files/output.h"
#include "gpucrypt/status.h"
#include "command/json.h"
#include "cli/advise/advise.h"
#include "cli/transform/plan.h"

/* Forms of tables are another matter for each cipher. */
static int check_options(const struct options *options)
{
	struct options any_table = *options;

	if (options->size_bytes % UNIT_BYTES != 0)
		return fail(GPUCRYPT_USAGE, "--size: %llu bytes: not a multiple of %u",
		        (unsigned long long)options->size_bytes, UNIT_BYTES);
	any_table.plan.kernel.table = TABLE_OPEN;
	if (options->plan.engine == GPUCRYPT_HYBRID && !options->end_to_end)
		return fail(GPUCRYPT_USAGE, "--engine all: needs --end-to-end");
	return plan_check(&any_table, ENCRYPT);
}

int bench_measure_machine(struct bench *bench, struct machine *machine, const struct options *options, FILE *stream)
{
	int status;

	if (options->plan.engine != GPUCRYPT_CPU || options->end_to_end)
		machine_measured(machine, options);
	status = bench_rows(bench, machine, options);
	setlinebuf(stdout);
	if (status == GPUCRYPT_OK && stream)
		bench_print_start(stream, bench->json);
	return status ?: bench_measure(bench, stream);
}

static bool has_failure(const struct bench *bench)
{
	return pattern_exists(json_object_get(bench->json, "kernels"), "{failure}") ||
	       pattern_exists(json_object_get(bench->json, "memory"), "{failure}");
}

int cmd_bench(const struct options *options)
{
	struct machine *machine = calloc(1, sizeof *machine);
	struct output plot = OUTPUT_NONE;
	struct bench bench = { 0 };
	int status = (machine ? check_options(options) : fail(GPUCRYPT_OTHER, "out of memory"))
	        ?: gnuplot_open(&plot, options->plot, options->force)
	        ?: bench_measure_machine(&bench, machine, options, options->json ? NULL : stdout);

	if (status == GPUCRYPT_OK && options->json)
		status = json_print(json_incref(bench.json));
	if (status == GPUCRYPT_OK && options->plot)
		status = gnuplot_draw(&plot, bench_plot_script, bench.json);
	if (status == GPUCRYPT_OK && has_failure(&bench))
		status = fail(GPUCRYPT_DEVICE, "bench: not everything could be run");
	output_discard(&plot);
	bench_free(&bench);
	free(machine);
	return status;
}
