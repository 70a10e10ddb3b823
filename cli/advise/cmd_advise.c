/* gcrypt advise: predict the time of each cipher and engine on this machine, and recommend the fastest. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/advise/advise.h"
#include "cli/args/options.h"
#include "cli/files/output.h"
#include "gpucrypt/status.h"
#include "command/json.h"
#include "cli/transform/job.h"
#include "cli/transform/plan.h"

static int show_advice(const struct advice *advice, struct output *plot, const struct options *options)
{
	json_t *json = advise_json(advice);
	int status = GPUCRYPT_OK;

	if (options->json) {
		status = json_print(json_incref(json));
	} else {
		advise_print(stdout, advice, json);
		if (options->explain || options->verbose)
			advise_print_rows(stdout, advice, json);
		if (options->explain)
			advise_explain(stdout, advice, json);
		fflush(stdout);
	}
	if (status == GPUCRYPT_OK && options->plot)
		status = gnuplot_draw(plot, advise_plot_script, json);
	json_decref(json);
	return status;
}

/* Add what the options request besides the rows. */
static int complete_advice(struct advice *advice, const struct options *options)
{
	int status = options->nodes ? advise_nodes(advice, options) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK && (options->json || options->plot))
		status = advise_points(advice);
	return status == GPUCRYPT_OK && options->measure ? advise_measure(advice) : status;
}

int cmd_advise(const struct options *options)
{
	struct machine *machine = calloc(1, sizeof *machine);
	struct output plot = OUTPUT_NONE;
	struct advice advice = { 0 };
	int status = !machine ? fail(GPUCRYPT_OTHER, "out of memory") : plan_check(options, ENCRYPT);

	if (status == GPUCRYPT_OK && options->luks2)
		status = luks_check(options);
	if (status == GPUCRYPT_OK)
		status = gnuplot_open(&plot, options->plot, options->force);
	if (status == GPUCRYPT_OK) {
		machine_measured(machine, options);
		status = advise_rows(&advice, machine, options)
		                 ?: complete_advice(&advice, options)
		                 ?: show_advice(&advice, &plot, options);
	}
	output_discard(&plot);
	advise_free(&advice);
	free(machine);
	return status;
}
