#include "gpucrypt/pipeline/report.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/pipeline/pipeline.h"

void report_engine(struct report *report, const struct engine *engine)
{
	if (report == NULL)
		return;
	snprintf(report->engine, sizeof report->engine, "%s", engine->description);
	report->class = engine->class->id;
	snprintf(report->engine_note, sizeof report->engine_note, "%s", engine->note);
}

void report_items(struct report *report, const struct items *items)
{
	if (report == NULL)
		return;
	report->busiest = items->busiest;
	report->busy = items->busy;
}

void report_digest(struct report *report, const uint8_t digest[32])
{
	if (report == NULL)
		return;
	memcpy(report->digest, digest, sizeof report->digest);
	report->has_digest = true;
}
