#include "cli/advise/advise.h"

#include <stdio.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "command/message.h"
#include "ppf/measure/measure.h"

/* The figures of a CPU's record that other programs disturbed are too low. */
static bool is_disturbed(const struct machine *machine)
{
	return machine->host_measured && host_record_is_disturbed(&machine->host);
}

static bool is_measured(const struct machine *machine)
{
	bool measured = machine->host_measured && machine->storage_measured && !is_disturbed(machine);

	for (unsigned i = 0; i < machine->n_devices; i++)
		measured &= machine->devices[i].measured || machine->devices[i].device.unusable[0];
	return measured;
}

void machine_measured(struct machine *machine, const struct options *options)
{
	const struct host_record *host = &machine->host;
	bool cpu_only = options->plan.engine == GPUCRYPT_CPU;
	bool cached = machine_cached(machine);

	if (!cpu_only && (options->remeasure || !cached || !is_measured(machine)))
		start_seconds(&machine->start);
	if (!cached && !cpu_only)
		machine_take(machine); /* reads the records again */
	if (options->remeasure)
		machine->host_measured = machine->storage_measured = false;
	for (unsigned i = 0; i < machine->n_devices && options->remeasure; i++)
		machine->devices[i].measured = false;
	if (is_disturbed(machine) && !options->quiet)
		fprintf(stderr, "gcrypt: other programs disturbed the last measurement of the CPU: measuring again\n");
	if (is_disturbed(machine))
		machine->host_measured = false;
	if (cpu_only)
		machine->n_devices = 0;
	else if (!options->quiet)
		message_left_out();
	if (is_measured(machine))
		return;
	if (!options->quiet)
		fprintf(stderr, "gcrypt: measuring the CPU%s, once: this takes some seconds\n",
		        machine->n_devices ? " and OpenCL devices" : "");
	if (machine_measure(machine) != GPUCRYPT_OK && !options->quiet)
		message_warning(NULL, "%s", gpucrypt_error());
	fail_clear();
	if (is_disturbed(machine) && !options->quiet)
		message_warning(NULL,
		        "other programs used %.0f %% of the CPU while it was measured, and the repetitions differ by "
		        "%.0f %%: predictions may be too slow; run gcrypt advise --remeasure on an idle machine",
		        100 * host->other_work, 100 * host->host_spread);
}
