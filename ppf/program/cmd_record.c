/* ppf record: a device record from published micro-benchmarks. */
#include <stddef.h>

#include "ppf/program/options.h"
#include "ppf/record/derive.h"

int cmd_record(const struct options *options)
{
	char *text;
	int status = record_derive(&text, options->record.table, options->record.clpeak);

	return status ?: output_record(text, options->output);
}
