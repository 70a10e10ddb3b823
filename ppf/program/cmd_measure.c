/* ppf measure: a device record, by the micro-benchmarks; ppf record: one from published micro-benchmarks. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/message.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure.h"
#include "ppf/program/options.h"

#define FOLDER "." /* whose storage is measured */

/* Before it is measured: whether there will be a place for it. */
static int check_output(const char *path)
{
	char *copy = path == NULL ? NULL : strdup(path);
	int status = GPUCRYPT_OK;

	if (copy != NULL && access(dirname(copy), W_OK) != 0)
		status = fail(GPUCRYPT_IO, "%s: cannot create: %s", path, strerror(errno));
	free(copy);
	return status;
}

/* Free the text of a record after it is printed, or written to a file. */
static int output_record(char *text, const char *output)
{
	int status = GPUCRYPT_OK;

	if (output != NULL)
		status = file_write(output, text);
	else if (fputs(text, stdout) < 0 || fflush(stdout) != 0)
		status = fail_errno("standard output", "cannot write");
	free(text);
	return status;
}

/* The host twice, with the device and storage between. */
static int measure_records(const struct records *records, unsigned device)
{
	struct start_seconds start;
	int status;

	start_seconds(&start);
	status = measure_host(records->host) ?: measure_device(records->device, device, &start);
	if (status != GPUCRYPT_OK)
		return status;
	measure_storage(records->storage, FOLDER);
	return measure_host(records->host);
}

int cmd_measure(const struct options *options)
{
	struct device_record device;
	struct host_record host = { .cpu_threads = 0 };
	struct storage_record storage;
	const struct records records = { &device, &host, &storage };
	char *text;
	int status = check_output(options->output) ?: measure_records(&records, options->device);

	if (status != GPUCRYPT_OK)
		return status;
	if (options->output == NULL && records_keep(&records, FOLDER) != GPUCRYPT_OK)
		message_warning(NULL, "the record is not kept: %s", gpucrypt_error());
	fail_clear();
	text = records_text(&records);
	return text == NULL ? GPUCRYPT_OTHER : output_record(text, options->output);
}

int cmd_record(const struct options *options)
{
	char *text;
	int status = record_derive(&text, options->record.table, options->record.clpeak);

	return status ?: output_record(text, options->output);
}
