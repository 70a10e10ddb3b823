/* gcrypt advise: what this machine is going to need for an input, and what is best for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "command.h"
#include "gpucrypt/status.h"
#include "json.h"
#include "message.h"
#include "plan.h"

static bool is_measured(const struct machine *machine)
{
	bool measured = machine->host_measured;

	for (unsigned i = 0; i < machine->n_devices; i++)
		measured &= machine->devices[i].measured || machine->devices[i].device.unusable[0];
	return measured;
}

/* Measured as far as the plan could use it.  What cannot be measured has a default: advice is still
 * possible, and says what it rests on. */
static void take_machine(struct machine *machine, const struct gpucrypt_plan *plan)
{
	bool cpu_only = plan->engine && !strcmp(plan->engine, engine_cpu.name);

	if (!machine_cached(machine) && !cpu_only)
		machine_take(machine);
	if (cpu_only)
		machine->n_devices = 0;
	if (is_measured(machine))
		return;
	fprintf(stderr, "gcrypt: measuring the CPU%s, once: this takes some seconds\n",
	        machine->n_devices ? " and OpenCL devices" : "");
	if (machine_measure(machine) != GPUCRYPT_OK)
		message_warning(NULL, "%s", gpucrypt_error());
	fail_clear();
}

static int choose_plot(struct output *output, const struct options *options)
{
	/* Nothing secret: it may be read by whom the umask allows. */
	const struct output_terms terms = {
		.standard_input = true, .ciphertext = true, .force = options->force
	};
	int status;

	if (!options->plot)
		return GPUCRYPT_OK;
	status = output_choose(output, options->plot, &terms);
	if (status == GPUCRYPT_OK && output->kind == OUTPUT_DESCRIPTOR)
		status = fail(GPUCRYPT_USAGE, "--plot: %s: must be a file", options->plot);
	return status;
}

static int print(const struct advice *advice, const struct options *options)
{
	if (options->json)
		return json_print(advise_json(advice));
	advise_print(stdout, advice);
	if (options->explain)
		advise_explain(stdout, advice);
	fflush(stdout);
	return GPUCRYPT_OK;
}

static int check(const struct options *options)
{
	if (options->json && options->explain)
		return fail(GPUCRYPT_USAGE, "--explain: not with --json");
	return plan_check(options, ENCRYPT);
}

int cmd_advise(const struct options *options)
{
	struct machine *machine = calloc(1, sizeof *machine);
	struct output plot = OUTPUT_NONE;
	struct advice advice = { 0 };
	int status = machine ? check(options) : fail(GPUCRYPT_OTHER, "out of memory");

	if (status == GPUCRYPT_OK)
		status = choose_plot(&plot, options);
	if (status == GPUCRYPT_OK) {
		take_machine(machine, &options->plan);
		status = advise_rows(&advice, machine, options);
	}
	if (status == GPUCRYPT_OK && (options->json || options->plot))
		status = advise_points(&advice);
	if (status == GPUCRYPT_OK && options->measure)
		status = advise_measure(&advice);
	if (status == GPUCRYPT_OK)
		status = print(&advice, options);
	if (status == GPUCRYPT_OK && options->plot)
		status = advise_plot(&advice, &plot);
	output_discard(&plot);
	advise_free(&advice);
	free(machine);
	return status;
}
