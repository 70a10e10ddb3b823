#include "gpucrypt/pipeline/report.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/status.h"

int report_progress(const struct gpucrypt_progress *progress, uint64_t done_bytes, uint64_t total_bytes)
{
	return progress == NULL || progress->report(progress->self, done_bytes, total_bytes) == 0
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_CANCELLED, "cancelled by the caller");
}

void report_engine(struct report *report, const struct engine *engine)
{
	if (report == NULL || engine == NULL)
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
