#include "ppf/study/study.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/engine/opencl/program.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure.h"
#include "ppf/measure/measure_parts.h"
#include "ppf/study/sources.h"

static int warm_device(struct bench *bench)
{
	static const struct chain chain = { .kernel = "logic", .operations = 1 };
	int status = measure_build_chains(bench);

	return status == GPUCRYPT_OK ? bench_warm(bench, &chain) : status;
}

int study_open(struct study *study, unsigned number, bool quick)
{
	int status;

	*study = (struct study){ .quick = quick, .seed = 1 };
	inventory_take(&study->inventory);
	study->device = inventory_choose(&study->inventory, number);
	if (study->device == NULL)
		return GPUCRYPT_DEVICE;
	study->number = 1 + (unsigned)(study->device - study->inventory.devices);
	status = bench_open(&study->bench, study->device);
	study->bench.more_sources = study_sources;
	if (status == GPUCRYPT_OK)
		status = warm_device(&study->bench);
	if (status != GPUCRYPT_OK)
		study_close(study);
	return status;
}

void study_close(struct study *study)
{
	bench_close(&study->bench);
	free(study->record);
	free(study->sweep);
	study->record = NULL;
	study->sweep = NULL;
}

double study_left_s(const struct study *study)
{
	return study->end_s - host_seconds();
}

static int find_record(struct study *study)
{
	char note[RECORD_NOTE];

	if (device_record_cached(study->record, study->device->name, study->device->driver, note))
		return GPUCRYPT_OK;
	if (measure_device(study->record, study->number, NULL) != GPUCRYPT_OK)
		return GPUCRYPT_DEVICE;
	if (device_record_keep(study->record) != GPUCRYPT_OK)
		fail_clear(); /* it serves this run */
	return GPUCRYPT_OK;
}

int study_record(struct study *study, const struct device_record **record)
{
	int status = GPUCRYPT_OK;

	if (study->record == NULL) {
		study->record = calloc(1, sizeof(*study->record));
		status = study->record == NULL ? fail(GPUCRYPT_OTHER, "out of memory") : find_record(study);
		if (status != GPUCRYPT_OK) {
			free(study->record);
			study->record = NULL;
		}
	}
	*record = study->record;
	return status;
}

void study_fill(const struct study *study, void *bytes, size_t n_bytes)
{
	uint32_t x = FIRST_NUMBER ^ study->seed;
	uint8_t *to = bytes;

	for (size_t i = 0; i < n_bytes; i++)
		to[i] = (uint8_t)(next_number(&x) >> 11);
}

void study_run(struct study *study, const struct study_figure *what, struct figure *figure)
{
	double begin = host_seconds();

	memset(figure, 0, sizeof(*figure));
	snprintf(figure->name, sizeof(figure->name), "%s", what->name);
	snprintf(figure->title, sizeof(figure->title), "%s", what->title);
	study->end_s = begin + what->seconds;
	study->figure = figure;
	fail_clear();
	if (what->run(study, figure) != GPUCRYPT_OK && figure->failure[0] == '\0')
		snprintf(figure->failure, sizeof(figure->failure), "%.399s", gpucrypt_error());
	fail_clear();
	study->figure = NULL;
	figure->seconds = host_seconds() - begin;
}
