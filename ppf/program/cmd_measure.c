/* ppf measure: a device record, by the micro-benchmarks. */
#include "ppf/program/command.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/status.h"
#include "ppf/measure/measure.h"
#include "ppf/program/options.h"

#define FOLDER "." /* whose storage is measured */

static const char help[] = "usage: ppf measure [options]\n"
                           "measure an OpenCL device, and this machine's CPU and storage: a device record\n\n"
                           "      --device D        as in gcrypt devices (the best one)\n"
                           "  -o, --output FILE     write it there; else it goes to standard output, and into the\n"
                           "                        cache, $XDG_CACHE_HOME/gcrypt/, where ppf predict finds it\n";

struct request {
	int help;
	unsigned device;    /* as in a plan: 1 + its number, 0 for the best */
	const char *output; /* NULL: standard output, and the cache */
};

static int store(void *self, int option)
{
	struct request *request = self;

	if (option == 'd')
		return options_device(optarg, &request->device);
	request->output = optarg;
	return GPUCRYPT_OK;
}

static int parse_request(struct request *request, int argc, char **argv)
{
	const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, &request->help, 1 },
		{ NULL, 0, NULL, 0 },
	};
	int status = options_read(argc, argv, "+:d:o:", options, store, request);

	if (status == GPUCRYPT_OK && optind < argc)
		status = fail(GPUCRYPT_USAGE, "measure: takes no operands (see ppf measure --help)");
	return status;
}

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
	int status = GPUCRYPT_OK;

	if (text == NULL)
		return GPUCRYPT_OTHER;
	if (fputs(text, stdout) == EOF || fflush(stdout) != 0)
		status = fail(GPUCRYPT_IO, "standard output: cannot write: %s", strerror(errno));
	free(text);
	return status;
}

/* The host twice, with the device and storage between. */
static int measure_records(const struct records *records, unsigned device)
{
	struct start_seconds start;
	int status;

	start_seconds(&start);
	status = measure_host(records->host);
	if (status == GPUCRYPT_OK)
		status = measure_device(records->device, device, &start);
	if (status != GPUCRYPT_OK)
		return status;
	measure_storage(records->storage, FOLDER);
	return measure_host(records->host);
}

static void keep_records(const struct records *records)
{
	int status = device_record_keep(records->device);

	if (status == GPUCRYPT_OK)
		status = host_record_keep(records->host);
	if (status == GPUCRYPT_OK)
		status = storage_record_keep(records->storage, FOLDER);
	if (status != GPUCRYPT_OK)
		fprintf(stderr, "ppf: the record is not kept: %s\n", gpucrypt_error());
	fail_clear();
}

int cmd_measure(int argc, char **argv)
{
	struct request request = { 0, 0, NULL };
	struct device_record device;
	struct host_record host = { .cpu_threads = 0 };
	struct storage_record storage;
	const struct records records = { &device, &host, &storage };
	int status = parse_request(&request, argc, argv);

	if (status == GPUCRYPT_OK && request.help)
		return fputs(help, stdout), GPUCRYPT_OK;
	if (status == GPUCRYPT_OK)
		status = check_output(request.output);
	if (status == GPUCRYPT_OK)
		status = measure_records(&records, request.device);
	if (status != GPUCRYPT_OK)
		return status;
	if (request.output != NULL)
		return records_write(&records, request.output);
	keep_records(&records);
	return print_records(&records);
}
