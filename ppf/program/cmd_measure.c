/* ppf measure: a device record, by the micro-benchmarks. */
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

static int print_records(const struct records *records)
{
	char *text = records_text(records);

	if (text == NULL)
		return GPUCRYPT_OTHER;
	fputs(text, stdout);
	free(text);
	return GPUCRYPT_OK;
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

static void keep_records(const struct records *records)
{
	int status = device_record_keep(records->device)
	        ?: host_record_keep(records->host)
	        ?: storage_record_keep(records->storage, FOLDER);

	if (status != GPUCRYPT_OK)
		message_warning(NULL, "the record is not kept: %s", gpucrypt_error());
	fail_clear();
}

int cmd_measure(const struct options *options)
{
	struct device_record device;
	struct host_record host = { .cpu_threads = 0 };
	struct storage_record storage;
	const struct records records = { &device, &host, &storage };
	int status = check_output(options->output) ?: measure_records(&records, options->device);

	if (status != GPUCRYPT_OK)
		return status;
	if (options->output != NULL)
		return records_write(&records, options->output);
	keep_records(&records);
	return print_records(&records);
}
