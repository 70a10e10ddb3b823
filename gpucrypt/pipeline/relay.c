#include "gpucrypt/pipeline/relay.h"

#include "gpucrypt/engine/engine_all.h"
#include "gpucrypt/status.h"

bool relay_begins(const struct gpucrypt_plan *plan)
{
	bool device = plan->n_parts == 0;

	for (unsigned i = 0; i < plan->n_parts; i++)
		device |= plan->parts[i].device != 0;
	return device && plan->engine == GPUCRYPT_HYBRID;
}

static int run_on_cpu(struct opening *opening, struct engine **cpu, relay_items *run, void *job, struct items *items)
{
	struct gpucrypt_plan plan = *opening->plan;
	int status;

	if (plan.cpu_first != 0)
		plan.threads = plan.cpu_first;
	status = engine_open_cpu(cpu, opening->suite, &plan, "");
	items->stop = &opening->over;
	if (status == GPUCRYPT_OK)
		status = run(job, opening->plan, items);
	items->stop = NULL;
	return status;
}

/* The CPU may have been opened in place of the devices, or have no other beside it. */
static void report_both(struct report *report, const struct engine *opened, const struct engine *cpu)
{
	report_engine(report, opened);
	if (report == NULL || cpu == NULL || opened->class == &engine_cpu)
		return;
	report->class = GPUCRYPT_HYBRID;
	all_describe_first(report->engine, cpu->description);
}

int relay_run(struct opening *opening, struct engine **engine, struct report *report, relay_items *run, void *job)
{
	struct items items = { .first = 0 };
	struct engine *cpu = NULL, *opened = NULL;
	int status = GPUCRYPT_OK, finished;

	if (opening->apart && relay_begins(opening->plan))
		status = run_on_cpu(opening, engine, run, job, &items);
	report_items(report, &items);
	cpu = *engine;
	finished = opening_finish(opening, &opened);
	if (status == GPUCRYPT_OK)
		status = finished;
	if (status == GPUCRYPT_OK)
		report_both(report, opened, cpu);
	if (status != GPUCRYPT_OK || items.reached_end) {
		engine_close(opened);
		return status;
	}
	*engine = opened;
	status = run(job, opening->plan, &items);
	report_items(report, &items);
	engine_close(cpu);
	return status;
}
