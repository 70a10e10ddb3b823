#include "report.h"

#include <stdio.h>

#include "engine.h"

void report_engine(struct report *report, const struct engine *engine)
{
	if (report == NULL)
		return;
	snprintf(report->engine, sizeof report->engine, "%s", engine->description);
	report->class = engine->class->name;
	snprintf(report->engine_note, sizeof report->engine_note, "%s", engine->note);
}
