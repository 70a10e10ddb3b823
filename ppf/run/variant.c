#include "ppf/run/variant.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/measure/measure.h"
#include "ppf/measure/bench.h"
#include "ppf/record/records.h"

#define RUNS     5
#define CPU_RUNS 8 /* other programs run there too */

static int warm_device(struct bench *bench)
{
	static const struct chain chain = { .kernel = "logic", .operations = 1 };
	int status = measure_build_chains(bench);

	return status == GPUCRYPT_OK ? bench_warm(bench, &chain) : status;
}

int session_open(struct session *session, unsigned number)
{
	int status;

	*session = (struct session){ .device = NULL };
	inventory_take(&session->inventory);
	session->device = inventory_choose(&session->inventory, number);
	if (session->device == NULL)
		return GPUCRYPT_DEVICE;
	session->number = 1 + (unsigned)(session->device - session->inventory.devices);
	status = bench_open(&session->bench, session->device) ?: warm_device(&session->bench);
	if (status != GPUCRYPT_OK)
		session_close(session);
	return status;
}

void session_close(struct session *session)
{
	bench_close(&session->bench);
	free(session->record);
	session->record = NULL;
}

static int find_record(struct session *session)
{
	char note[CACHE_NOTE] = "";
	json_t *cache = cache_read(note);
	bool found = device_record_cached(session->record, cache, session->device->name, session->device->driver, note);

	json_decref(cache);
	if (found)
		return GPUCRYPT_OK;
	if (measure_device(session->record, session->number, NULL) != GPUCRYPT_OK)
		return GPUCRYPT_DEVICE;
	if (records_keep(&(struct records){ .device = session->record }, NULL) != GPUCRYPT_OK)
		fail_clear(); /* it serves this run */
	return GPUCRYPT_OK;
}

int session_record(struct session *session, const struct device_record **record)
{
	int status = GPUCRYPT_OK;

	if (session->record == NULL) {
		session->record = calloc(1, sizeof(*session->record));
		status = session->record == NULL ? fail(GPUCRYPT_OTHER, "out of memory") : find_record(session);
		if (status != GPUCRYPT_OK) {
			free(session->record);
			session->record = NULL;
		}
	}
	*record = session->record;
	return status;
}

double session_seconds(struct session *session, double *runs, unsigned n)
{
	double middle = median(runs, n);

	if (runs[0] > 0)
		session->spread += (middle / runs[0] - 1 - session->spread) / ++session->n_spreads;
	return robust_seconds(runs, n, session->device->cpu);
}

void variant_close(struct variant *variant)
{
	if (variant->kernel != NULL)
		clReleaseKernel(variant->kernel);
	variant->kernel = NULL;
	variant->checked = false;
}

static int set_arguments(struct variant *variant, const struct variant_launch *launch)
{
	for (unsigned i = 0; i < launch->n_arguments; i++) {
		cl_int error =
		        clSetKernelArg(variant->kernel, i, launch->arguments[i].n_bytes, launch->arguments[i].value);
		if (error != CL_SUCCESS)
			return bench_failed(&variant->session->bench, variant->name, error);
	}
	return GPUCRYPT_OK;
}

static int run_variant(struct variant *variant, const struct variant_launch *launch, double *seconds)
{
	return bench_run(&variant->session->bench, variant->kernel, launch->work_items * launch->work_groups,
	        launch->work_items, seconds);
}

static size_t first_difference(const uint8_t *found, const uint8_t *expected, size_t n_bytes)
{
	size_t at = 0;

	while (at < n_bytes && found[at] == expected[at])
		at++;
	return at;
}

/* Read back the device's output. */
static int compare(struct variant *variant, cl_mem out, size_t offset, const void *expected, size_t n_bytes)
{
	struct bench *bench = &variant->session->bench;
	uint8_t *found = malloc(n_bytes);
	int status = GPUCRYPT_OK;
	cl_int error;
	size_t at;

	if (found == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	error = clEnqueueReadBuffer(bench->queue, out, CL_TRUE, offset, n_bytes, found, 0, NULL, NULL);
	if (error != CL_SUCCESS)
		status = bench_failed(bench, variant->name, error);
	else if ((at = first_difference(found, expected, n_bytes)) < n_bytes)
		status = fail(GPUCRYPT_CORRUPT, "%s: the result is wrong from byte %zu on", variant->name, offset + at);
	free(found);
	return status;
}

int variant_check(struct variant *variant, const struct variant_launch *launch, cl_mem out, size_t offset,
        const void *expected, size_t n_bytes)
{
	static const cl_uchar ones = 0xff;
	struct bench *bench = &variant->session->bench;
	double seconds;
	cl_int error = clEnqueueFillBuffer(bench->queue, out, &ones, 1, offset, n_bytes, 0, NULL, NULL);
	int status = error == CL_SUCCESS ? set_arguments(variant, launch) : bench_failed(bench, variant->name, error);

	variant->checked = false;
	if (status == GPUCRYPT_OK)
		status = run_variant(variant, launch, &seconds);
	if (status == GPUCRYPT_OK)
		status = compare(variant, out, offset, expected, n_bytes);
	variant->checked = status == GPUCRYPT_OK;
	return status;
}

int variant_time(struct variant *variant, const struct variant_launch *launch, double *seconds)
{
	double runs[CPU_RUNS], first;
	unsigned n = 0, wanted = variant->session->device->cpu ? CPU_RUNS : RUNS;
	int status;

	*seconds = 0;
	if (!variant->checked)
		return fail(GPUCRYPT_OTHER, "%s: is to be timed before it was checked", variant->name);
	status = set_arguments(variant, launch);
	if (status == GPUCRYPT_OK)
		status = run_variant(variant, launch, &first);
	while (status == GPUCRYPT_OK && n < wanted)
		status = run_variant(variant, launch, &runs[n++]);
	if (status == GPUCRYPT_OK)
		*seconds = session_seconds(variant->session, runs, n);
	return status;
}
