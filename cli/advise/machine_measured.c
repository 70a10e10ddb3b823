#include "cli/advise/machine_measured.h"

#include <stdio.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "cli/terminal/message.h"
#include "ppf/measure/start.h"

static bool is_measured(const struct machine *machine)
{
	bool measured = machine->host_measured && machine->storage_measured;

	for (unsigned i = 0; i < machine->n_devices; i++)
		measured &= machine->devices[i].measured || machine->devices[i].device.unusable[0];
	return measured;
}

void machine_measured(struct machine *machine, const struct gpucrypt_plan *plan)
{
	bool cpu_only = plan->engine == GPUCRYPT_CPU;
	bool cached = machine_cached(machine);

	if (!cpu_only && !(cached && is_measured(machine)))
		start_seconds(&machine->start);
	if (!cached && !cpu_only)
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
